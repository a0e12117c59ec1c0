package config

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/adrg/xdg"
	"github.com/stretchr/testify/require"
)

const two = `
default_cluster = "one"
theme = "dark"
state_dir = "/var/lib/from-file"
[clusters.one]
url = "http://one:1"
token_file = "one.jwt"
[clusters.two]
url = "http://two:2"
`

// twoClusters is a file with two clusters, and the token file of the first.
func twoClusters(t *testing.T) string {
	t.Helper()
	path := write(t, two)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "one.jwt"), []byte("x"), 0o600))
	return path
}

func TestPrecedence(t *testing.T) {
	path := twoClusters(t)
	dir := filepath.Dir(path)
	fromFile := Token{File: filepath.Join(dir, "one.jwt")}
	flagFile := write(t, "another token")
	for name, test := range map[string]struct {
		flags Flags
		check func(*require.Assertions, Settings)
	}{
		"the file alone": {Flags{}, func(r *require.Assertions, s Settings) {
			r.Equal("one", s.Cluster.Name)
			r.Equal("http://one:1", s.Cluster.URL)
			r.Equal(fromFile, s.Cluster.Token)
			r.Equal("dark", s.Theme)
			r.Equal("/var/lib/from-file", s.StateDir)
			r.Equal(path, s.File)
			r.False(s.ReadOnly)
		}},
		"--cluster wins over default_cluster": {Flags{Cluster: "two"}, func(r *require.Assertions, s Settings) {
			r.Equal("http://two:2", s.Cluster.URL)
			r.True(s.Cluster.Token.None())
		}},
		"flags win over the file": {
			Flags{Cluster: "one", URL: "http://forwarded:9", TokenFile: flagFile, ReadOnly: true, Theme: "light", StateDir: "/tmp/state"},
			func(r *require.Assertions, s Settings) {
				r.Equal("one", s.Cluster.Name)
				r.Equal("http://forwarded:9", s.Cluster.URL)
				r.Equal(Token{File: flagFile}, s.Cluster.Token)
				r.Equal("light", s.Theme)
				r.Equal("/tmp/state", s.StateDir)
				r.True(s.ReadOnly)
			},
		},
		"--url alone takes no token from the file": {Flags{URL: "http://other:3"}, func(r *require.Assertions, s Settings) {
			r.Equal("other:3", s.Cluster.Name)
			r.True(s.Cluster.Restart.Manual, "nodes are restarted by hand")
			r.True(s.Cluster.Token.None())
			r.Equal("dark", s.Theme)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			test.flags.Config = path
			settings, err := Resolve(test.flags)
			require.NoError(t, err)
			test.check(require.New(t), settings)
		})
	}
}

func TestURLWorksWithoutAnyFile(t *testing.T) {
	emptyConfigHome(t)
	settings, err := Resolve(Flags{URL: "http://127.0.0.1:1234"})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:1234", settings.Cluster.Name)
	require.Equal(t, xdg.StateHome, settings.StateDir)
	require.Empty(t, settings.File)
}

func TestDefaultFileIsRead(t *testing.T) {
	home := emptyConfigHome(t)
	path := filepath.Join(home, "storcon-tui", "config.toml")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("[clusters.only]\nurl = 'http://only:1'"), 0o600))
	settings, err := Resolve(Flags{})
	require.NoError(t, err)
	require.Equal(t, "only", settings.Cluster.Name)
	require.Equal(t, path, settings.File)
}

func TestResolveRefuses(t *testing.T) {
	home := emptyConfigHome(t)
	path := twoClusters(t)
	dir := filepath.Dir(path)
	noDefault := write(t, "[clusters.a]\nurl='http://a:1'\n[clusters.b]\nurl='http://b:1'")
	missing := write(t, "[clusters.a]\nurl='http://a:1'\nca_file='ca.pem'\ntoken_file='~/no-such-token'\n[[clusters.a.computes]]\nname='c'\nurl='http://c:1'\ntoken_file='c.jwt'\nspec_file='c.json'\nconnection_file='c.conn'\n[clusters.b]\nurl='http://b:1'\ntoken_file='also-missing'")
	missingDir := filepath.Dir(missing)
	for name, test := range map[string]struct {
		flags Flags
		want  string
	}{
		"nothing at all": {
			Flags{},
			"no cluster to talk to: " + home + "/storcon-tui/config.toml has none; write one there, pass --url, or look around with: storcon-tui demo",
		},
		"file that is not there": {
			Flags{Config: dir + "/no.toml"},
			dir + "/no.toml: no such file; expected a configuration in TOML: file does not exist",
		},
		"cluster that is not there": {
			Flags{Config: path, Cluster: "tow"},
			`--cluster: no cluster "tow"; expected one of one, two; did you mean "two"?`,
		},
		"no default": {
			Flags{Config: noDefault},
			noDefault + ": several clusters and no default_cluster; pass --cluster with one of a, b",
		},
		"bad --url": {
			Flags{URL: "storcon"},
			`--url: expected http(s)://host:port, got "storcon"`,
		},
		"token file of a flag": {
			Flags{URL: "http://a:1", TokenFile: dir + "/no.jwt"},
			"--token-file: no such file: " + dir + "/no.jwt",
		},
		"CA file without certificates": {
			Flags{URL: "https://a:1", CAFile: path},
			"--ca-file: expected certificates in PEM form, found none in " + path,
		},
		"files of the chosen cluster only": {
			Flags{Config: missing, Cluster: "a"},
			missing + ":3: key clusters.a.ca_file: no such file: " + missingDir + "/ca.pem\n" +
				missing + ":4: key clusters.a.token_file: no such file: " + xdg.Home + "/no-such-token\n" +
				missing + ":8: key clusters.a.computes[0].token_file: no such file: " + missingDir + "/c.jwt\n" +
				missing + ":9: key clusters.a.computes[0].spec_file: no such file: " + missingDir + "/c.json\n" +
				missing + ":10: key clusters.a.computes[0].connection_file: no such file: " + missingDir + "/c.conn",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Resolve(test.flags)
			require.EqualError(t, err, test.want)
		})
	}
}

func TestTLSTrustsTheFileOnly(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	path := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(path, block, 0o600))

	trusting, err := TLS(path)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trusting}}
	answer, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	client.CloseIdleConnections()

	system, err := TLS("")
	require.NoError(t, err)
	require.Nil(t, system)
}

// emptyConfigHome makes the default configuration one that does not exist.
func emptyConfigHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Cleanup(xdg.Reload) // after the environment is as it was
	t.Setenv("XDG_CONFIG_HOME", home)
	xdg.Reload()
	return home
}
