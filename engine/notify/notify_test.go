package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a sink that keeps what it is told, after what do says.
type memory struct {
	do func(context.Context, Event) error

	mu  sync.Mutex
	got []string
}

func (*memory) Name() string { return "memory" }

func (s *memory) Send(ctx context.Context, e Event) error {
	if s.do != nil {
		if err := s.do(ctx, e); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, e.Text)
	return nil
}

func (s *memory) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

// TestRow_E27_ASlowSinkHoldsNothingUp: whoever tells goes on at once, the other
// sinks hear everything, and the slow one loses its oldest events, counted.
func TestRow_E27_ASlowSinkHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		slow := &memory{do: func(context.Context, Event) error { <-release; return nil }}
		quick := &memory{}
		n := New(Config{Sinks: []Sink{slow, quick}})
		const events = queueLength + 10
		began := time.Now()
		for i := range events {
			n.Notify(Event{Kind: Anomaly, Text: fmt.Sprint(i)})
			synctest.Wait() // the quick sink has it, the slow one is stuck with the first
		}
		require.Zero(t, time.Since(began))
		require.Len(t, quick.texts(), events)
		close(release)
		n.Close(t.Context())
		got := slow.texts()
		require.Equal(t, "0", got[0])
		require.Equal(t, "10", got[1], "the oldest that waited went first")
		require.Equal(t, fmt.Sprint(events-1), got[len(got)-1])
		require.Equal(t, []Stats{{Sink: "memory", Sent: queueLength + 1, Dropped: 9}, {Sink: "memory", Sent: events}}, n.Stats())
	})
}

func TestTheSameIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memory{}
		n := New(Config{Sinks: []Sink{sink}, Quiet: time.Minute, Only: []Kind{Waiting, Anomaly}})
		for range 3 {
			n.Notify(Event{Kind: Waiting, Cluster: "a", Text: "restart?"})
			n.Notify(Event{Kind: Waiting, Cluster: "b", Text: "restart?"})
			n.Notify(Event{Kind: Waiting, Cluster: "a", Node: 3, Text: "restart?"})
			n.Notify(Event{Kind: Anomaly, Key: "k", Text: "slow 1"})
			n.Notify(Event{Kind: Anomaly, Key: "k", Text: "slow 2"})
			n.Notify(Event{Kind: Finished, Text: "not asked for"})
		}
		synctest.Wait()
		require.Equal(t, []string{"restart?", "restart?", "restart?", "slow 1"}, sink.texts())
		time.Sleep(time.Minute)
		n.Notify(Event{Kind: Anomaly, Key: "k", Text: "slow 3"})
		n.Close(t.Context())
		require.Equal(t, "slow 3", sink.texts()[4])
	})
}

// TestFailures: a sink is tried three times, its trouble is told once, and the
// next event is tried again.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		sink := &memory{do: func(context.Context, Event) error {
			if calls++; calls <= 4 {
				return errors.New("no route")
			}
			return nil
		}}
		var troubles []string
		n := New(Config{Sinks: []Sink{sink}, Trouble: func(name string, err error) { troubles = append(troubles, name+": "+err.Error()) }})
		began := time.Now()
		n.Notify(Event{Kind: Halted, Text: "first"})
		n.Notify(Event{Kind: Halted, Text: "second"})
		n.Close(t.Context())
		require.Equal(t, []string{"second"}, sink.texts())
		require.Equal(t, []string{`memory: tell memory of "halted": no route`}, troubles)
		require.Equal(t, 5, calls)
		require.Equal(t, 4*time.Second, time.Since(began)) // 1 + 2 for the first, 1 for the second
		require.Equal(t, Stats{Sink: "memory", Sent: 1, Failed: 1}, n.Stats()[0])
	})
}

// TestCloseIsBounded: a sink that never comes back is left when the time is up.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memory{do: func(ctx context.Context, _ Event) error { <-ctx.Done(); return ctx.Err() }}
		n := New(Config{Sinks: []Sink{sink}})
		n.Notify(Event{Kind: Finished, Text: "x"})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		n.Close(ctx)
		require.Equal(t, 2*time.Second, time.Since(began))
		n.Notify(Event{Kind: Finished, Text: "too late"}) // is dropped, not sent on a closed channel
	})
}

func TestTerminal(t *testing.T) {
	var b bytes.Buffer
	e := Event{Kind: NodeDone, Cluster: "prod", Run: "01J", Node: 3, Text: "back\x1b]0;evil\a"}
	require.NoError(t, Terminal{To: &b, Bell: true, OSC9: true}.Send(t.Context(), e))
	require.Equal(t, 2, strings.Count(b.String(), "\x1b"), "the notification's own two and no other: %q", b.String())
	require.True(t, strings.HasPrefix(b.String(), "\x1b]9;prod · run 01J · node 3 · node done: back"), "%q", b.String())
	require.True(t, strings.HasSuffix(b.String(), "\x1b\\\a"))
}

func TestCommand(t *testing.T) {
	t.Setenv("STORCON_TEST_TOKEN", "secret")
	out := filepath.Join(t.TempDir(), "out")
	script := `cat > "$0"; printf '%s' "$STORCON_EVENT|$STORCON_TEXT|$STORCON_TEST_TOKEN" >> "$0"`
	c := Command{Argv: []string{"sh", "-c", script, out}, Deny: []string{"STORCON_TEST_TOKEN"}}
	e := Event{Kind: Waiting, Cluster: "prod", Text: "restart node 3?", Key: "k"}
	require.NoError(t, c.Send(t.Context(), e))
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	body, rest, _ := strings.Cut(string(got), "waiting|")
	var back Event
	require.NoError(t, json.Unmarshal([]byte(body), &back))
	require.Equal(t, e, back)
	require.Equal(t, "prod · waiting: restart node 3?|", rest)

	failing := Command{Argv: []string{"sh", "-c", "echo one >&2; echo 'no such channel' >&2; exit 3"}}
	require.ErrorContains(t, failing.Send(t.Context(), e), "exit status 3: no such channel")
}

// poster keeps what is posted, as JSON.
type poster struct{ body string }

func (*poster) Host() string { return "hooks.example" }

func (p *poster) Post(_ context.Context, body any) error {
	raw, err := json.Marshal(body)
	p.body = string(raw)
	return err
}

func TestWebhook(t *testing.T) {
	var p poster
	e := Event{Kind: Anomaly, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Cluster: "prod", Text: "a <b> & c", Key: "k"}
	require.NoError(t, Webhook{To: &p}.Send(t.Context(), e))
	require.JSONEq(t, `{"version":1,"event":"anomaly","at":"2026-01-02T03:04:05Z","cluster":"prod","text":"a <b> & c","key":"k"}`, p.body)
	require.NoError(t, Webhook{To: &p, Slack: true}.Send(t.Context(), e))
	require.JSONEq(t, `{"text":"prod · anomaly: a &lt;b&gt; &amp; c"}`, p.body)
	require.Equal(t, "webhook at hooks.example", Webhook{To: &p}.Name())
}

func TestParseKind(t *testing.T) {
	for _, k := range Kinds {
		got, err := ParseKind(string(k))
		require.NoError(t, err)
		require.Equal(t, k, got)
	}
	_, err := ParseKind("done")
	require.ErrorContains(t, err, "expected one of started, waiting, anomaly, node_done, halted, finished")
}
