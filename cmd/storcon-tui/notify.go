package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/webhook"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/notify"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

const (
	tellAfter   = 30 * time.Second // a question that an operator at the keyboard answers disturbs nobody
	tellAtMost  = 30 * time.Minute // between two reminders of one question
	addressIn   = 30 * time.Second // a command that prints a webhook's address
	lastWordsIn = 5 * time.Second  // for what is still to be told at the end
)

// herald tells people of runs, as the configuration says.
type herald struct {
	notifier *notify.Notifier
	cluster  string
	after    time.Duration
	hooks    []*webhook.Client

	closing chan struct{}
	follows sync.WaitGroup
}

// herald makes the sinks that the configuration names; nothing is sent yet.
func (p *program) herald(c *connection) (*herald, error) {
	cfg := c.settings.Notify
	h := &herald{cluster: c.identity.Name, after: cfg.After, closing: make(chan struct{})}
	if h.after == 0 {
		h.after = tellAfter
	}
	var sinks []notify.Sink
	if cfg.Bell || cfg.OSC9 {
		if screen := p.screen(); screen != nil {
			sinks = append(sinks, notify.Terminal{To: screen, Bell: cfg.Bell, OSC9: cfg.OSC9})
		}
	}
	if len(cfg.Command) > 0 {
		sinks = append(sinks, notify.Command{Argv: cfg.Command, Deny: secretVariables(c.settings)})
	}
	for i, w := range cfg.Webhooks {
		to, err := c.webhook(w)
		if err != nil {
			return nil, usagef("%s: notify.webhooks[%d]: %w", c.settings.File, i, err)
		}
		h.hooks = append(h.hooks, to)
		sinks = append(sinks, notify.Webhook{To: to, Slack: w.Slack})
	}
	if len(sinks) == 0 {
		return h, nil
	}
	h.notifier = notify.New(notify.Config{
		Sinks: sinks, Only: cfg.Events,
		Trouble: func(sink string, err error) { c.log.Warn("somebody was not told", "sink", sink, "err", err) },
	})
	c.metrics.Tells(h.notifier.Stats)
	return h, nil
}

// webhook reads the address, which is a secret.
func (c *connection) webhook(w config.Webhook) (*webhook.Client, error) {
	source := c.tokenSource(w.URL)
	ctx, cancel := context.WithTimeout(context.Background(), addressIn)
	defer cancel()
	address, err := source.Token(ctx)
	if err != nil {
		return nil, fmt.Errorf("address from %s: %w", source.Describe(), err)
	}
	return webhook.New(address)
}

// screen is the terminal that the operator looks at, nil when there is none.
func (p *program) screen() *os.File {
	for _, f := range []*os.File{p.out, p.err} {
		if term.IsTerminal(int(f.Fd())) {
			return f
		}
	}
	return nil
}

// told is a run as somebody who tells of it needs it.
type told interface {
	Status() *rollout.Status
	Subscribe() (<-chan struct{}, func())
	Done() <-chan struct{}
}

// follow tells of the run until it ends or the herald is closed.
func (h *herald) follow(driver told) {
	if h.notifier == nil {
		return
	}
	h.follows.Go(func() {
		changed, unsubscribe := driver.Subscribe()
		defer unsubscribe()
		teller := runTeller{cluster: h.cluster, tell: h.notifier.Notify, now: time.Now}
		waiting := time.NewTimer(h.after)
		waiting.Stop()
		defer waiting.Stop()
		for {
			if teller.look(driver.Status()) {
				waiting.Reset(h.after)
			}
			select {
			case <-changed:
			case <-waiting.C:
				waiting.Reset(teller.waits(h.after))
			case <-driver.Done():
				teller.look(driver.Status())
				return
			case <-h.closing:
				return
			}
		}
	})
}

// close lets what is queued go out, within limits.
func (h *herald) close() {
	close(h.closing)
	h.follows.Wait()
	if h.notifier != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastWordsIn)
		defer cancel()
		h.notifier.Close(ctx)
	}
	for _, hook := range h.hooks {
		hook.Close()
	}
}

// runTeller makes events of what it is shown of one run.
type runTeller struct {
	cluster string
	tell    func(notify.Event)
	now     func() time.Time

	last  *rollout.Status // nil = nothing was seen yet
	asked string          // the question that stands
	since time.Time       // since when it, or its like, waits
	told  int             // how often that it waits was told
}

// look tells what is new. It reports that another question stands than before.
func (t *runTeller) look(st *rollout.Status) (newQuestion bool) {
	before := t.last
	if before == nil {
		before = &rollout.Status{Steps: make([]rollout.StepStatus, len(st.Steps))}
		t.say(st, notify.Started, 0, prose.PlanTitle(st.Plan))
	}
	for _, note := range newNotes(before.Notes, st.Notes) {
		if note.Kind == rollout.NoteAnomaly {
			t.say(st, notify.Anomaly, note.Node, rowed(note))
		}
	}
	for i, step := range st.Steps {
		if step.State > rollout.StepRunning && before.Steps[i].State <= rollout.StepRunning {
			t.say(st, notify.NodeDone, step.Plan.Node, prose.StepState(step.State)+because(step.Why))
		}
	}
	if st.State == rollout.RunHalted && before.State != rollout.RunHalted {
		t.say(st, notify.Halted, 0, "halted"+because(st.Why))
	}
	if st.Outcome != nil && before.Outcome == nil {
		t.say(st, notify.Finished, 0, prose.OutcomeWord(st))
	}
	asked := t.asked
	t.last, t.asked = st, heldBy(st)
	if t.asked == asked {
		return false // a question that got old is put anew, and still waits
	}
	t.since, t.told = t.now(), 0
	return t.asked != ""
}

// newNotes are those that were made since the newest of the old ones. Both are
// rings of which the oldest may have gone.
func newNotes(old, now []rollout.Note) []rollout.Note {
	if len(old) == 0 {
		return now
	}
	for i := len(now) - 1; i >= 0; i-- {
		if now[i] == old[len(old)-1] {
			return now[i+1:]
		}
	}
	return now
}

// rowed is a note's text with the row of the failure matrix that it is about.
func rowed(n rollout.Note) string {
	if n.Row == "" {
		return n.Text
	}
	return n.Text + " [" + n.Row + "]"
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// waits tells that the question has stood for long enough, and says when to tell
// it again: a person who is asleep is told louder, that is at longer and longer
// intervals, for as long as the question stands (E28).
func (t *runTeller) waits(after time.Duration) (next time.Duration) {
	if t.asked == "" {
		return after
	}
	text := t.asked
	if t.told > 0 {
		text += fmt.Sprintf(" (nobody has answered for %s)", prose.Span(t.now().Sub(t.since)))
	}
	t.told++
	t.say(t.last, notify.Waiting, t.last.Prompt.Node, text)
	return min(after<<t.told, tellAtMost)
}

func (t *runTeller) say(st *rollout.Status, kind notify.Kind, node client.NodeID, text string) {
	t.tell(notify.Event{Kind: kind, At: st.At, Cluster: t.cluster, Run: st.Run, Node: node, Text: text})
}
