package config

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func listing(t *testing.T, command ...string) (Cluster, string) {
	t.Helper()
	path := write(t, "[clusters.x]\nurl = 'http://a:1'\ncomputes_command = ['true']")
	file, err := Load(path)
	require.NoError(t, err)
	c := file.Clusters[0]
	c.ComputesCommand = command
	return c, filepath.Dir(path)
}

func TestComputesOfACommand(t *testing.T) {
	c, dir := listing(t, "/bin/echo", `[
		{"name": "ep-1", "url": "http://10.1.2.3:3080/", "token_file": "ep-1.jwt", "spec_file": "/specs/ep-1.json"},
		{"name": "ep-2", "url": "http://10.1.2.4:3080", "token_env": "EP_2"}]`)
	got, err := c.ListComputes(t.Context())
	require.NoError(t, err)
	require.Equal(t, []Compute{
		{
			Name: "ep-1", URL: "http://10.1.2.3:3080", Token: Token{File: filepath.Join(dir, "ep-1.jwt")},
			Spec: Source{File: "/specs/ep-1.json"},
		},
		{Name: "ep-2", URL: "http://10.1.2.4:3080", Token: Token{Env: "EP_2"}},
	}, got)

	c.ComputesCommand = []string{"/bin/echo", "[]"}
	got, err = c.ListComputes(t.Context())
	require.NoError(t, err)
	require.Empty(t, got)
	require.NotNil(t, got, "none is a list, too")
}

func TestComputesOfACommandThatAreWrong(t *testing.T) {
	const output = "output of computes_command echo: "
	const expected = output + `expected a JSON array of objects such as {"name": "ep", "url": "http://host:3080"}, got `
	for name, test := range map[string]struct{ said, want string }{
		"nothing":   {"", expected + "text that is no JSON from byte 1 on"},
		"no JSON":   {"ep-1 http://a:1", expected + "text that is no JSON from byte 1 on"},
		"cut":       {`[{"name": "a"`, expected + "text that is no JSON from byte 14 on"},
		"an object": {`{"name": "a"}`, expected + "something else"},
		"null":      {"null", expected + "something else"},
		"faults": {
			`[{"name": "a", "url": "http://a:1"}, {"name": "a", "url": "postgres://u:s3cret@a:1"}, {"url": 1, "tokenfile": "x"}, {"name": "b\u001b", "url": "http://a:1", "token_command": ["x"]}]`,
			output + `key [1].name: expected a name of its own, "a" is another compute's` + "\n" +
				output + "key [1].url: expected http(s)://host:port without a user or password; use token_file, token_env or token_command\n" +
				output + `key [2]: expected key "name"` + "\n" +
				output + `key [2].tokenfile: unknown key; did you mean "token_file"?` + "\n" +
				output + "key [2].url: expected a string, got a number\n" +
				output + `key [3].name: expected a name of printable characters, got "b\x1b"` + "\n" +
				output + `key [3].token_command: unknown key; expected one of name, url, token_file, token_env, spec_file`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := listing(t, "/bin/echo", test.said)
			got, err := c.ListComputes(t.Context())
			require.EqualError(t, err, test.want)
			require.Nil(t, got)
		})
	}
	c, _ := listing(t, "/bin/sh", "-c", `echo '[]'; printf 'no \033[1mvault' >&2; exit 4`)
	_, err := c.ListComputes(t.Context())
	require.EqualError(t, err, `computes_command sh: exit status 4: no \x1b[1mvault`)
}
