package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

// neonLocal writes the directory that neon_local would have for this cluster: the same
// ports, and the key that the demo checks tokens against, which follows from its seed.
func neonLocal(t *testing.T, demo *server.Server, o server.Options) string {
	t.Helper()
	dir := t.TempDir()
	put := func(text string, path ...string) {
		file := filepath.Join(append([]string{dir}, path...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	auth := "Trust"
	if o.Auth {
		auth = "NeonJWT"
	}
	put(fmt.Sprintf("private_key_path = 'auth_private_key.pem'\ncontrol_plane_api = '%s/upcall/v1/'\n", demo.ControllerURL()), "config")
	put(fmt.Sprintf("http_auth_type = '%s'\n", auth), "pageserver_1", "pageserver.toml")
	seed := sha256.Sum256(fmt.Appendf(nil, "storcon-tui demo %d", o.Seed))
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
	require.NoError(t, err)
	put(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "auth_private_key.pem")
	for _, one := range demo.Computes() {
		u, err := url.Parse(one.URL)
		require.NoError(t, err)
		put(fmt.Sprintf(`{"endpoint_id": %q, "external_http_port": %s}`, one.Name, u.Port()), "endpoints", one.Name, "endpoint.json")
		if spec, ok := demo.ComputeSpec(one.Name); ok {
			put(`{"spec": `+string(spec)+`, "compute_ctl_config": {"jwks": {"keys": []}}}`, "endpoints", one.Name, "config.json")
		}
	}
	return dir
}

// A directory of neon_local is all that is needed: its controller, a token signed with
// its key, its computes with the places of their specs.
func TestNeonLocal(t *testing.T) {
	t.Parallel()
	for _, o := range []server.Options{
		{Nodes: 4, Tenants: 20, Computes: 3, Seed: 7, Auth: true, ComputeAuth: true},
		{Nodes: 4, Tenants: 20, Computes: 3, Seed: 7},
	} {
		demo := startDemo(t, o)
		dir := neonLocal(t, demo, o)

		got := execute(t, "--neon-local", dir, "status", "-o", "json")
		require.Equal(t, 0, got.code, got.errors)
		var status statusReport
		require.NoError(t, json.Unmarshal([]byte(got.out), &status))
		require.Len(t, status.Nodes, 4)
		require.Len(t, status.Computes, 3)
		require.Empty(t, status.Problems)
		require.Empty(t, status.Off, "the token is an admin's")

		got = execute(t, "computes", "-o", "json", "--neon-local", dir)
		require.Equal(t, 0, got.code, got.errors)
		var states []computeState
		require.NoError(t, json.Unmarshal([]byte(got.out), &states))
		require.Len(t, states, 3)
		for _, s := range states {
			require.NotNil(t, s.Status, "%s: %v", s.Name, s.Problem)
			require.Equal(t, "file "+filepath.Join(dir, "endpoints", s.Name, "config.json"), *s.Spec)
		}
		got = execute(t, "plan", "1", "--neon-local", dir)
		require.Equal(t, 0, got.code, got.errors)
		require.Contains(t, got.out, "PUT /control/v1/node/1/drain")
	}
}

// The console opens on such a directory, too.
func TestNeonLocalConsole(t *testing.T) {
	t.Parallel()
	o := server.Options{Nodes: 2, Tenants: 4, Computes: 2, Seed: 7, Auth: true}
	demo := startDemo(t, o)
	s := open(t, "storcon-tui", "--neon-local", neonLocal(t, demo, o))
	s.see(`1\s+127\.0\.0\.1\S*\s+az-a\s+Active\s+Active`)
	s.press("c")
	s.see(demo.Computes()[0].Name)
	s.press("q")
	s.press("q")
	require.Equal(t, 0, s.leaves())
}

// A compute of the directory takes a change of its last spec with a token of its own.
func TestNeonLocalReconfigure(t *testing.T) {
	t.Parallel()
	o := server.Options{Nodes: 4, Tenants: 20, Computes: 3, Seed: 7, Speed: 20, Auth: true, ComputeAuth: true}
	demo := startDemo(t, o)
	dir, name := neonLocal(t, demo, o), demo.Computes()[0].Name
	known := filepath.Join(dir, "endpoints", name, "config.json")
	before, err := os.ReadFile(known)
	require.NoError(t, err)
	got := executeWith(t, nil, &yes{}, "--neon-local", dir, "reconfigure", name, "--patch", patchOf(t, demo, name), "--plain")
	require.Equal(t, 0, got.code, "%s\n%s", got.out, got.errors)
	inUse, _, err := demo.ComputeSettings(name)
	require.NoError(t, err)
	require.Equal(t, "77MB", inUse["work_mem"])
	after, err := os.ReadFile(known)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "nothing is written there")
}

// patchOf is a file with a merge patch that adds a setting to a compute's spec.
func patchOf(t *testing.T, demo *server.Server, name string) string {
	t.Helper()
	raw, ok := demo.ComputeSpec(name)
	require.True(t, ok)
	var spec struct {
		Cluster struct {
			Settings []map[string]any `json:"settings"`
		} `json:"cluster"`
	}
	require.NoError(t, json.Unmarshal(raw, &spec))
	spec.Cluster.Settings = append(spec.Cluster.Settings, map[string]any{"name": "work_mem", "value": "77MB", "vartype": "string"})
	text, err := json.Marshal(spec)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "patch.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// No token that was signed, nor the key or a spec's secrets, is on the disk or in what
// is printed, whatever was done with them.
func TestNeonLocalKeepsItsSecrets(t *testing.T) {
	t.Parallel()
	o := server.Options{Nodes: 4, Tenants: 20, Computes: 3, Seed: 7, Speed: 20, Auth: true, ComputeAuth: true}
	demo := startDemo(t, o)
	dir, state, name := neonLocal(t, demo, o), t.TempDir(), demo.Computes()[0].Name
	var texts []string
	for _, verb := range [][]string{{"drain", "1"}, {"reconfigure", name, "--patch", patchOf(t, demo, name)}} {
		got := executeWith(t, nil, &yes{}, append(verb, "--neon-local", dir, "--state-dir", state, "--plain")...)
		require.Contains(t, []int{0, 10}, got.code, "%s\n%s", got.out, got.errors)
		texts = append(texts, got.out, got.errors)
	}
	require.NoError(t, filepath.WalkDir(state, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	}))
	require.Greater(t, len(texts), 8, "plans, journals, log")
	raw, _ := demo.ComputeSpec(name)
	require.Regexp(t, `eyJ|SCRAM-SHA-256`, string(raw), "a spec has secrets")
	for _, text := range texts {
		require.NotRegexp(t, `eyJ|SCRAM-SHA-256|PRIVATE KEY`, text)
	}
}

func TestNeonLocalRefuses(t *testing.T) {
	t.Parallel()
	demo := startDemo(t, server.Options{Nodes: 2, Tenants: 4, Seed: 7, Auth: true})
	other := neonLocal(t, demo, server.Options{Seed: 8, Auth: true})
	execute(t, "status", "--neon-local", other).refusesWith(t, 8, "key "+other+"/auth_private_key.pem")
	require.NoError(t, os.WriteFile(filepath.Join(other, "auth_private_key.pem"), []byte("no key"), 0o600))
	execute(t, "status", "--neon-local", other).refusesWith(t, 8, "key "+other+"/auth_private_key.pem", "expected an Ed25519 private key")
	empty := t.TempDir()
	execute(t, "status", "--neon-local", empty).refusesWith(t, 2, "--neon-local: "+empty+" is no directory of neon_local")
	execute(t, "demo", "serve", "--neon-local", empty).refusesWith(t, 2, "--neon-local has no meaning here")
}
