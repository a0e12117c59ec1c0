package neonlocal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repo is a copy of testdata/repo, changed.
func repo(t *testing.T, change func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/repo")))
	change(dir)
	return dir
}

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func TestDirectory(t *testing.T) {
	path, err := filepath.Abs("testdata/repo")
	require.NoError(t, err)
	dir, err := Open("testdata/repo")
	require.NoError(t, err)
	require.Equal(t, &Directory{
		Path: path, ControllerURL: "http://127.0.0.1:1234", Key: filepath.Join(path, "auth_private_key.pem"), Auth: true,
	}, dir)
	endpoints, err := dir.Endpoints()
	require.NoError(t, err)
	const connection = "host=127.0.0.1 port=55432 user=cloud_admin dbname=postgres"
	at := func(name, file string) string { return filepath.Join(path, "endpoints", name, file) }
	require.Equal(t, []Endpoint{
		{ID: "both", URL: "http://127.0.0.1:55443", Spec: at("both", "config.json"), Connection: connection},
		{ID: "main", URL: "http://127.0.0.1:55433", Spec: at("main", "config.json"), Connection: connection},
		{ID: "never-started", URL: "http://127.0.0.1:55463", Spec: at("never-started", "config.json"), Connection: connection},
		{ID: "old", URL: "http://127.0.0.1:55453", Spec: at("old", "spec.json"), Connection: connection},
	}, endpoints)
}

// What differs from version to version, and what init has not made yet.
func TestOtherDirectories(t *testing.T) {
	for name, test := range map[string]struct {
		change func(dir string)
		want   func(d *Directory)
	}{
		"first pageserver trusts": {
			func(dir string) { write(t, "http_auth_type = 'Trust'", dir, "pageserver_1", "pageserver.toml") },
			func(d *Directory) { d.Auth = false },
		},
		"first by number, not by letter": {
			func(dir string) { write(t, "http_auth_type = 'Trust'", dir, "pageserver_9", "pageserver.toml") },
			func(*Directory) {},
		},
		"pageserver that says nothing": {
			func(dir string) { write(t, "", dir, "pageserver_1", "pageserver.toml") },
			func(d *Directory) { d.Auth = false },
		},
		"pageservers in the configuration, as older versions have it": {
			func(dir string) {
				require.NoError(t, os.RemoveAll(filepath.Join(dir, "pageserver_1")))
				require.NoError(t, os.RemoveAll(filepath.Join(dir, "pageserver_10")))
				write(t, "control_plane_api = 'http://127.0.0.1:1234'\nprivate_key_path = '/keys/k.pem'\n[[pageservers]]\nid = 1\nhttp_auth_type = 'NeonJWT'", dir, "config")
			},
			func(d *Directory) { d.Key = "/keys/k.pem" },
		},
		"certificates of its own": {
			func(dir string) {
				write(t, "control_plane_api = 'https://127.0.0.1:1234/upcall/v1/'\nprivate_key_path = 'k.pem'\ngenerate_local_ssl_certs = true", dir, "config")
				write(t, "", dir, "rootCA.crt")
			},
			func(d *Directory) {
				d.ControllerURL, d.Key, d.CAFile = "https://127.0.0.1:1234", filepath.Join(d.Path, "k.pem"), filepath.Join(d.Path, "rootCA.crt")
			},
		},
		"no controller's address": {
			func(dir string) { write(t, "private_key_path = 'auth_private_key.pem'", dir, "config") },
			func(d *Directory) { d.ControllerURL = "" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := repo(t, test.change)
			want := &Directory{Path: path, ControllerURL: "http://127.0.0.1:1234", Key: filepath.Join(path, "auth_private_key.pem"), Auth: true}
			test.want(want)
			got, err := Open(path)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestDirectoriesThatAreWrong(t *testing.T) {
	for name, test := range map[string]struct {
		change func(dir string)
		want   string // after the directory's path
	}{
		"no directory of neon_local": {
			func(dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "config"))) },
			" is no directory of neon_local, it has no file config; pass the directory that NEON_REPO_DIR names (.neon by default), or make one by: neon_local init",
		},
		"the one above it": {
			func(dir string) {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, ".neon"), 0o700))
				require.NoError(t, os.Rename(filepath.Join(dir, "config"), filepath.Join(dir, ".neon", "config")))
			},
			" is no directory of neon_local, it has no file config; pass DIR/.neon",
		},
		"a configuration that is no TOML": {
			func(dir string) { write(t, "a = 1\nprivate_key_path = marked-secret", dir, "config") },
			"/config:2: not TOML as neon_local writes it; correct the line",
		},
		"a key of another kind": {
			func(dir string) { write(t, "private_key_path = 7", dir, "config") },
			"/config: not as neon_local writes it: a key has a value of another kind; correct it",
		},
		"a controller that is no address": {
			func(dir string) { write(t, "control_plane_api = 'postgres://u:marked-secret@h:1/'", dir, "config") },
			"/config: key control_plane_api: expected http(s)://host:port/upcall/v1/, got something else; correct it, or pass --url",
		},
		"a pageserver's configuration that is no TOML": {
			func(dir string) {
				write(t, "id = 1\ncontrol_plane_api_token = marked-secret", dir, "pageserver_1", "pageserver.toml")
			},
			"/pageserver_1/pageserver.toml:2: not TOML as neon_local writes it; correct the line",
		},
		"tokens without a key": {
			func(dir string) { write(t, "control_plane_api = 'http://127.0.0.1:1234'", dir, "config") },
			"/config: the first pageserver asks for tokens, but no private_key_path says what to sign them with; name the key there, or pass --token-file",
		},
		"certificates that are gone": {
			func(dir string) {
				write(t, "private_key_path = 'k.pem'\ngenerate_local_ssl_certs = true", dir, "config")
			},
			"/rootCA.crt: no such file or directory; generate_local_ssl_certs is on in DIR/config: restore the file, or switch that off",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := repo(t, test.change)
			_, err := Open(path)
			require.Error(t, err)
			said := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "stat "), path, "DIR")
			require.Equal(t, "DIR"+test.want, said)
		})
	}
}

// One endpoint that cannot be read does not take the others away.
func TestEndpointsThatAreWrong(t *testing.T) {
	path := repo(t, func(dir string) {
		write(t, `{"external_http_port": "marked-secret"}`, dir, "endpoints", "a", "endpoint.json")
		write(t, `{"pg_port": 1}`, dir, "endpoints", "b", "endpoint.json")
		write(t, `{"external_http_port": 1}`, dir, "endpoints", "c\x1b", "endpoint.json")
	})
	dir, err := Open(path)
	require.NoError(t, err)
	endpoints, err := dir.Endpoints()
	require.Len(t, endpoints, 4)
	require.Equal(t, `endpoints/a/endpoint.json: not as neon_local writes it: expected an object with external_http_port; make the endpoint anew, or remove its directory
endpoints/b/endpoint.json: neither external_http_port nor http_port is there, so nobody knows where its compute_ctl listens
endpoints/"c\x1b": the name has characters that cannot be shown; make the endpoint anew by another`, err.Error())

	require.NoError(t, os.RemoveAll(filepath.Join(path, "endpoints")))
	endpoints, err = dir.Endpoints()
	require.NoError(t, err)
	require.Empty(t, endpoints)
	require.NotNil(t, endpoints)

	write(t, "", path, "endpoints")
	endpoints, err = dir.Endpoints()
	require.ErrorContains(t, err, "look for endpoints")
	require.Nil(t, endpoints)
}
