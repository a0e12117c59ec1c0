package neonlocal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Directory is one of neon_local that was looked at.
type Directory struct {
	Path          string // absolute
	ControllerURL string // http(s)://host:port; "" = its configuration names none
	// Key signs every token, of the controller and of computes; "" = the
	// configuration names none. That it is there was not looked at.
	Key    string
	Auth   bool   // the controller asks for tokens
	CAFile string // of the directory's own authority; "" = it has none
}

// configuration is the file DIR/config, as far as it matters here.
type configuration struct {
	ControlPlaneAPI  string `toml:"control_plane_api"`
	PrivateKey       string `toml:"private_key_path"`
	GenerateSSLCerts bool   `toml:"generate_local_ssl_certs"`

	Pageservers []struct { // older directories; newer ones have a directory for each
		ID       uint64 `toml:"id"`
		HTTPAuth string `toml:"http_auth_type"`
	} `toml:"pageservers"`
}

// Open reads the directory's configuration.
func Open(dir string) (*Directory, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var c configuration
	if err := readTOML(filepath.Join(path, "config"), &c); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notThere(path)
		}
		return nil, err
	}
	d := &Directory{Path: path}
	if d.ControllerURL, err = controllerURL(filepath.Join(path, "config"), c.ControlPlaneAPI); err != nil {
		return nil, err
	}
	if c.PrivateKey != "" {
		d.Key = d.within(c.PrivateKey)
	}
	if d.Auth, err = d.asksForTokens(c); err != nil {
		return nil, err
	}
	if c.GenerateSSLCerts {
		d.CAFile = d.within("rootCA.crt")
	}
	return d, d.check()
}

// notThere says what a directory without a configuration may have been meant for.
func notThere(path string) error {
	inner := filepath.Join(path, ".neon")
	if _, err := os.Stat(filepath.Join(inner, "config")); err == nil {
		return fmt.Errorf("%s is no directory of neon_local, it has no file config; pass %s", path, inner)
	}
	return fmt.Errorf("%s is no directory of neon_local, it has no file config; pass the directory that NEON_REPO_DIR names (.neon by default), or make one by: neon_local init", path)
}

// controllerURL is the address that stands before the path of control_plane_api.
func controllerURL(file, api string) (string, error) {
	if api == "" {
		return "", nil
	}
	u, err := url.Parse(api)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return "", fmt.Errorf("%s: key control_plane_api: expected http(s)://host:port/upcall/v1/, got something else; correct it, or pass --url", file)
	}
	return u.Scheme + "://" + u.Host, nil
}

// within is a path as the configuration means it.
func (d *Directory) within(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.Path, path)
}

// asksForTokens: the controller does when the first pageserver does.
func (d *Directory) asksForTokens(c configuration) (bool, error) {
	file, err := d.firstPageserver()
	if err != nil {
		return false, err
	}
	var p struct {
		HTTPAuth string `toml:"http_auth_type"`
	}
	if file != "" {
		if err := readTOML(file, &p); err != nil {
			return false, err
		}
	} else if len(c.Pageservers) > 0 {
		p.HTTPAuth = c.Pageservers[0].HTTPAuth
	}
	return p.HTTPAuth != "" && p.HTTPAuth != "Trust", nil
}

// firstPageserver is the configuration of the one with the lowest id; "" = none has one.
func (d *Directory) firstPageserver() (string, error) {
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return "", fmt.Errorf("look for pageservers: %w", err)
	}
	first, lowest := "", uint64(0)
	for _, entry := range entries {
		number, ok := strings.CutPrefix(entry.Name(), "pageserver_")
		id, err := strconv.ParseUint(number, 10, 64)
		if !ok || err != nil || first != "" && id > lowest {
			continue
		}
		file := filepath.Join(d.Path, entry.Name(), "pageserver.toml")
		if _, err := os.Stat(file); err == nil {
			first, lowest = file, id
		}
	}
	return first, nil
}

// check makes sure that what will be needed is there.
func (d *Directory) check() error {
	if d.Auth && d.Key == "" {
		return fmt.Errorf("%s: the first pageserver asks for tokens, but no private_key_path says what to sign them with; name the key there, or pass --token-file", filepath.Join(d.Path, "config"))
	}
	if d.CAFile != "" {
		if _, err := os.Stat(d.CAFile); err != nil {
			return fmt.Errorf("%w; generate_local_ssl_certs is on in %s: restore the file, or switch that off", err, filepath.Join(d.Path, "config"))
		}
	}
	return nil
}

// maxFile bounds a file of the directory, in bytes.
const maxFile = 1 << 20

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: longer than %d MiB, it is no file of neon_local", path, maxFile>>20)
	}
	return text, err
}

func readTOML(path string, into any) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	if _, err := toml.Decode(string(text), into); err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return fmt.Errorf("%s:%d: not TOML as neon_local writes it; correct the line", path, at.Position.Line) // the line may have a token
		}
		return fmt.Errorf("%s: not as neon_local writes it: a key has a value of another kind; correct it", path)
	}
	return nil
}
