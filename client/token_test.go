package client

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// tokenOf makes a JWT; its signature does not matter to a client.
func tokenOf(t *testing.T, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestClaims(t *testing.T) {
	exp := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	got, err := Claims(tokenOf(t, jwt.MapClaims{"scope": "infra", "sub": "op\x1b", "exp": exp.Unix()}))
	if err != nil || got.Scope != ScopeInfra || got.Subject != `op\x1b` || !got.Expires.Equal(exp) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = Claims(tokenOf(t, jwt.MapClaims{"scope": "admin"}))
	if err != nil || got != (TokenClaims{Scope: ScopeAdmin}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, token := range []string{"", "opaque-secret", "a.b.c", "secret.secret.secret"} {
		if _, err := Claims(token); err == nil || token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", token, err)
		}
	}
}

func TestTokenSources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("STORCON_TEST_TOKEN", "  from-env\n")
	for name, row := range map[string]struct {
		source    TokenSource
		want      string
		complaint string
		describe  string
	}{
		"file":             {FileToken(write("a", " from-file \n")), "from-file", "", "file " + dir},
		"missing file":     {FileToken(dir + "/none"), "", "no such file", "file " + dir},
		"empty file":       {FileToken(write("b", " \n")), "", "empty", "file"},
		"two lines":        {FileToken(write("c", "secret\nsecret")), "", "more than one line", "file"},
		"odd character":    {FileToken(write("d", "sec\x00ret")), "", "no token has (at byte 3)", "file"},
		"huge file":        {FileToken(write("e", strings.Repeat("secret", 20000))), "", "longer than 64 KiB", "file"},
		"environment":      {EnvToken("STORCON_TEST_TOKEN"), "from-env", "", "environment variable STORCON_TEST_TOKEN"},
		"unset":            {EnvToken("STORCON_TEST_NONE"), "", "not set", "STORCON_TEST_NONE"},
		"command":          {CommandToken([]string{"/bin/echo", "from-command"}), "from-command", "", "command echo"},
		"failing command":  {CommandToken([]string{"/bin/sh", "-c", "echo secret; echo 'vault is \033[1msealed' >&2; exit 3"}), "", `exit status 3: vault is \x1b[1msealed`, "command sh"},
		"silent command":   {CommandToken([]string{"/bin/true"}), "", "empty", "command true"},
		"no command":       {CommandToken(nil), "", "no command", "command"},
		"unknown command":  {CommandToken([]string{"/nonexistent/vault"}), "", "no such file", "command vault"},
		"endless command":  {CommandToken([]string{"/bin/sh", "-c", "yes secret | head -c 100000"}), "", "more than 64 KiB", "command sh"},
		"chatty command":   {CommandToken([]string{"/bin/sh", "-c", "yes secret | head -c 50000"}), "", "more than one line", "command sh"},
		"fixed (in tests)": {StaticToken("fixed"), "fixed", "", "the program itself"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := row.source.Token(t.Context())
			switch {
			case row.complaint == "" && (err != nil || got != row.want):
				t.Errorf("%q, %v", got, err)
			case row.complaint != "" && (err == nil || !strings.Contains(err.Error(), row.complaint) || strings.Contains(err.Error(), "secret")):
				t.Errorf("error %v does not say %q, or shows the token", err, row.complaint)
			}
			if !strings.Contains(row.source.Describe(), row.describe) {
				t.Errorf("described as %q", row.source.Describe())
			}
		})
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := CommandToken([]string{"/bin/sleep", "60"}).Token(ctx)
	if err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Error(err)
	}
}

// A file is read again when it changed, at most once a minute.
func TestFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	put := func(token string) {
		if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("first")
	synctest.Test(t, func(t *testing.T) {
		source := FileToken(path)
		expect := func(when string, changed bool, token string) {
			t.Helper()
			got, err := source.Refresh(t.Context())
			if err != nil || got != changed {
				t.Errorf("%s: changed %t, %v", when, got, err)
			}
			if now, err := source.Token(t.Context()); err != nil || now != token {
				t.Errorf("%s: token %q, %v", when, now, err)
			}
		}
		if _, err := source.Token(t.Context()); err != nil {
			t.Fatal(err)
		}
		expect("unchanged", false, "first")
		put("second-one")
		expect("changed", true, "second-one")
		put("the-third-one")
		expect("changed again within a minute", false, "second-one")
		time.Sleep(time.Minute)
		expect("a minute later", true, "the-third-one")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if _, err := source.Refresh(t.Context()); err == nil {
			t.Error("a removed file is no error")
		}
		if token, err := source.Token(t.Context()); err != nil || token != "the-third-one" {
			t.Errorf("the token in use is lost with its file: %q, %v", token, err)
		}
	})
}

// A command is run again only once its token has expired.
func TestCommandIsRunAgain(t *testing.T) {
	dir := t.TempDir()
	count := filepath.Join(dir, "runs")
	script := `echo run >> ` + count + `; cat ` + filepath.Join(dir, "token")
	put := func(token string) {
		if err := os.WriteFile(filepath.Join(dir, "token"), []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		put(tokenOf(t, jwt.MapClaims{"exp": time.Now().Add(time.Hour).Unix()}))
		source := CommandToken([]string{"/bin/sh", "-c", script})
		if _, err := source.Token(t.Context()); err != nil {
			t.Fatal(err)
		}
		put("renewed")
		if changed, err := source.Refresh(t.Context()); changed || err != nil {
			t.Errorf("before the expiry: %t, %v", changed, err)
		}
		time.Sleep(2 * time.Hour)
		if changed, err := source.Refresh(t.Context()); !changed || err != nil {
			t.Errorf("after the expiry: %t, %v", changed, err)
		}
	})
	runs, err := os.ReadFile(count)
	if err != nil || strings.Count(string(runs), "run") != 2 {
		t.Errorf("runs: %q, %v", runs, err)
	}
}

func TestFailedCommandIsNotRunForEveryPoll(t *testing.T) {
	count := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		source := CommandToken([]string{"/bin/sh", "-c", "echo run >> " + count + "; exit 1"})
		for range 15 {
			if _, err := source.Token(t.Context()); err == nil {
				t.Fatal("no error")
			}
			time.Sleep(time.Second)
		}
	})
	runs, err := os.ReadFile(count)
	if err != nil || strings.Count(string(runs), "run") != 2 {
		t.Errorf("in 15 s: %q, %v", runs, err)
	}
}

// changingToken hands out its next token at every refresh.
type changingToken struct {
	tokens []string
	at     atomic.Int32
}

func (c *changingToken) Token(context.Context) (string, error) { return c.tokens[c.at.Load()], nil }
func (c *changingToken) Describe() string                      { return "a test" }

func (c *changingToken) Refresh(context.Context) (bool, error) {
	if int(c.at.Load()) == len(c.tokens)-1 {
		return false, nil
	}
	c.at.Add(1)
	return true, nil
}

// accepts answers 403 to every token but one.
func accepts(token string, ok http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			answer(403, `{"msg":"Forbidden: JWT authentication error"}`)(w, r)
			return
		}
		ok(w, r)
	}
}

func TestRenewedTokenIsUsed(t *testing.T) {
	var seen calls
	c := serve(t, Config{Token: &changingToken{tokens: []string{"old", "new"}}, OnCall: seen.add}, accepts("new", answer(200, "[]")))
	if _, err := c.Nodes(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(seen.list()); n != 2 {
		t.Errorf("%d attempts", n)
	}
	c = serve(t, Config{Token: &changingToken{tokens: []string{"a", "b", "c"}}}, accepts("none", answer(200, "[]")))
	if _, err := c.Nodes(t.Context()); KindOf(err) != Unauthorized {
		t.Errorf("%v", err)
	}
}

// A refused mutating call is not repeated; the next one has the new token.
func TestMutatingCallWithAnOldToken(t *testing.T) {
	var seen calls
	c := serve(t, Config{Token: &changingToken{tokens: []string{"old", "new"}}, OnCall: seen.add}, accepts("new", answer(202, "null")))
	if err := c.StartDrain(t.Context(), 1); KindOf(err) != Unauthorized {
		t.Errorf("%v", err)
	}
	if err := c.StartDrain(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if n := len(seen.list()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestTokenHints(t *testing.T) {
	past := time.Now().Add(-time.Hour)
	for name, row := range map[string]struct {
		source TokenSource
		status int
		hint   string
	}{
		"none":    {nil, 401, "no token is configured: token_file, token_env or token_command"},
		"expired": {StaticToken(tokenOf(t, jwt.MapClaims{"scope": "admin", "exp": past.Unix()})), 403, "expired at " + past.UTC().Format(time.RFC3339)},
		"infra":   {StaticToken(tokenOf(t, jwt.MapClaims{"scope": "infra"})), 403, "has scope infra"},
		"admin":   {StaticToken(tokenOf(t, jwt.MapClaims{"scope": "admin"})), 403, "does not accept the token"},
		"opaque":  {StaticToken("opaque-secret"), 403, "is not a JWT"},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, Config{Token: row.source}, answer(row.status, `{"msg":"x"}`))
			_, err := c.Nodes(t.Context())
			if KindOf(err) != Unauthorized || !strings.Contains(err.Error(), row.hint) {
				t.Errorf("%v", err)
			}
			if row.source != nil {
				token, _ := row.source.Token(t.Context())
				if strings.Contains(err.Error(), token) {
					t.Error("the error shows the token")
				}
			}
		})
	}
}

func TestUnreadableTokenSendsNothing(t *testing.T) {
	var seen calls
	c := serve(t, Config{Token: FileToken("/nonexistent/x.jwt"), OnCall: seen.add}, answer(200, "[]"))
	_, err := c.Nodes(t.Context())
	if KindOf(err) != Unauthorized || !strings.Contains(err.Error(), "token from file /nonexistent/x.jwt: no such file") {
		t.Errorf("%v: %v", KindOf(err), err)
	}
	if n := len(seen.list()); n != 0 {
		t.Errorf("%d requests", n)
	}
	if err := c.Live(t.Context()); KindOf(err) != BadAnswer {
		t.Errorf("a route that asks for no token: %v", err)
	}
	if _, ok := c.TokenInfo(t.Context()); ok {
		t.Error("claims of a token that cannot be read")
	}
}

func TestTokenInfo(t *testing.T) {
	c := connect(t, Config{Token: StaticToken(tokenOf(t, jwt.MapClaims{"scope": "infra"}))}, "http://127.0.0.1:1")
	if claims, ok := c.TokenInfo(t.Context()); !ok || claims.Scope != ScopeInfra {
		t.Errorf("%+v %t", claims, ok)
	}
	if _, ok := connect(t, Config{}, "http://127.0.0.1:1").TokenInfo(t.Context()); ok {
		t.Error("claims without a token")
	}
}

// A shell that traces its commands prints the token on standard error (T28).
func TestTokenOnACommandsStandardErrorIsNotQuoted(t *testing.T) {
	token := tokenOf(t, jwt.MapClaims{"scope": "admin", "exp": time.Now().Add(time.Hour).Unix()})
	_, err := CommandToken([]string{"/bin/sh", "-c", "set -x; : " + token + "; echo no such key >&2; exit 1"}).Token(t.Context())
	if err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "no such key") {
		t.Error(err)
	}
}

// What a command traces of its secrets is not quoted, and what it says for people is.
func TestSecretsOnACommandsStandardError(t *testing.T) {
	for said, want := range map[string]string{
		"GET postgres://app:s3cret-value@db:5432/x: refused":   "GET postgres://[user]@db:5432/x: refused",
		"host=db password=s3cret-value dbname=x: no such base": "host=db password=[password] dbname=x: no such base",
		"PGPASSWORD: s3cret-value":                             "PGPASSWORD: [password]",
	} {
		_, err := CommandOutput(t.Context(), []string{"/bin/sh", "-c", `echo "$1" >&2; exit 1`, "sh", said}, 10)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

func TestACommandThatSaysMuchIsQuotedInPart(t *testing.T) {
	_, err := CommandOutput(t.Context(), []string{"/bin/sh", "-c", "yes flood | head -c 100000 >&2; exit 1"}, 10)
	require.ErrorContains(t, err, "flood")
	require.Less(t, len(err.Error()), 2<<10)
}
