package reconfigure

import (
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/client/compute"
)

// shown is what an effect tells of a spec.
type shown int

const (
	untold  shown = iota // nothing of it can be read
	seen                 // all that can be read is as it should be
	differs              // something is not
)

// shows compares an effect with what was asked for.
func (e *Effect) shows(want Reads) shown {
	switch {
	case e.Err != nil || e.SQLErr != nil || len(want.Settings) == 0:
		return untold
	case len(e.different(want)) > 0:
		return differs
	}
	return seen
}

// different lists the settings that do not have the value they were given.
func (e *Effect) different(want Reads) []Differs {
	var out []Differs
	for _, s := range want.Settings {
		have, known := e.Settings[s.Name]
		switch {
		case !known:
			out = append(out, Differs{Name: s.Name, Want: s.Value, Have: "(Postgres does not know it)"})
		case !have.Equals(s.Value):
			out = append(out, Differs{Name: s.Name, Want: s.Value, Have: have.Value, Restart: have.Restart})
		}
	}
	return out
}

// beginVerify: the compute says that it took the spec.
func (m *Machine) beginVerify(it *item) {
	it.until, it.effect = m.at.Add(m.set.Verify), nil
	m.become(it, ItemVerifying)
}

func (m *Machine) readEffect(i int) {
	it := &m.items[i]
	if it.verifying || it.effect != nil && !m.due(it.effectAt.Add(lookAgain)) {
		return
	}
	it.verifying = true
	m.emit(Verify{Item: i})
}

// verify reads the effect until it is there, or its time is over. A server that answers
// 200 has not promised that Postgres took the settings (K8), nor that it lives (K11).
func (m *Machine) verify(i int) {
	it := &m.items[i]
	if it.effect == nil {
		m.readEffect(i)
		return
	}
	end, sure := m.verdict(it)
	if !sure && !m.due(it.until) {
		m.readEffect(i)
		return
	}
	end()
}

// verdict is the end that the newest effect speaks for; one that is not sure may still
// become another, since settings take a moment.
func (m *Machine) verdict(it *item) (end func(), sure bool) {
	e, state, tenant := it.effect, it.effect.Status.State, text(it.effect.Status.Tenant)
	as := func(s ItemState, row, why, left string) func() { return func() { m.end(it, s, row, why, left) } }
	switch {
	case e.Err != nil:
		return as(ItemUnknown, "K1", "it took the spec and does not answer since: "+e.Err.Error(), leftUnknown), false
	case state == compute.StateFailed:
		return as(ItemFailed, "K4", "it took the spec and says failed", leftFailed), true
	case state != compute.StateRunning:
		return as(ItemUnknown, "K1", "it took the spec and is "+string(state)+" since", leftUnknown), false
	case e.Writable != nil:
		return as(ItemFailed, "K11", "it says running, and Postgres takes no write: "+e.Writable.Error(), leftFailed), false
	case it.Item.Tenant != "" && tenant != "" && tenant != it.Item.Tenant:
		return as(ItemDegraded, "K8", "it serves tenant "+tenant+" and not that of its spec", "somebody else has configured it"), true
	case e.shows(it.Item.Reads) == differs:
		return func() { m.notInEffect(it) }, false
	}
	return m.taken(it, as)
}

// taken is the end of a spec that nothing speaks against.
func (m *Machine) taken(it *item, as func(s ItemState, row, why, left string) func()) (end func(), sure bool) {
	unread := len(it.Item.Reads.Unread)
	switch {
	case it.effect.SQLErr != nil:
		return as(ItemAccepted, "", "accepted, not verified: its settings cannot be read: "+it.effect.SQLErr.Error(), ""), false
	case unread > 0:
		return as(ItemAccepted, "", "accepted, not verified: "+plural(unread, "change")+" cannot be read back", ""), true
	}
	return as(ItemDone, "", "", ""), true
}

// notInEffect: accepted, and not so (K8).
func (m *Machine) notInEffect(it *item) {
	it.Differs = it.effect.different(it.Item.Reads)
	var names []string
	left := "Postgres refused the value: see its log"
	for _, d := range it.Differs {
		names = append(names, d.Name)
		if d.Restart {
			left = "it takes effect when Postgres is restarted"
		}
	}
	m.end(it, ItemDegraded, "K8", "accepted, not in effect: "+strings.Join(names, ", "), left)
}

// String is the state's name in the journal.
func (s ItemState) String() string {
	names := [...]string{
		"PENDING", "WAITING", "UNANSWERED", "UNCLEAR", "VERIFYING",
		"DONE", "ACCEPTED", "DEGRADED", "FAILED", "REFUSED", "STUCK", "UNKNOWN", "GONE", "SKIPPED",
	}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("STATE_%d", int(s))
	}
	return names[s]
}

// Word is the state in the words of a log.
func (s ItemState) Word() string {
	words := [...]string{
		"waiting", "busy", "configuring", "no answer yet", "reading the effect",
		"done", "accepted, not verified", "accepted, not in effect", "failed", "spec refused", "stuck", "unknown", "gone", "skipped",
	}
	if s < 0 || int(s) >= len(words) {
		return s.String()
	}
	return words[s]
}
