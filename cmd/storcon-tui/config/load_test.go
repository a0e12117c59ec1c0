package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/notify"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

const whole = `
# comments and blank lines do not count
default_cluster = "prod-eu-1"
theme = "light"
state_dir = "~/state"
metrics_addr = "9464"

[notify]
bell = true
osc9 = true
command = ["page", "oncall"]
events = ["waiting", "halted"]
after = "1m"
[[notify.webhooks]]
url_env = "CHAT"
format = "slack"
[[notify.webhooks]]
url_file = "hook"

[history]
off = true
max_days = 3
max_mb = 10

[clusters.prod-eu-1]
url = "https://storcon.eu-1.internal:1234/"
window = "Mon-Fri 22:00-04:00 Europe/Berlin"
token_command = [
  "vault", "read",   # over several lines
  "-field=token",
]
ca_file = "ca.pem"
computes_command = ["list", "--all"]
[clusters.prod-eu-1.restart]
command = ["ssh", "{{.Host}}", "sudo systemctl restart pageserver"]
timeout = "10m"
revision = "4f2a91c0"
[clusters.prod-eu-1.pageserver]
ca_file = "/etc/ps.pem"
[clusters.prod-eu-1.alerts]
url = "https://prom.internal/mimir/"
query = "ALERTS"
token_env = "PROM"
[clusters.prod-eu-1.pace]
drain = "20m"
ready = "6m"
verify = 3
verify_every = "2s"
bake = "30s"
canary_bake = "5m"
[clusters.prod-eu-1.watch]
mixed_builds = "4h"
offline = "45s"
[[clusters.prod-eu-1.computes]]
name = "ep-1"
url = "http://10.1.2.3:3080"
token_file = "~/ep-1.jwt"
spec_file = "ep-1.json"
[[clusters.prod-eu-1.computes]]
name = "ep-2"
url = "http://10.1.2.4:3080"
spec_command = ["spec-of", "ep-2"]
connection_env = "EP_2_CONNECTION"

[clusters."lab 1"]
url = "http://127.0.0.1:1"
demo = true
token_env = "LAB_TOKEN"
restart = { manual = true }
`

func TestLoadReadsEveryKey(t *testing.T) {
	path := write(t, whole)
	file, err := Load(path)
	require.NoError(t, err)
	dir := filepath.Dir(path)
	window, err := gate.ParseWindow("Mon-Fri 22:00-04:00 Europe/Berlin")
	require.NoError(t, err)
	want := &File{
		Path:           path,
		DefaultCluster: "prod-eu-1",
		Theme:          "light",
		StateDir:       filepath.Join(xdg.Home, "state"),
		Metrics:        "127.0.0.1:9464",
		History:        History{Off: true, MaxDays: 3, MaxMB: 10},
		Notify: Notify{
			Bell: true, OSC9: true, Command: []string{"page", "oncall"},
			Events: []notify.Kind{notify.Waiting, notify.Halted}, After: time.Minute,
			Webhooks: []Webhook{{URL: Token{Env: "CHAT"}, Slack: true}, {URL: Token{File: filepath.Join(dir, "hook")}}},
		},
		Clusters: []Cluster{
			{
				Name: "prod-eu-1", URL: "https://storcon.eu-1.internal:1234",
				Token:  Token{Command: []string{"vault", "read", "-field=token"}},
				CAFile: filepath.Join(dir, "ca.pem"),
				Restart: hook.Spec{
					Argv:    []string{"ssh", "{{.Host}}", "sudo systemctl restart pageserver"},
					Timeout: 10 * time.Minute,
				},
				PageserverCA: "/etc/ps.pem",
				Revision:     "4f2a91c0",
				Window:       &window,
				Alerts:       &Alerts{URL: "https://prom.internal/mimir", Query: "ALERTS", Token: Token{Env: "PROM"}},
				Pace: Pace{
					Drain: 20 * time.Minute, Ready: 6 * time.Minute,
					Verify: 3, VerifyEvery: 2 * time.Second, Bake: 30 * time.Second, CanaryBake: 5 * time.Minute,
				},
				ComputesCommand: []string{"list", "--all"},
				Watch:           release.Settings{MixedBuilds: 4 * time.Hour, Offline: 45 * time.Second},
				Computes: []Compute{
					{
						Name: "ep-1", URL: "http://10.1.2.3:3080", Token: Token{File: filepath.Join(xdg.Home, "ep-1.jwt")},
						Spec: Source{File: filepath.Join(dir, "ep-1.json")},
					},
					{
						Name: "ep-2", URL: "http://10.1.2.4:3080", Spec: Source{Command: []string{"spec-of", "ep-2"}},
						Connection: Source{Env: "EP_2_CONNECTION"},
					},
				},
			},
			{
				Name: "lab 1", URL: "http://127.0.0.1:1", Demo: true,
				Token: Token{Env: "LAB_TOKEN"}, Restart: hook.Spec{Manual: true},
			},
		},
	}
	if diff := cmp.Diff(want, file, cmpopts.IgnoreUnexported(File{}, Cluster{}), cmp.Comparer(func(a, b gate.Window) bool { return a.String() == b.String() })); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestProblemsNameLineKeyAndWhatIsExpected(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string // without the path
	}{
		"unknown key at the top": {
			"default_clutser = 'a'",
			[]string{`:1: key default_clutser: unknown key; did you mean "default_cluster"?`},
		},
		"unknown key far from any": {
			"[clusters.x]\nurl = 'http://a:1'\n\ncolour = 'red'",
			[]string{`:4: key clusters.x.colour: unknown key; expected one of url, token_file, token_env, token_command, ca_file, demo, pageserver, pace, watch, window, alerts, restart, computes, computes_command`},
		},
		"unknown key in a table of a table": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.restart]\ncomand = ['true']\nshell = 'true'",
			[]string{`:4: key clusters.x.restart.comand: unknown key; did you mean "command"?`},
		},
		"unknown key in the second of an array": {
			"[clusters.x]\nurl = 'http://a:1'\n[[clusters.x.computes]]\nname = 'a'\nurl = 'http://b:1'\n[[clusters.x.computes]]\nname = 'b'\nURL = 'http://b:1'",
			[]string{
				`:6: key clusters.x.computes[1]: expected key "url"`,
				`:8: key clusters.x.computes[1].URL: unknown key; did you mean "url"?`,
			},
		},
		"unknown key in an inline table": {
			"[clusters.x]\nurl = 'http://a:1'\nrestart = { manuel = true, shell = 'true' }",
			[]string{`:3: key clusters.x.restart.manuel: unknown key; did you mean "manual"?`},
		},
		"wrong types": {
			"theme = 1\n[clusters.x]\nurl = ['http://a:1']\ndemo = 'yes'\n[clusters.x.restart]\ncommand = 'systemctl restart'\ntimeout = 10",
			[]string{
				":1: key theme: expected a string, got an integer",
				":3: key clusters.x.url: expected a string, got a list",
				":4: key clusters.x.demo: expected true or false, got a string",
				`:6: key clusters.x.restart.command: expected a list of strings such as ["ssh", "{{.Host}}"], got a string`,
				`:7: key clusters.x.restart.timeout: expected a duration above zero such as "90s" or "10m", got an integer`,
			},
		},
		"wrong words in a command": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.restart]\ncommand = ['ssh', 1]",
			[]string{":4: key clusters.x.restart.command: expected strings only, got an integer as number 2 of the list"},
		},
		"empty command": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.restart]\ncommand = []",
			[]string{":4: key clusters.x.restart.command: expected a program and its arguments, got none"},
		},
		"notify": {
			"[notify]\nevents = ['waiting', 'done', 1]\nafter = 'soon'\n[[notify.webhooks]]\nurl = 'https://chat/SECRET'\nformat = 'xml'\n[[notify.webhooks]]\nurl_env = 'A'\nurl_file = 'b'",
			[]string{
				`:2: key notify.events: expected one of started, waiting, anomaly, node_done, halted, finished, got "done"`,
				`:2: key notify.events: expected strings only, got an integer as number 3 of the list`,
				`:3: key notify.after: expected a duration above zero such as "90s" or "10m", got "soon"`,
				`:4: key notify.webhooks[0]: expected url_file, url_env or url_command: whoever has the address can post there, so it does not stand in this file`,
				`:5: key notify.webhooks[0].url: unknown key; expected one of url_file, url_env, url_command, format`,
				`:6: key notify.webhooks[0].format: expected "json" or "slack", got "xml"`,
				`:8: key notify.webhooks[1].url_env: expected at most one source of a url, got url_file and url_env`,
			},
		},
		"alerts": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.alerts]\nurl = 'prom:9090'",
			[]string{
				`:3: key clusters.x.alerts: expected key "query"`,
				`:4: key clusters.x.alerts.url: expected http(s)://host:port, got "prom:9090"`,
			},
		},
		"bad durations": {
			"[clusters.x]\nurl = 'http://a:1'\nwindow = 'at night'\n[clusters.x.pace]\ndrain = 'soon'\nfill = '-1s'\nverify = 0",
			[]string{
				`:3: key clusters.x.window: window "at night": expected "[DAYS] HH:MM-HH:MM ZONE", such as "Mon-Fri 22:00-04:00 Europe/Berlin"`,
				`:5: key clusters.x.pace.drain: expected a duration above zero such as "90s" or "10m", got "soon"`,
				`:6: key clusters.x.pace.fill: expected a duration above zero such as "90s" or "10m", got "-1s"`,
				`:7: key clusters.x.pace.verify: expected a whole number from 1 to 1000, got 0`,
			},
		},
		"two sources of a token": {
			"[clusters.x]\nurl = 'http://a:1'\ntoken_file = 'a'\ntoken_env = 'B'",
			[]string{":4: key clusters.x.token_env: expected at most one source of a token, got token_file and token_env"},
		},
		"two ways to restart": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.restart]\nshell = 'true'\nmanual = true",
			[]string{":5: key clusters.x.restart.manual: expected one way to restart a node, got shell and manual"},
		},
		"no way to restart": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.restart]\ntimeout = '1m'",
			[]string{":3: key clusters.x.restart: expected command, shell or manual = true"},
		},
		"manual that is not": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.restart]\nmanual = false",
			[]string{":4: key clusters.x.restart.manual: expected true, or command or shell instead"},
		},
		"unknown field in a template": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.restart]\ncommand = ['ssh', '{{.Hots}}']",
			[]string{":4: key clusters.x.restart.command: command[1]: unknown field .Hots; known are .ID .Host .AZ .Attempt"},
		},
		"no url": {
			"\n[clusters.x]\nca_file = 'a'",
			[]string{`:2: key clusters.x: expected key "url", the controller's http(s)://host:port`},
		},
		"url without scheme": {
			"[clusters.x]\nurl = 'storcon:1234'",
			[]string{`:2: key clusters.x.url: expected http(s)://host:port, got "storcon:1234"`},
		},
		"url with a path": {
			"[clusters.x]\nurl = 'http://storcon:1234/control/v1'",
			[]string{`:2: key clusters.x.url: expected http(s)://host:port without path or query, got "http://storcon:1234/control/v1"`},
		},
		"url with a password, which is not repeated": {
			"[clusters.x]\nurl = 'http://me:secret@storcon:1234'",
			[]string{":2: key clusters.x.url: expected http(s)://host:port without a user or password; use token_file, token_env or token_command"},
		},
		"url with a password and no scheme": {
			"[clusters.x]\nurl = 'me:secret@storcon:1234'",
			[]string{`:2: key clusters.x.url: expected http(s)://host:port, got "storcon:1234"`},
		},
		"default cluster that is not there": {
			"default_cluster = 'prod-eu1'\n[clusters.prod-eu-1]\nurl = 'http://a:1'",
			[]string{`:1: key default_cluster: no cluster "prod-eu1"; expected one of prod-eu-1; did you mean "prod-eu-1"?`},
		},
		"name that is no directory's": {
			"[clusters.\"../x\"]\nurl = 'http://a:1'",
			[]string{`:1: key clusters."../x": expected a name of printable characters without / or \ and without a leading dot, got "../x"`},
		},
		"cluster that is no table": {
			"[clusters]\nx = 'http://a:1'",
			[]string{":2: key clusters.x: expected a table, written [clusters.x], got a string"},
		},
		"two sources of a spec": {
			"[clusters.x]\nurl = 'http://a:1'\n[[clusters.x.computes]]\nname = 'a'\nurl = 'http://b:1'\nspec_file = 'a'\nspec_command = ['b']",
			[]string{":7: key clusters.x.computes[0].spec_command: expected at most one source of a spec, got spec_file and spec_command"},
		},
		"a spec's command that is a shell's": {
			"[clusters.x]\nurl = 'http://a:1'\n[[clusters.x.computes]]\nname = 'a'\nurl = 'http://b:1'\nspec_command = 'cat a | jq .'",
			[]string{`:6: key clusters.x.computes[0].spec_command: expected a list of strings such as ["ssh", "{{.Host}}"], got a string`},
		},
		"a connection string in the file": {
			"[clusters.x]\nurl = 'http://a:1'\n[[clusters.x.computes]]\nname = 'a'\nurl = 'http://b:1'\nconnection = 'postgres://u:marked-secret@h/d'",
			[]string{":6: key clusters.x.computes[0].connection: expected connection_file, connection_env or connection_command: it has a password, so it does not stand in this file"},
		},
		"two sources of a connection": {
			"[clusters.x]\nurl = 'http://a:1'\n[[clusters.x.computes]]\nname = 'a'\nurl = 'http://b:1'\nconnection_file = 'a'\nconnection_env = 'B'",
			[]string{":7: key clusters.x.computes[0].connection_env: expected at most one source of a connection, got connection_file and connection_env"},
		},
		"two computes of one name": {
			"[clusters.x]\nurl = 'http://a:1'\n[[clusters.x.computes]]\nname = 'a'\nurl = 'http://b:1'\n[[clusters.x.computes]]\nname = 'a'\nurl = 'http://c:1'",
			[]string{`:7: key clusters.x.computes[1].name: expected a name of its own, "a" is another compute's`},
		},
		"computes that are no list": {
			"[clusters.x]\nurl = 'http://a:1'\n[clusters.x.computes]\nname = 'a'",
			[]string{":3: key clusters.x.computes: expected a list of tables, written [[clusters.x.computes]], got a table"},
		},
		"empty string": {
			"theme = ''",
			[]string{":1: key theme: expected a string that is not empty"},
		},
		"not TOML": {
			"theme = 'dark'\nstate_dir = nowhere\n",
			[]string{`:2: key state_dir: not TOML: expected value but found "nowhere" instead`},
		},
		"a key twice": {
			"theme = 'dark'\ntheme = 'light'\n",
			[]string{`:2: key theme: not TOML: Key 'theme' has already been defined.`},
		},
		"every problem of a file, in the order of its lines": {
			"[clusters.x]\nurl = 'a'\ntokenfile = 'b'\n[clusters.x.restart]\nmanual = 1\n[[clusters.x.computes]]\nname = \"\"\"\ntwo\nlines\"\"\"\nur = 'c'",
			[]string{
				`:2: key clusters.x.url: expected http(s)://host:port, got "a"`,
				`:3: key clusters.x.tokenfile: unknown key; did you mean "token_file"?`,
				":5: key clusters.x.restart.manual: expected true or false, got an integer",
				`:6: key clusters.x.computes[0]: expected key "url"`,
				`:7: key clusters.x.computes[0].name: expected a name of printable characters, got "two\nlines"`,
				`:10: key clusters.x.computes[0].ur: unknown key; did you mean "url"?`,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, test.text)
			_, err := Load(path)
			require.Error(t, err)
			got := strings.Split(strings.ReplaceAll(err.Error(), path, ""), "\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestPasswordInURLIsNotRepeated(t *testing.T) {
	_, err := Load(write(t, "[clusters.x]\nurl = 'http://me:secret@[::1'"))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
}

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"url", "URL", 0},
		{"comand", "command", 1},
		{"kitten", "sitting", 3},
	} {
		require.Equal(t, test.want, edits(test.a, test.b), "%q %q", test.a, test.b)
		require.Equal(t, test.want, edits(test.b, test.a), "%q %q", test.b, test.a)
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
