package reconfigure

import (
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Machine decides what a run does next. It is a value: Apply changes nothing in the
// receiver. It has no clock, sends nothing and starts nothing. Its states are
// level-triggered: a reconfigure of six milliseconds that no poll has seen needs no
// special case.
type Machine struct {
	set  Settings
	plan Plan
	at   time.Time

	state   RunState
	why     string
	items   []item
	wave    int // present, from 1
	notes   []Note
	outcome *Outcome
	started time.Time
	ended   time.Time
	seq     uint64
	sent    int
	belief  *Belief // what the journal says, until the run is taken up; nil = a new run, or taken up

	approved  bool      // the present wave
	waveBegan time.Time // statuses read before do not count
	forgiven  int       // failures after which a person said to go on
	standing  bool      // yes to the waves to come, until the first trouble

	prompt *Prompt
	mark   string
	asked  int
	stands bool

	pausing      bool
	pausingLater bool   // before the next wave
	leaving      string // why the operator detaches; "" = stays
	abandoned    bool   // calls that are unanswered are not waited for
	aborting     bool
	byHand       bool // the operator left computes out
	killed       rollout.ExitCode
	broken       error // the journal's

	wake  time.Time
	out   []Do
	turns bool
}

// New makes the Machine of a run that has not begun.
func New(plan Plan, set Settings) Machine {
	m := Machine{set: set.orDefaults(), plan: plan, wave: 1}
	m.set.Limit = plan.Limit
	for _, it := range plan.Items {
		m.items = append(m.items, item{ItemStatus: ItemStatus{Item: it}})
	}
	return m
}

// maxTurns bounds how many states one event may lead through.
const maxTurns = 16

// Apply takes one event and gives the next Machine and what has to be done, in order.
func (m Machine) Apply(ev Event) (Machine, []Do) {
	n := m.clone()
	if n.state == RunEnded {
		return n, nil
	}
	if n.at = later(n.at, ev.at()); n.started.IsZero() {
		n.started = n.at
	}
	n.wake, n.stands = time.Time{}, false
	n.absorb(ev)
	for range maxTurns {
		n.turns = false
		n.turn()
		if !n.turns || n.state == RunEnded {
			break
		}
	}
	if n.prompt != nil && !n.stands {
		n.prompt, n.mark = nil, ""
	}
	n.seq++
	out := n.out
	n.out = nil
	return n, out
}

func later(a, b time.Time) time.Time {
	if b.Before(a) {
		return a
	}
	return b
}

// Wake is when a Tick is due, zero when only other events matter.
func (m Machine) Wake() time.Time { return m.wake }

// Ended reports that nothing will happen any more.
func (m Machine) Ended() bool { return m.state == RunEnded }

func (m Machine) clone() Machine {
	m.items = slices.Clone(m.items)
	for i := range m.items {
		m.items[i].Path = slices.Clip(m.items[i].Path)
	}
	m.notes = slices.Clip(m.notes)
	m.out = nil
	return m
}

// absorb takes an event's facts in. What they mean is for the states to say.
func (m *Machine) absorb(ev Event) {
	switch e := ev.(type) {
	case StatusRead:
		m.read(e)
	case ConfigureEnded:
		m.answered(e)
	case Verified:
		it := &m.items[e.Item]
		it.verifying = false
		if it.State == ItemVerifying || it.State == ItemUnclear {
			it.effect, it.effectAt = &e.Effect, e.At
		}
	case Answered:
		m.answer(e.Answer)
	case JournalFailed:
		m.broken = e.Err
	case Interrupted:
		m.interrupt(e)
	}
}

func (m *Machine) interrupt(e Interrupted) {
	switch e.Kind {
	case rollout.Pause:
		m.pausing, m.why = true, e.Why
	case rollout.PauseLater:
		m.pausingLater, m.why = true, e.Why
	case rollout.Detach, rollout.Abandon:
		m.leaving, m.killed = e.Why, e.Exit
		m.abandoned = m.abandoned || e.Kind == rollout.Abandon
	}
}

// turn lets the run's overlays and then the present wave look at the facts.
func (m *Machine) turn() {
	idle := m.idle()
	switch {
	case m.broken != nil:
		m.endBroken()
	case m.leaving != "" && (idle || m.abandoned):
		m.endDetached()
	case m.aborting && idle:
		m.endAborted()
	case m.belief != nil:
		m.askResume()
	case m.pausing && idle:
		m.askPaused()
	case m.state == RunHalted && idle:
		m.askHalted()
	default:
		m.state = max(m.state, RunRunning)
		m.run()
	}
}

// run goes on with the present wave, and to the next when it is over.
func (m *Machine) run() {
	open := false
	for i := range m.items {
		if m.items[i].Item.Wave != m.wave {
			continue
		}
		if m.approved || m.items[i].inFlight() {
			m.step(i)
		}
		open = open || !m.items[i].State.Over()
	}
	switch {
	case !m.idle():
	case m.stopping():
		m.halt()
	case !open:
		m.nextWave()
	case !m.approved:
		m.prepare()
	}
}

// stopping reports that no further spec may be sent: more failed than may, or one was
// refused, which the next compute would do as well.
func (m *Machine) stopping() bool {
	bad := m.bad()
	return bad > max(m.plan.Limit, m.forgiven) || bad > m.forgiven && m.refused() > 0
}

// frozen reports that nothing new is sent, for whatever reason.
func (m *Machine) frozen() bool {
	return m.stopping() || m.pausing || m.leaving != "" || m.aborting || m.broken != nil
}

func (m *Machine) bad() (n int) {
	for i := range m.items {
		if m.items[i].State.Bad() {
			n++
		}
	}
	return n
}

func (m *Machine) refused() (n int) {
	for i := range m.items {
		if m.items[i].State == ItemRefused {
			n++
		}
	}
	return n
}

// idle reports that no call is unanswered and no effect is being read.
func (m *Machine) idle() bool {
	return m.inFlight() == 0
}

func (m *Machine) halt() {
	if m.remaining() == 0 {
		m.endDone()
		return
	}
	if m.state != RunHalted {
		m.state, m.standing = RunHalted, false
		m.why = plural(m.bad(), "compute") + " failed, the limit is " + fmt.Sprint(m.plan.Limit)
		m.turns = true
	}
}

func (m *Machine) remaining() (n int) {
	for i := range m.items {
		if !m.items[i].State.Over() {
			n++
		}
	}
	return n
}

func (m *Machine) nextWave() {
	if m.remaining() == 0 {
		m.endDone()
		return
	}
	for m.wave < m.plan.Waves && m.waveOver() {
		m.wave++
	}
	m.approved, m.waveBegan, m.turns = false, m.at, true
	if m.pausingLater {
		m.pausing, m.pausingLater = true, false
	}
}

func (m *Machine) waveOver() bool {
	return !slices.ContainsFunc(m.items, func(it item) bool { return it.Item.Wave == m.wave && !it.State.Over() })
}

// prepare asks the wave's computes how they are, waits for the busy ones, and asks the
// operator.
func (m *Machine) prepare() {
	if m.waveBegan.IsZero() {
		m.waveBegan = m.at
	}
	settled := true
	p := Prompt{Ask: AskWave}
	ready := 0
	for i := range m.items {
		it := &m.items[i]
		if it.Item.Wave != m.wave || it.State.Over() {
			continue
		}
		m.look(i, m.set.Poll)
		settled = m.settled(it) && settled
		f := Fact{Compute: it.Item.Compute, Status: it.Compute, Why: it.notReady()}
		if f.Ready = f.Why == ""; f.Ready {
			ready++
		}
		p.Facts = append(p.Facts, f)
	}
	if !settled {
		return
	}
	off := ""
	if ready == 0 {
		off = "none of them takes a spec now"
	}
	p.Choices = []Choice{
		{Word: rollout.WordYes, Does: "POST /configure to " + plural(ready, "compute"), Off: off},
		{Word: rollout.WordNo, Does: "pause here"},
		{Word: rollout.WordSkip, Does: "send nothing to " + plural(len(p.Facts), "compute"), Reason: true},
	}
	if ready < len(p.Facts) {
		p.Choices = append(p.Choices, Choice{Word: rollout.WordWait, Does: "look again for " + m.set.Busy.String()})
	}
	if m.wave < m.plan.Waves {
		p.Choices = append(p.Choices, Choice{Word: rollout.WordRestOfRun, Does: "yes to this and the waves to come, until the first trouble", Off: off})
	}
	p.Choices = append(p.Choices, endings()...)
	m.put(p)
}

func endings() []Choice {
	return []Choice{
		{Word: rollout.WordAbort, Does: "end the run; what was applied stays"},
		{Word: rollout.WordDetach, Does: "leave; the run can be taken up again"},
	}
}

// settled reports that enough is known of a compute to ask about it: it is ready, or
// its time to become so is over.
func (m *Machine) settled(it *item) bool {
	switch {
	case it.looked.Before(m.waveBegan):
		return false
	case it.misses > 0:
		return it.misses >= missesMost
	case busy(it.Compute):
		if it.busySince.IsZero() {
			it.busySince = m.at
			m.note(it.Item.Compute, "K2", "is busy: "+string(it.Compute)+"; waiting for it, "+m.set.Busy.String()+" at most", false)
		}
		return m.due(it.busySince.Add(m.set.Busy))
	}
	it.busySince = time.Time{}
	return true
}

// busy reports a state that ends by itself in one that takes a spec.
func busy(s compute.State) bool {
	switch s {
	case compute.StateInit, compute.StateConfiguration, compute.StateConfigurationPending, compute.StateRefresh, compute.StateRefreshPending:
		return true
	}
	return false
}

func (m *Machine) askPaused() {
	m.state = RunPaused
	m.put(Prompt{Ask: AskPaused, Cause: m.why, Choices: append([]Choice{
		{Word: rollout.WordResume, Does: "go on with wave " + fmt.Sprint(m.wave) + " of " + fmt.Sprint(m.plan.Waves)},
	}, endings()...)})
}

func (m *Machine) askHalted() {
	p := Prompt{Ask: AskHalted, Cause: m.why}
	for i := range m.items {
		if it := &m.items[i]; it.State.Bad() {
			p.Facts = append(p.Facts, Fact{Compute: it.Item.Compute, Status: it.Compute, Journal: it.State, Why: it.Why})
		}
	}
	p.Choices = append([]Choice{
		{Word: rollout.WordNo, Does: "leave it halted; it can be taken up again"},
		{Word: WordContinue, Does: "go on with the " + plural(m.remaining(), "compute") + " left", Reason: true},
	}, endings()...)
	m.put(p)
}

func (m *Machine) emit(d Do) { m.out = append(m.out, d) }

func (m *Machine) record(r journal.Record) { m.emit(Record{Rec: r}) }

// due reports that t has come; otherwise it asks to be woken then.
func (m *Machine) due(t time.Time) bool {
	if !m.at.Before(t) {
		return true
	}
	if m.wake.IsZero() || t.Before(m.wake) {
		m.wake = t
	}
	return false
}

const noteRing = 200

// note adds a line to the run's log. Trouble ends the standing answer.
func (m *Machine) note(name, row, text string, bad bool) {
	m.notes = append(m.notes, Note{At: m.at, Compute: name, Row: row, Text: text, Bad: bad})
	if len(m.notes) > noteRing {
		m.notes = m.notes[len(m.notes)-noteRing:]
	}
	if bad {
		m.standing = false
		m.record(journal.Record{Kind: journal.KindAnomaly, Why: text}.With(noteData{Compute: name, Row: row}))
	}
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Status is the run as people see it.
func (m Machine) Status() Status {
	st := Status{
		Seq: m.seq, Identity: m.plan.Identity, At: m.at, Started: m.started, Ended: m.ended,
		State: m.state, Why: m.why, Wave: m.wave, Plan: m.plan, Notes: m.notes, Sent: m.sent, Outcome: m.outcome,
	}
	st.Items = make([]ItemStatus, len(m.items))
	for i := range m.items {
		st.Items[i] = m.items[i].ItemStatus
	}
	if m.prompt != nil {
		p := *m.prompt
		st.Prompt = &p
	}
	return st
}
