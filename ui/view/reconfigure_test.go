package view

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

func respecPlan(names ...string) reconfigure.Plan {
	plan := reconfigure.Plan{
		Made: fixedNow, Waves: 2, Source: reconfigure.Source{Kind: reconfigure.FromPatch, Path: "/home/ann/bigger.json"},
		LeftOut: []reconfigure.LeftOut{{Compute: "ep-late", Why: "its last known spec is that already"}},
	}
	plan.Identity.Name = "prod-eu-1"
	for i, name := range names {
		plan.Items = append(plan.Items, reconfigure.Item{
			Compute: name, URL: "http://" + name + ":3080", Wave: min(i+1, 2), Base: "file ~/" + name + ".json",
			Changes: []compute.Change{
				{Path: "cluster.settings[work_mem].value", Old: `"4MB"`, New: `"64MB"`},
				{Path: "cluster.settings[max_connections].value", Old: `"100"`, New: `"400"`},
				{Path: "storage_auth_token", Old: `"(secret)"`, New: `"(secret)"`, Secret: true},
			},
			Restart: []string{"max_connections"}, Reads: reconfigure.Reads{Unread: []string{"storage_auth_token"}},
		})
	}
	return plan
}

// respecRun is a run of which the first wave is over.
func respecRun() *reconfigure.Status {
	plan := respecPlan("ep-cool-night-a1", "ep-quiet-river-b2", "ep-amber-field-c3", "ep-wild-tree-d4")
	st := &reconfigure.Status{
		Seq: 7, Run: "01M8R6EWW8T61182K2GGF0J3E2", Journal: "/state/journal.jsonl", Identity: plan.Identity, At: fixedNow,
		Started: fixedNow.Add(-time.Minute), State: reconfigure.RunRunning, Wave: 2, Plan: plan, Sent: 3,
	}
	for _, it := range plan.Items {
		st.Items = append(st.Items, reconfigure.ItemStatus{Item: it, Compute: compute.StateRunning, Before: compute.StateRunning})
	}
	first := &st.Items[0]
	first.State, first.Sent, first.Ended = reconfigure.ItemDegraded, fixedNow.Add(-40*time.Second), fixedNow.Add(-30*time.Second)
	first.Row, first.Why, first.Left = "K8", "accepted, not in effect: max_connections", "it takes effect when Postgres is restarted"
	first.Path = []reconfigure.Passed{{State: compute.StateConfiguration, At: first.Sent.Add(4 * time.Millisecond)}, {State: compute.StateRunning, At: first.Sent.Add(90 * time.Millisecond)}}
	first.Differs = []reconfigure.Differs{{Name: "max_connections", Want: "400", Have: "100", Restart: true}}
	second := &st.Items[1]
	second.State, second.Sent, second.Compute = reconfigure.ItemUnanswered, fixedNow.Add(-3*time.Second), compute.StateConfiguration
	third := &st.Items[2]
	third.State, third.Sent, third.Ended, third.Compute = reconfigure.ItemFailed, fixedNow.Add(-4*time.Second), fixedNow.Add(-time.Second), compute.StateFailed
	third.Row, third.Why, third.Left = "K4", `compute configuration failed: "unknown error"`, "its control plane must restart the compute"
	st.Notes = []reconfigure.Note{
		{At: first.Ended, Compute: first.Item.Compute, Row: "K8", Text: "accepted, not in effect: max_connections", Bad: true},
		{At: third.Ended, Compute: third.Item.Compute, Row: "K4", Text: `failed: compute configuration failed: "unknown error"`, Bad: true},
	}
	return st
}

func respecAsks(ask reconfigure.Ask, choices ...reconfigure.Choice) *reconfigure.Status {
	st := respecRun()
	st.Prompt = &reconfigure.Prompt{
		ID: "q2", Ask: ask, Wave: 2, Choices: choices, Asked: fixedNow, Expires: fixedNow.Add(5 * time.Minute),
		Facts: []reconfigure.Fact{
			{Compute: "ep-quiet-river-b2", Status: compute.StateRunning, Ready: true},
			{Compute: "ep-amber-field-c3", Status: compute.StateInit, Why: "it is init"},
		},
	}
	return st
}

func waveQuestion() *reconfigure.Status {
	return respecAsks(reconfigure.AskWave,
		reconfigure.Choice{Word: rollout.WordYes, Does: "POST /configure to 1 compute"},
		reconfigure.Choice{Word: rollout.WordNo, Does: "pause here"},
		reconfigure.Choice{Word: rollout.WordSkip, Does: "send nothing to 2 computes", Reason: true},
		reconfigure.Choice{Word: rollout.WordRestOfRun, Does: "yes to this and the waves to come", Off: "none of them takes a spec now"})
}

func respecContext(s *themes.Styles, st *reconfigure.Status) *Context {
	c := runContext(s, nil)
	c.Reconfigure = st
	return c
}

func TestRespecFrames(t *testing.T) {
	goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
		v := NewRespec([]string{"ep-cool-night-a1", "ep-quiet-river-b2"})
		v.Key("p", respecContext(s, nil))
		v.Paste("/home/ann/bigger.json")
		return v.Lines(respecContext(s, nil), w, h)
	})
}

func TestRespecPlanFrames(t *testing.T) {
	goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
		v := NewRespec([]string{"ep-cool-night-a1"})
		v.Planned(respecPlan("ep-cool-night-a1", "ep-quiet-river-b2"), nil)
		return v.Lines(respecContext(s, nil), w, h)
	})
}

func TestReconfigureFrames(t *testing.T) {
	ended := respecRun()
	ended.State, ended.Ended = reconfigure.RunEnded, fixedNow
	ended.Outcome = &reconfigure.Outcome{Exit: rollout.ExitHalted, Word: "failed", Left: []string{"ep-amber-field-c3: its control plane must restart the compute"}, JournalSum: "d1e3"}
	for name, st := range map[string]*reconfigure.Status{"running": respecRun(), "asking": waveQuestion(), "ended": ended} {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
				return NewReconfigure().Lines(respecContext(s, st), w, h)
			})
		})
	}
}

// A path is typed, and the plan that comes of it started; what went wrong keeps the
// question open.
func TestRespecAsksForAPlan(t *testing.T) {
	v, c := NewRespec([]string{"ep-1"}), respecContext(nil, nil)
	require.Nil(t, v.Key("p", c))
	require.True(t, v.Typing())
	for _, key := range []string{"a", ".", "j"} {
		v.Key(key, c)
	}
	want := MakeSpecPlan{Request: reconfigure.Request{
		Computes: []string{"ep-1"}, Source: reconfigure.Source{Kind: reconfigure.FromPatch, Path: "a.j"},
	}}
	require.Equal(t, want, v.Key("enter", c))
	require.IsType(t, Say{}, v.Key("s", c), "nothing is started before there is a plan")
	v.Planned(reconfigure.Plan{}, errors.New("1:1: not JSON"))
	require.IsType(t, Say{}, v.Key("s", c))
	require.Nil(t, v.Key("esc", c), "esc takes the fault away and keeps the question")
	require.IsType(t, MakeSpecPlan{}, v.Key("r", c))
	v.Planned(respecPlan("ep-1"), nil)
	require.Equal(t, StartReconfigure{Plan: respecPlan("ep-1")}, v.Key("s", c))
	require.Nil(t, v.Key("esc", c))
	require.Equal(t, Back{}, v.Key("esc", c))
}

// A key answers only the question that was on the screen for a moment, and a reason ends
// with its question.
func TestReconfigureTakesAnswers(t *testing.T) {
	c := respecContext(goldentest.Styles(t, goldentest.Looks[0]), waveQuestion())
	v := NewReconfigure()
	v.Lines(c, 100, 30)
	require.Nil(t, v.Key("y", c), "too soon: the question has just appeared")
	c.Now = c.Now.Add(time.Second)
	require.Equal(t, AnswerReconfigure{Answer: reconfigure.Answer{Prompt: "q2", Word: rollout.WordYes}}, v.Key("y", c))
	c.Now = c.Now.Add(time.Second)
	require.Equal(t, Say{"rest-of-run is off: none of them takes a spec now"}, v.Key("R", c))
	c.Now = c.Now.Add(time.Second)
	require.Equal(t, Say{"g is no answer to this question"}, v.Key("g", c))
	c.Now = c.Now.Add(time.Second)
	require.Nil(t, v.Key("s", c))
	require.True(t, v.Typing())
	v.Paste("not now")
	c.Now = c.Now.Add(time.Second)
	require.Equal(t, AnswerReconfigure{Answer: reconfigure.Answer{Prompt: "q2", Word: rollout.WordSkip, Reason: "not now"}}, v.Key("enter", c))

	c.Now = c.Now.Add(time.Second)
	v.Key("s", c)
	c.Reconfigure.Prompt.ID = "q3"
	require.Equal(t, Say{"the question has changed; nothing was sent"}, v.Key("enter", c))
	c.Reconfigure.Prompt = nil
	require.Equal(t, PauseReconfigure{}, v.Key("p", c))
	require.Equal(t, PauseReconfigure{Later: true}, v.Key("P", c))
}

// A stale spec is marked in the list, found by its word, and explained.
func TestStaleSpecIsMarked(t *testing.T) {
	v, c, frame := computesSeat(t)
	require.NotContains(t, frame(), "stale")
	c.Stale = map[string][]compute.Change{"ep-odd": {{Path: "pageserver_connection_info.shards.0000.pageservers[0].id", Old: "1", New: "3"}}}
	require.Contains(t, frame(), "stale")
	v.setFilter("stale")
	require.Equal(t, []string{"ep-odd"}, order(frame()))
	require.Equal(t, Respec{Computes: []string{"ep-odd"}}, v.Key("E", c))
}

// A reconfigure that goes on is a key away on every screen that has computes or nodes.
func TestWayBackToAReconfigure(t *testing.T) {
	c := respecContext(nil, respecRun())
	for _, screen := range []Screen{NewNodes(), NewComputes(), NewCompute("ep-1")} {
		require.Equal(t, Open{Screen: ScreenReconfigure}, screen.Key("o", c), screen.ID())
	}
}
