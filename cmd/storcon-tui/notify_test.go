package main

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/notify"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// staged is a run whose Status a test sets.
type staged struct {
	mu   sync.Mutex
	st   *rollout.Status
	ping chan struct{}
	done chan struct{}
}

func (s *staged) Status() *rollout.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st
}

func (s *staged) Subscribe() (<-chan struct{}, func()) { return s.ping, func() {} }
func (s *staged) Done() <-chan struct{}                { return s.done }

func (s *staged) set(change func(*rollout.Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := *s.st
	next.Steps = append([]rollout.StepStatus(nil), s.st.Steps...)
	change(&next)
	s.st = &next
	select {
	case s.ping <- struct{}{}:
	default:
	}
}

// heard is a sink that keeps what it is told.
type heard struct {
	mu    sync.Mutex
	lines []string
}

func (*heard) Name() string { return "heard" }

func (s *heard) Send(_ context.Context, e notify.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, e.Line())
	return nil
}

func (s *heard) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.lines...)
}

func question(id string, node client.NodeID) *rollout.Prompt {
	return &rollout.Prompt{ID: id, Ask: rollout.AskRestart, Node: node, Choices: []rollout.Choice{{Word: rollout.WordYes}}}
}

// A question that nobody answers is told after a while, and again and again at longer
// intervals with how long it waits, though it is put anew meanwhile; one that is
// answered at once disturbs nobody, and a new one is told from the beginning.
func TestRow_E28_OperatorAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &heard{}
		h := &herald{
			cluster: "prod", after: 30 * time.Second, closing: make(chan struct{}),
			notifier: notify.New(notify.Config{Sinks: []notify.Sink{sink}, Only: []notify.Kind{notify.Waiting}}),
		}
		r := &staged{ping: make(chan struct{}, 1), done: make(chan struct{}), st: &rollout.Status{
			Run: "01J", State: rollout.RunRunning, Steps: make([]rollout.StepStatus, 1), Prompt: question("1", 3),
		}}
		h.follow(r)
		defer h.close()
		defer close(r.done)
		time.Sleep(20 * time.Second)
		r.set(func(st *rollout.Status) { st.Prompt = nil }) // answered
		time.Sleep(time.Minute)
		require.Empty(t, sink.all())

		r.set(func(st *rollout.Status) { st.Prompt = question("2", 3) })
		time.Sleep(31 * time.Second)
		require.Len(t, sink.all(), 1)
		for i := range 13 {
			time.Sleep(5 * time.Minute)
			r.set(func(st *rollout.Status) { st.Prompt = question(string(rune('a'+i)), 3) }) // expired and put anew
		}
		synctest.Wait()
		told := sink.all()
		require.Len(t, told, 7, "after 0.5, 1.5, 3.5, 7.5, 15.5, 31.5 and 61.5 minutes: %q", told)
		require.NotContains(t, told[0], "nobody has answered")
		require.Contains(t, told[6], "nobody has answered for 1 h 1 min")

		r.set(func(st *rollout.Status) { st.Prompt = question("9", 4) })
		time.Sleep(31 * time.Second)
		require.NotContains(t, sink.all()[7], "nobody has answered")
	})
}
