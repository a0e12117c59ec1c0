package reconfigure

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// item is one compute, and what its next state depends on.
type item struct {
	ItemStatus

	looked    time.Time // when the newest status was asked for that was answered
	readAt    time.Time // when it was answered, or an error came
	reading   bool
	misses    int    // reads in a row without an answer
	missed    string // why the newest got none
	absent    bool   // nobody listens there
	tenant    string
	startErr  string    // the compute's own, of a failed start
	since     time.Time // when the present state was first seen, since the spec was sent
	heard     time.Time // when it last answered, since the spec was sent
	busySince time.Time

	eff     string // the call that is unanswered; "" = none
	result  *ConfigureEnded
	until   time.Time // by when the effect has to show
	settled time.Time // when the call's end became known: what is read before tells nothing

	verifying bool
	effect    *Effect
	effectAt  time.Time
}

// look reads the compute's status unless that was done within the last pace.
func (m *Machine) look(i int, pace time.Duration) {
	it := &m.items[i]
	if it.reading || !it.readAt.IsZero() && !m.due(it.readAt.Add(pace)) {
		return
	}
	it.reading = true
	m.emit(ReadStatus{Item: i})
}

// read takes a status in.
func (m *Machine) read(e StatusRead) {
	it := &m.items[e.Item]
	it.reading, it.readAt = false, e.At
	if e.Err != nil {
		it.misses++
		it.missed, it.absent = e.Err.Error(), e.Absent
		if !it.State.Over() && it.misses >= missesMost && it.Sent.IsZero() {
			it.Compute = ""
		}
		it.looked = e.Asked
		return
	}
	it.misses, it.missed, it.absent = 0, "", false
	it.looked = e.Asked
	if it.State.Over() {
		return
	}
	it.tenant, it.startErr = text(e.Status.Tenant), text(e.Status.Error)
	if it.Sent.IsZero() || e.Asked.Before(it.Sent) {
		it.Compute = e.Status.State
		return
	}
	it.heard = e.At
	if it.since.IsZero() || e.Status.State != it.Compute {
		it.since = e.At
		it.Path = append(it.Path, Passed{State: e.Status.State, At: e.At})
		m.record(journal.Record{Kind: journal.KindObs, Eff: it.key()}.With(obsData{Compute: it.Item.Compute, Status: e.Status.State}))
	}
	it.Compute = e.Status.State
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// notReady says why a compute takes no spec now, "" when it does.
func (it *item) notReady() string {
	switch {
	case it.misses >= missesMost || it.misses > 0 && it.Compute == "":
		return "it does not answer: " + it.missed
	case it.Compute == compute.StateFailed:
		why := "it has failed and takes no spec any more; its control plane must restart it"
		if it.startErr != "" {
			why += ": " + it.startErr
		}
		return why
	case it.Compute == "":
		return "nothing is known of it yet"
	case it.Compute == compute.StateEmpty:
		return ""
	case busy(it.Compute):
		return "it is busy: " + string(it.Compute)
	case it.Compute != compute.StateRunning:
		return "it is " + string(it.Compute)
	case it.Item.Tenant != "" && it.tenant != "" && it.tenant != it.Item.Tenant:
		return "it serves tenant " + it.tenant + ", and the spec is of tenant " + it.Item.Tenant
	}
	return ""
}

// step lets one compute of an approved wave go on.
func (m *Machine) step(i int) {
	switch m.items[i].State {
	case ItemPending, ItemWaiting:
		m.send(i)
	case ItemUnanswered:
		m.unanswered(i)
	case ItemUnclear:
		m.unclear(i)
	case ItemVerifying:
		m.verify(i)
	}
}

// send sends the spec, once a fresh status shows that it will be taken.
func (m *Machine) send(i int) {
	it := &m.items[i]
	if m.frozen() || m.inFlight() >= m.set.AtOnce {
		return
	}
	if it.readAt.Before(it.settled) || m.due(it.looked.Add(freshFor)) || it.misses > 0 && it.misses < missesMost {
		m.look(i, m.set.PollSoon)
		return
	}
	if busy(it.Compute) {
		m.wait(i)
		return
	}
	if why := it.notReady(); why != "" {
		m.end(it, ItemSkipped, "", why, "nothing was sent")
		return
	}
	m.emitConfigure(i)
}

// wait lets a busy compute come to rest (K2); it is asked again, nothing else.
func (m *Machine) wait(i int) {
	it := &m.items[i]
	if it.busySince.IsZero() {
		it.busySince = m.at
		m.note(it.Item.Compute, "K2", "is busy: "+string(it.Compute)+"; waiting for it, "+m.set.Busy.String()+" at most", false)
	}
	m.become(it, ItemWaiting)
	if m.due(it.busySince.Add(m.set.Busy)) {
		m.end(it, ItemSkipped, "K2", "it was busy for "+m.set.Busy.String()+": "+string(it.Compute), "nothing was sent")
		return
	}
	m.look(i, m.set.Poll)
}

func (m *Machine) inFlight() (n int) {
	for i := range m.items {
		if m.items[i].inFlight() {
			n++
		}
	}
	return n
}

// inFlight reports a spec that was sent and of which the end is not known.
func (it *item) inFlight() bool {
	switch it.State {
	case ItemUnanswered, ItemUnclear, ItemVerifying:
		return true
	}
	return false
}

// emitConfigure records the intent and sends.
func (m *Machine) emitConfigure(i int) {
	it := &m.items[i]
	it.Attempt++
	it.eff = it.key()
	if it.Attempt == 1 {
		it.Before = it.Compute
	}
	it.Sent, it.Sending = m.at, true
	it.heard, it.since = time.Time{}, time.Time{}
	it.effect, it.result = nil, nil
	m.sent++
	m.become(it, ItemUnanswered)
	m.record(journal.Record{
		Kind: journal.KindIntent, Eff: it.eff, Att: it.Attempt, Cls: journal.ADV, Call: "POST " + it.Item.URL + "/configure",
		Pre: &journal.Pre{Policy: string(it.Compute)},
	}.With(intentData{Compute: it.Item.Compute, SHA256: it.Item.SHA256, Wave: it.Item.Wave}))
	m.emit(Configure{Item: i, Eff: it.eff, Attempt: it.Attempt, Limit: m.set.Configure})
	m.look(i, m.set.PollSoon)
}

func (it *item) key() string { return it.Item.Compute + ".configure" }

// answered takes the end of a call in; one that is no longer awaited is only recorded.
func (m *Machine) answered(e ConfigureEnded) {
	it := &m.items[e.Item]
	it.Sending = false
	r := journal.Result{Class: resultClass(e.Verdict), Status: e.Status}
	if e.Err != nil {
		r.Msg = e.Err.Error()
	}
	m.record(journal.Record{Kind: journal.KindResult, Eff: e.Eff, Att: e.Attempt, Cls: journal.ADV}.With(r))
	if it.State == ItemUnanswered && e.Attempt == it.Attempt {
		it.result, it.settled = &e, e.At
	}
}

func resultClass(v compute.Verdict) journal.ResultClass {
	switch v {
	case compute.Applied:
		return journal.ResultOK
	case compute.Busy, compute.BadSpec, compute.NotSent:
		return journal.ResultRefused
	case compute.Failed:
		return journal.ResultFailed
	}
	return journal.ResultAmbiguous
}

// unanswered waits for the call and looks at the status beside it: what that says ends
// the wait, since a /configure that failed sometimes never answers (K9).
func (m *Machine) unanswered(i int) {
	it := &m.items[i]
	if it.result != nil {
		m.settle(i)
		return
	}
	if m.watched(i) {
		m.emit(Forget{Item: i})
		return
	}
	if it.silent(m) {
		m.emit(Forget{Item: i})
		m.end(it, ItemUnknown, "K1", "no answer, outcome unknown: "+orNothing(it.missed), leftUnknown)
	}
}

const (
	leftUnknown = "look at it again before anything is sent to it"
	leftFailed  = "its Postgres may still serve; do not restart Postgres by hand, its control plane must restart the compute"
	leftStuck   = "it answers nothing any more; its control plane must restart the compute"
)

func orNothing(missed string) string {
	if missed == "" {
		return "neither /configure nor /status answered"
	}
	return missed
}

// silent reports that nothing was heard of the compute for too long.
func (it *item) silent(m *Machine) bool {
	return m.due(later(it.Sent, later(it.heard, it.settled)).Add(m.set.Silent))
}

// settle goes on from the call's answer.
func (m *Machine) settle(i int) {
	it := &m.items[i]
	e := *it.result
	it.eff = ""
	switch e.Verdict {
	case compute.Applied:
		m.beginVerify(it)
	case compute.Busy: // nothing was done
		m.sentNothing(it)
		if e.Busy != "" {
			it.Compute = e.Busy
		}
		if it.Compute == compute.StateFailed || !busy(it.Compute) && it.Compute != compute.StateRunning && it.Compute != compute.StateEmpty {
			m.end(it, ItemFailed, "K2", words(e), "")
			return
		}
		m.wait(i)
	case compute.BadSpec:
		m.end(it, ItemRefused, "K3", words(e), "nothing was done; the spec is wrong, for this compute or for all")
	case compute.Failed:
		it.Compute = compute.StateFailed
		m.end(it, ItemFailed, "K4", words(e), leftFailed)
	case compute.NotSent:
		m.end(it, ItemFailed, "", "it could not be asked: "+words(e), "nothing was done")
	default:
		m.note(it.Item.Compute, "K1", "no answer to /configure: "+words(e)+"; its status has to tell", false)
		m.become(it, ItemUnclear)
	}
}

// sentNothing takes a refused attempt back: it is no second try of the spec.
func (m *Machine) sentNothing(it *item) {
	it.Attempt--
	it.Sent = time.Time{}
}

// words are the server's own where there are some.
func words(e ConfigureEnded) string {
	var answer *client.Error
	switch {
	case errors.As(e.Err, &answer) && answer.Msg != "":
		return answer.Msg
	case e.Err != nil:
		return e.Err.Error()
	}
	return fmt.Sprintf("HTTP %d", e.Status)
}

// watched looks at the status of a compute that has a spec in hand. It reports an end.
func (m *Machine) watched(i int) bool {
	it := &m.items[i]
	pace := m.set.PollSoon
	if !m.at.Before(it.Sent.Add(youngFor)) {
		pace = m.set.Poll
	}
	m.look(i, pace)
	if it.looked.Before(it.Sent) {
		return false
	}
	switch {
	case it.misses >= missesMost && it.absent:
		m.gone(it)
		return true
	case it.misses > 0 || it.since.IsZero():
		return false
	}
	switch it.Compute {
	case compute.StateFailed:
		row := "K9"
		if it.result != nil {
			row = "K1"
		}
		why := "it says failed"
		if it.startErr != "" {
			why += ": " + it.startErr
		}
		m.end(it, ItemFailed, row, why, leftFailed)
		return true
	case compute.StateTerminationPendingFast, compute.StateTerminationPendingImmediate, compute.StateTerminated:
		m.end(it, ItemGone, "K5", "it is "+string(it.Compute), "")
		return true
	case compute.StateConfiguration, compute.StateConfigurationPending:
		if m.due(it.since.Add(m.set.Stuck)) {
			m.end(it, ItemStuck, "K10", "it has been "+string(it.Compute)+" for "+m.set.Stuck.String(), leftStuck)
			return true
		}
	}
	return false
}

// gone: one that was being started has failed, and cannot say why any more; any other
// was ended by somebody.
func (m *Machine) gone(it *item) {
	if it.Before == compute.StateEmpty {
		m.end(it, ItemFailed, "K4", "its process ended while it started; it cannot say why any more", "its log has the cause")
		return
	}
	m.end(it, ItemGone, "K5", "its process has ended: "+it.missed, "")
}

// unclear: the call ended without an answer, and the status has to tell (K1). A compute
// that runs is looked at for the effect; the spec is sent once more if that is not seen.
func (m *Machine) unclear(i int) {
	it := &m.items[i]
	if m.watched(i) {
		return
	}
	if it.silent(m) {
		m.end(it, ItemUnknown, "K1", "no answer, outcome unknown: "+orNothing(it.missed), leftUnknown)
		return
	}
	if it.misses > 0 || !it.looked.After(it.settled) || it.Compute != compute.StateRunning && it.Compute != compute.StateEmpty {
		return
	}
	if it.Compute == compute.StateEmpty {
		m.again(i)
		return
	}
	switch {
	case it.effect == nil || !it.effectAt.After(it.settled):
		m.readEffect(i)
	case it.effect.shows(it.Item.Reads) == seen:
		m.beginVerify(it)
	default:
		m.again(i)
	}
}

// again sends the spec once more, after an attempt of which nothing is seen.
func (m *Machine) again(i int) {
	it := &m.items[i]
	if it.Attempt >= sendsMost || m.frozen() {
		m.end(it, ItemUnknown, "K1", "no answer to "+plural(it.Attempt, "attempt")+", and its effect is not seen", leftUnknown)
		return
	}
	m.note(it.Item.Compute, "K1", "it runs and the effect is not seen: sent once more", false)
	m.emitConfigure(i)
}

// become records a change of state.
func (m *Machine) become(it *item, s ItemState) {
	if it.State == s {
		return
	}
	m.record(journal.Record{Kind: journal.KindState, Eff: it.key(), Durable: s.Over()}.With(stateData{
		Compute: it.Item.Compute, From: it.State.String(), To: s.String(), Row: it.Row, Why: it.Why, Left: it.Left,
	}))
	it.State, m.turns = s, true
}

// end closes one compute.
func (m *Machine) end(it *item, s ItemState, row, why, left string) {
	it.Row, it.Why, it.Left, it.Ended, it.eff = row, why, left, m.at, ""
	m.become(it, s)
	line := s.Word()
	if rest := strings.TrimPrefix(why, line+": "); rest != "" {
		line += ": " + rest
	}
	m.note(it.Item.Compute, row, line, s != ItemDone && s != ItemAccepted)
}
