package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/hook"
)

// localRepo is a directory as neon_local makes it, whose controller asks for tokens.
func localRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../neonlocal/testdata/repo")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "auth_private_key.pem"), nil, 0o600))
	return dir
}

func TestNeonLocal(t *testing.T) {
	emptyConfigHome(t)
	dir := localRepo(t)
	key := filepath.Join(dir, "auth_private_key.pem")
	admin := Token{Signed: Signed{KeyFile: key, Claims: map[string]any{"scope": "admin"}}}

	settings, err := Resolve(Flags{NeonLocal: dir})
	require.NoError(t, err)
	c := settings.Cluster
	require.Equal(t, "127.0.0.1:1234", c.Name, "one controller has one lock, however it was named")
	require.Equal(t, "http://127.0.0.1:1234", c.URL)
	require.Equal(t, admin, c.Token)
	require.True(t, c.Restart.Manual)
	require.Empty(t, c.Computes)
	require.True(t, c.ListsComputes())
	computes, err := c.ListComputes(t.Context())
	require.NoError(t, err)
	require.Len(t, computes, 4)
	require.Equal(t, Compute{
		Name: "main", URL: "http://127.0.0.1:55433",
		Token: Token{Signed: Signed{KeyFile: key, Claims: map[string]any{"compute_id": "main", "scope": nil, "aud": nil}}},
		Spec:  Source{File: filepath.Join(dir, "endpoints", "main", "config.json")},

		Connection: Source{Text: "host=127.0.0.1 port=55432 user=cloud_admin dbname=postgres"},
	}, computes[1])
	line, err := computes[1].Connection.ReadLine(t.Context())
	require.NoError(t, err)
	require.Equal(t, computes[1].Connection.Text, line)

	// The directory's controller at another port, with a token of somebody's own.
	token := filepath.Join(t.TempDir(), "jwt")
	require.NoError(t, os.WriteFile(token, nil, 0o600))
	settings, err = Resolve(Flags{NeonLocal: dir, URL: "http://127.0.0.1:1235", TokenFile: token})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:1235", settings.Cluster.Name)
	require.Equal(t, Token{File: token}, settings.Cluster.Token)
}

// With --cluster, restarts and limits are the file's and the rest the directory's: the
// file's token is for another controller.
func TestNeonLocalOfACluster(t *testing.T) {
	dir := localRepo(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pageserver_1", "pageserver.toml"), []byte("http_auth_type = 'Trust'"), 0o600))
	path := write(t, `
[clusters.lab]
url = "https://elsewhere:1"
token_file = "no-such"
ca_file = "no-such"
computes_command = ["no-such"]
restart = { command = ["restart", "{{.ID}}"] }
[clusters.lab.pageserver]
ca_file = "no-such"
`)
	settings, err := Resolve(Flags{Config: path, Cluster: "lab", NeonLocal: dir})
	require.NoError(t, err)
	c := settings.Cluster
	require.Equal(t, "lab", c.Name)
	require.Equal(t, "http://127.0.0.1:1234", c.URL)
	require.True(t, c.Token.None(), "its controller asks for none")
	require.Empty(t, c.CAFile+c.PageserverCA)
	require.Equal(t, hook.Spec{Argv: []string{"restart", "{{.ID}}"}}, c.Restart)
	computes, err := c.ListComputes(t.Context())
	require.NoError(t, err)
	require.False(t, computes[0].Token.None(), "computes ask for tokens all the same")
}

func TestNeonLocalRefuses(t *testing.T) {
	home := emptyConfigHome(t)
	noKey, noURL, noCA := localRepo(t), localRepo(t), localRepo(t)
	require.NoError(t, os.Remove(filepath.Join(noKey, "auth_private_key.pem")))
	require.NoError(t, os.WriteFile(filepath.Join(noURL, "config"), []byte("private_key_path = 'auth_private_key.pem'"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(noCA, "config"), []byte("control_plane_api = 'https://127.0.0.1:1'\nprivate_key_path = 'auth_private_key.pem'\ngenerate_local_ssl_certs = true"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(noCA, "rootCA.crt"), nil, 0o600))
	for dir, want := range map[string]string{
		home:  "--neon-local: " + home + " is no directory of neon_local, it has no file config; pass the directory that NEON_REPO_DIR names (.neon by default), or make one by: neon_local init",
		noKey: "--neon-local: no such file: " + noKey + "/auth_private_key.pem: it signs the tokens that the controller asks for; restore it, or pass --token-file",
		noURL: "--neon-local: " + noURL + "/config: expected key control_plane_api, the controller's address; add it, or pass --url",
		noCA:  "--neon-local: expected certificates in PEM form, found none in " + noCA + "/rootCA.crt",
	} {
		_, err := Resolve(Flags{NeonLocal: dir})
		require.EqualError(t, err, want)
	}
}
