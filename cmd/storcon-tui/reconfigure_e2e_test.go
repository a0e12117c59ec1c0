package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// lab is a demo in this process, and a configuration for it.
type lab struct {
	*server.Server
	t             *testing.T
	config, state string
	dir           string
}

func newLab(t *testing.T, o server.Options) *lab {
	t.Helper()
	demo, err := server.Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, demo.Close()) })
	dir := t.TempDir()
	l := &lab{Server: demo, t: t, dir: dir, config: filepath.Join(dir, "c.toml"), state: filepath.Join(dir, "state")}
	specs, err := writeDemoSpecs(demo, filepath.Join(dir, "specs"))
	require.NoError(t, err)
	l.write("c.toml", demo.ConfigTOML("storcon-tui", "", specs))
	return l
}

func (l *lab) write(name, text string) (path string) {
	l.t.Helper()
	path = filepath.Join(l.dir, name)
	require.NoError(l.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// running are the names of the computes that run, in the configuration's order.
func (l *lab) running() []string {
	var names []string
	for _, c := range l.Computes() {
		if _, ok := l.ComputeSpec(c.Name); ok {
			names = append(names, c.Name)
		}
	}
	return names[:len(names)-1] // the last one has failed
}

func (l *lab) run(answers string, args ...string) answer {
	l.t.Helper()
	return executeWith(l.t, nil, strings.NewReader(answers), append([]string{"--config", l.config, "--state-dir", l.state}, args...)...)
}

// A patch that nothing reads back is accepted, and that is no failure.
func TestReconfigureOne(t *testing.T) {
	t.Parallel()
	l := newLab(t, server.Options{Nodes: 4, Tenants: 40, Seed: 7})
	patch := l.write("p.json", `{"suspend_timeout_seconds": 5}`)
	name := l.running()[0]
	got := l.run("yes\n", "reconfigure", name, "--patch", patch, "--plain")
	require.Equal(t, 0, got.code, got.errors)
	require.Contains(t, got.out, "suspend_timeout_seconds  300 → 5")
	require.Contains(t, got.out, "accepted, not verified")
	require.Contains(t, got.out, "sent     1 × POST /configure")

	again := l.run("", "reconfigure", name, "--patch", l.write("same.json", `{"suspend_timeout_seconds": 300}`), "--plain")
	again.refusesWith(t, 3, "nothing to do")
}

// Twelve computes in waves, of which the third fails: those of its wave finish, nothing
// more is sent, and the run can be taken up again.
func TestReconfigureTwelveOfWhichTheThirdFails(t *testing.T) {
	t.Parallel()
	l := newLab(t, server.Options{Nodes: 4, Tenants: 40, Seed: 7})
	names := l.running()
	require.Len(t, names, 12)
	require.NoError(t, l.ScriptCompute(names[2], func(s *sim.Script) { s.ApplyFails = true }))
	patch := l.write("p.json", `{"suspend_timeout_seconds": 5}`)
	args := append(append([]string{"reconfigure"}, names...), "--patch", patch, "--plain")
	got := l.run("yes\nyes\nyes\nno\n", args...)
	require.Equal(t, 4, got.code, "%s%s", got.out, got.errors)
	require.Contains(t, got.out, "in 4 waves of 1, 1, 2, 8")
	require.Contains(t, got.out, names[2]+"  failed: compute configuration failed")
	require.Contains(t, got.out, "sent     4 × POST /configure")
	require.Contains(t, got.out, "do not restart Postgres by hand")

	run := runOf(t, got.out)
	listed := l.run("", "runs", "list")
	require.Regexp(t, run+` .* reconfigure +12 computes .* unfinished`, listed.out)
	status := l.run("", "status")
	require.Contains(t, status.out, "(reconfigure: 12 computes) was left unfinished")
	require.Contains(t, status.out, ": reconfigure --resume, runs show, runs close")
	require.Contains(t, l.run("", "runs", "follow", run).out, "storcon-tui reconfigure --resume "+run)
	export := l.run("", "runs", "export", run, "-o", "json")
	require.Equal(t, 0, export.code, export.errors)
	var exported exportReport
	require.NoError(t, json.Unmarshal([]byte(export.out), &exported))
	require.Len(t, exported.Computes, 12)
	require.Equal(t, "failed", *exported.Computes[2].State)
	require.Positive(t, *exported.Computes[0].Took)
	require.Empty(t, exported.Steps)
	require.Contains(t, l.run("", "runs", "export", run).out, "| "+names[2]+" | failed | compute configuration failed")

	console := open(t, "storcon-tui", "--config", l.config, "--state-dir", l.state)
	console.see("was left unfinished")
	console.press("L")
	console.see("storcon-tui reconfigure --resume " + run)
	console.press("t")
	console.see("TAKE RUN " + run + " UP AGAIN")
	console.answer("p")
	console.see(`\(exit 4\)`)
	console.press("q")
	require.Equal(t, 4, console.leaves())

	blocked := l.run("", args...)
	blocked.refusesWith(t, 3, "storcon-tui reconfigure --resume")
	rest := l.run("yes\ncontinue its control plane restarted it\nyes\n", "reconfigure", "--resume", "--plain")
	require.Equal(t, 4, rest.code, "%s%s", rest.out, rest.errors)
	require.Contains(t, rest.out, "sent     12 × POST /configure")
	require.NotContains(t, rest.out, "storcon-tui reconfigure --resume", "it is over")
	verified := l.run("", "runs", "verify", runOf(t, rest.out))
	require.Equal(t, 0, verified.code, verified.out)
}

func runOf(t *testing.T, out string) string {
	t.Helper()
	_, rest, ok := strings.Cut(out, "run ")
	require.True(t, ok, out)
	return strings.Fields(rest)[0]
}

// After a drain the specs that name the old pageservers are found, and re-pointed.
func TestRepointAfterADrain(t *testing.T) {
	t.Parallel()
	l := newLab(t, server.Options{Nodes: 4, Tenants: 40, Seed: 7, Speed: 50, AllMovable: true})
	none := l.run("", "reconfigure", "--repoint", "--stale", "--plain")
	none.refusesWith(t, 3, "every last known spec names the pageservers that the controller tells")

	var node string
	for _, name := range l.running() {
		settings, _, err := l.ComputeSettings(name)
		require.NoError(t, err)
		if at := settings["neon.pageserver_connstring"]; !strings.Contains(at, ",") {
			node = at[strings.LastIndex(at, ":640")+len(":640"):]
		}
	}
	drained := executeWith(t, nil, &yes{}, "--config", l.config, "--state-dir", l.state, "drain", node, "--plain")
	require.Contains(t, []int{0, 10}, drained.code, "%s%s", drained.out, drained.errors)

	got := l.run("rest-of-run\n", "reconfigure", "--repoint", "--stale", "--plain")
	require.Equal(t, 0, got.code, "%s%s", got.out, got.errors)
	require.Contains(t, got.out, "pageserver_connection_info.shards.0000.pageservers[0].id  "+node+" → ")
	for _, name := range l.running() {
		settings, _, err := l.ComputeSettings(name)
		require.NoError(t, err)
		require.NotContains(t, settings["neon.pageserver_connstring"]+",", ":640"+node+",", "%s still reads from node %s", name, node)
	}
}

// No secret of a spec is written anywhere: planted ones in every field that may hold one,
// sent, shown as a plan, refused, and failed.
func TestSecretsOfASpecStaySecret(t *testing.T) {
	t.Parallel()
	l := newLab(t, server.Options{Nodes: 4, Tenants: 40, Seed: 7})
	name := l.running()[0]
	raw, ok := l.ComputeSpec(name)
	require.True(t, ok)
	var spec map[string]any
	require.NoError(t, json.Unmarshal(raw, &spec))
	const mark = "PLANTED"
	spec["storage_auth_token"], spec["endpoint_storage_token"] = mark+"1", mark+"2"
	spec["format_version"] = json.Number("1.0")
	cluster := spec["cluster"].(map[string]any)
	cluster["roles"] = []any{map[string]any{"name": "app", "encrypted_password": mark + "3", "options": nil}}
	cluster["postgresql_conf"] = "primary_conninfo = 'host=a password=" + mark + "4'\n"
	cluster["settings"] = append(cluster["settings"].([]any),
		map[string]any{"name": "neon.some_token", "value": mark + "5", "vartype": "string"},
		map[string]any{"name": "primary_conninfo", "value": "postgres://u:" + mark + "6@h/db", "vartype": "string"})
	spec["pgbouncer_settings"] = map[string]any{"auth_password": mark + "7"}
	good, err := json.Marshal(spec)
	require.NoError(t, err)
	spec["tenant_id"] = "ffffffffffffffffffffffffffffffff"
	bad, err := json.Marshal(spec)
	require.NoError(t, err)

	var said strings.Builder
	tell := func(e answer, code int) {
		require.Equal(t, code, e.code, "%s%s", e.out, e.errors)
		said.WriteString(e.out + e.errors)
	}
	file := l.write("good.json", string(good))
	tell(l.run("", "reconfigure", name, "--spec", l.write("bad.json", string(bad)), "--plain"), 3)
	tell(l.run("", "reconfigure", name, "--spec", l.write("torn.json", string(good)[:len(good)-40]), "--plain"), 3)
	require.NoError(t, l.ScriptCompute(name, func(s *sim.Script) { s.ApplyFails = true }))
	tell(l.run("evidence\nyes\n", "reconfigure", name, "--spec", file, "--plain"), 4)
	tell(l.run("", "runs", "show", runOf(t, said.String()[strings.Index(said.String(), "\nrun ")+1:])), 0)

	other := l.running()[1]
	console := open(t, "storcon-tui", "--config", l.config, "--state-dir", l.state, "reconfigure", name, other, "--patch",
		l.write("p.json", `{"storage_auth_token": "`+mark+`8", "cluster": {"roles": [{"name": "app", "encrypted_password": "`+mark+`9"}]}}`))
	console.see("another secret")
	console.press("q")
	require.Equal(t, 0, console.leaves())
	said.WriteString(console.sent())
	require.NotContains(t, said.String(), mark)

	checked := 0
	require.NoError(t, filepath.WalkDir(l.state, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		checked++
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), mark, path)
		return nil
	}))
	require.Greater(t, checked, 3, "plan, journal, log, report")
}

// In the console: the plan, its start, the question, the answer, the report, and its exit
// code; the way back to it while it goes on.
func TestReconfigureInTheConsole(t *testing.T) {
	t.Parallel()
	l := newLab(t, server.Options{Nodes: 4, Tenants: 40, Seed: 7})
	names := l.running()[:2]
	patch := l.write("p.json", `{"suspend_timeout_seconds": 5}`)
	console := open(t, "storcon-tui", "--config", l.config, "--state-dir", l.state, "reconfigure", names[0], names[1], "--patch", patch)
	console.see("suspend_timeout_seconds  300 → 5")
	console.press("s")
	console.see("reconfigure: asks you")
	console.see("CONFIGURE " + names[0])
	console.press("\x1b")
	console.see("COMPUTES")
	console.press("o")
	console.see("CONFIGURE " + names[0])
	console.answer("y")
	console.see("CONFIGURE " + names[1])
	console.press("q")
	console.see("nothing was sent to " + names[1])
	console.press("\x1b")
	console.see("CONFIGURE " + names[1])
	console.answer("y")
	console.see(`done \(exit 0\)`)
	console.press("q")
	require.Equal(t, 0, console.leaves())
	listed := l.run("", "runs", "list")
	require.Contains(t, listed.out, "done (exit 0)")
}
