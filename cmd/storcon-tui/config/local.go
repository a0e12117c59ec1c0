package config

import (
	"fmt"
	"net/url"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/neonlocal"
)

// chooseLocal is the cluster of a directory of neon_local: one of its own, or with
// --cluster one of the file whose controller, tokens and certificates are the
// directory's. What the file says of restarts and limits stands then.
func (f *File) chooseLocal(flags Flags, address string) (Cluster, error) {
	dir, err := neonlocal.Open(absolute(flags.NeonLocal))
	if err != nil {
		return Cluster{}, fmt.Errorf("--neon-local: %w", err)
	}
	c := Cluster{Restart: byHand}
	if flags.Cluster != "" {
		if c, err = f.find(flags.Cluster); err != nil {
			return Cluster{}, err
		}
	}
	c.URL, c.CAFile, c.PageserverCA, c.Token, c.local = dir.ControllerURL, dir.CAFile, dir.CAFile, Token{}, dir
	if dir.Auth {
		// As neon_local itself does: this scope is accepted on every route.
		c.Token.Signed = Signed{KeyFile: dir.Key, Claims: map[string]any{"scope": "admin"}}
	}
	c = flags.apply(c, address)
	if c.URL == "" {
		return Cluster{}, fmt.Errorf("--neon-local: %s/config: expected key control_plane_api, the controller's address; add it, or pass --url", dir.Path)
	}
	if c.Name == "" {
		u, _ := url.Parse(c.URL) // it was made of one
		c.Name = u.Host          // as with --url: one controller, one lock and one list of runs
	}
	return c, nil
}

// signingKey tests the key of a controller that asks for tokens.
func signingKey(path string) error {
	if err := readable(path); err != nil {
		return fmt.Errorf("%w: it signs the tokens that the controller asks for; restore it, or pass --token-file", err)
	}
	return nil
}

// localComputes are the directory's endpoints. What a compute is called in its tokens
// is what its endpoint is called.
func localComputes(dir *neonlocal.Directory) ([]Compute, error) {
	endpoints, err := dir.Endpoints()
	if endpoints == nil {
		return nil, err
	}
	computes := make([]Compute, len(endpoints))
	for i, one := range endpoints {
		computes[i] = Compute{
			Name: one.ID, URL: one.URL, Spec: Source{File: one.Spec}, Connection: Source{Text: one.Connection},
		}
		if dir.Key != "" {
			computes[i].Token.Signed = Signed{
				KeyFile: dir.Key, Claims: map[string]any{"compute_id": one.ID, "scope": nil, "aud": nil},
			}
		}
	}
	return computes, err
}
