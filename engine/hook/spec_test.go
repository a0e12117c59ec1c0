package hook

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	cases := map[string]struct {
		spec Spec
		want string // part of the error; "" = valid
	}{
		"argv":                    {Spec{Argv: []string{"ssh", "{{.Host}}", "restart {{.ID}} {{.AZ}} {{.Attempt}}"}}, ""},
		"shell":                   {Spec{Shell: "ssh {{.Host}} restart"}, ""},
		"manual":                  {Spec{Manual: true}, ""},
		"condition":               {Spec{Shell: `{{if eq .AZ "a"}}x{{else}}y {{$.ID}}{{end}}`}, ""},
		"nothing":                 {Spec{}, "one of command, shell and manual"},
		"empty argv":              {Spec{Argv: []string{}}, "command is empty"},
		"empty program":           {Spec{Argv: []string{" ", "x"}}, "command is empty"},
		"program renders to none": {Spec{Argv: []string{`{{if eq .AZ "b"}}x{{end}}`}}, "command is empty"},
		"blank shell":             {Spec{Shell: " \n"}, "shell is empty"},
		"two":                     {Spec{Argv: []string{"x"}, Shell: "y"}, "only one"},
		"shell and manual":        {Spec{Shell: "y", Manual: true}, "only one"},
		"unknown field":           {Spec{Argv: []string{"ssh", "{{.Hots}}"}}, "command[1]: unknown field .Hots; known are .ID .Host .AZ .Attempt"},
		"unknown field in shell":  {Spec{Shell: "{{if .Node}}x{{end}}"}, "shell: unknown field .Node"},
		"unknown field through $": {Spec{Shell: "{{$.Node}}"}, "shell: unknown field .Node"},
		"unknown in untaken path": {Spec{Shell: `{{if eq .AZ "x"}}{{.Zone}}{{end}}`}, "unknown field .Zone"},
		"unknown in argument":     {Spec{Shell: `{{printf "%s" .Zone}}`}, "unknown field .Zone"},
		"unclosed":                {Spec{Argv: []string{"{{.ID"}}, "command[0]"},
		"comparison of kinds":     {Spec{Shell: `{{if eq .ID "x"}}y{{end}}`}, "shell"},
		"NUL":                     {Spec{Argv: []string{"x", "a\x00b"}}, "NUL"},
		"negative timeout":        {Spec{Manual: true, Timeout: -1}, "timeout"},
		"negative grace":          {Spec{Manual: true, KillGrace: -time.Second}, "grace"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := c.spec.Validate()
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestRenderAndDisplay(t *testing.T) {
	e := Env{ID: 3, Host: "ps-3.internal", AZ: "eu-1a", Attempt: 2}
	cases := map[string]struct {
		spec    Spec
		argv    []string
		display string
	}{
		"argv": {
			Spec{Argv: []string{"ssh", "{{.Host}}", "sudo systemctl restart pageserver"}},
			[]string{"ssh", "ps-3.internal", "sudo systemctl restart pageserver"},
			"ssh ps-3.internal 'sudo systemctl restart pageserver'",
		},
		"shell": {
			Spec{Shell: "ssh {{.Host}} 'restart {{.ID}}' # {{.Attempt}}"},
			[]string{"sh", "-c", "ssh ps-3.internal 'restart 3' # 2"},
			`sh -c 'ssh ps-3.internal '\''restart 3'\'' # 2'`,
		},
		"nothing is split or expanded": {
			Spec{Argv: []string{"echo", "$HOME *", ""}}, []string{"echo", "$HOME *", ""}, "echo '$HOME *' ''",
		},
		"control characters are shown": {
			Spec{Argv: []string{"echo", "a\x1b[2Jb"}}, []string{"echo", "a\x1b[2Jb"}, `echo 'a\x1b[2Jb'`,
		},
		"manual": {Spec{Manual: true}, nil, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			argv, err := c.spec.Render(e)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.argv, argv); diff != "" {
				t.Error(diff)
			}
			if display, err := c.spec.Display(e); err != nil || display != c.display {
				t.Errorf("display is %q (%v), want %q", display, err, c.display)
			}
		})
	}
}

// The cluster says what a host is called. It must not say what is run.
func TestHostileValuesAreRefused(t *testing.T) {
	argv := Spec{Argv: []string{"ssh", "{{.Host}}"}}
	shell := Spec{Shell: "ssh {{with .Host}}{{.}}{{end}} {{.AZ}}"}
	whole := Spec{Shell: "echo {{.}}"}
	for _, bad := range []string{
		"", "-oProxyCommand=x", "a b", "a;b", "a\nb", "$(x)", "`x`", "a'b", `a"b`, "a|b", "a&b", "a>b", "a*", "~x", "#x", "a\x00", "é",
	} {
		for _, s := range []Spec{argv, shell, whole} {
			if got, err := s.Render(Env{ID: 3, Host: bad, AZ: "az"}); err == nil {
				t.Errorf("host %q was taken: %q", bad, got)
			} else if !strings.Contains(err.Error(), "node 3") {
				t.Errorf("host %q: %v does not name the node", bad, err)
			}
		}
		if _, err := shell.Render(Env{ID: 3, Host: "h", AZ: bad}); err == nil {
			t.Errorf("zone %q was taken", bad)
		}
		if _, err := argv.Render(Env{ID: 3, Host: "h", AZ: bad}); err != nil {
			t.Errorf("zone %q matters although it is not used: %v", bad, err)
		}
	}
	for _, good := range []string{"ps-3.internal", "10.1.2.3", "fe80::1%eth0", "[::1]", "host_1"} {
		if _, err := argv.Render(Env{ID: 3, Host: good}); err != nil {
			t.Errorf("host %q: %v", good, err)
		}
	}
}

// A shell takes what is displayed for exactly the arguments that are run.
func TestQuoteIsOneWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("'\"\\$`! *?~#&|;<>()\n\t{}é")), rapid.Rune())).Draw(t, "s")
		if strings.ContainsRune(s, 0) {
			return
		}
		out, err := exec.Command("sh", "-c", "printf %s "+quote(s)).Output()
		if err != nil || string(out) != s {
			t.Fatalf("%q became %q (%v)", s, out, err)
		}
	})
}
