package reconfigure

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Belief is what a journal says of its run: what was meant and what was heard. What a
// compute does now, only it tells.
type Belief struct {
	Header journal.Header
	Began  time.Time
	Items  map[string]ItemBelief // by compute
	Closed bool

	asked int // highest number of a question
	sent  int
}

// ItemBelief is what a journal says of one compute.
type ItemBelief struct {
	State   ItemState
	Row     string
	Why     string
	Left    string
	Attempt int       // of the newest call that may have been carried out
	Sent    time.Time // of the newest intent; zero = never meant
	Ended   time.Time // of State, when that is an end
	Path    []Passed  // the states it went through since it was sent
	Before  compute.State
	Open    bool // the newest call has no recorded answer, or one that tells nothing
}

// Fold reads the records of a run.
func Fold(recs journal.Records) Belief {
	b := Belief{Items: map[string]ItemBelief{}}
	for _, r := range recs {
		b.fold(r)
	}
	return b
}

func (b *Belief) fold(r journal.Record) {
	switch r.Kind {
	case journal.KindHeader:
		_ = r.Decode(&b.Header) // one that cannot be read has no plan, which ends the resume
		b.Began = r.T
	case journal.KindPrompt:
		b.asked++
	case journal.KindIntent:
		var d intentData
		if r.Decode(&d) != nil {
			return
		}
		it := b.Items[d.Compute]
		it.Open, it.Attempt, it.Sent, it.State, it.Path = true, r.Att, r.T, ItemUnanswered, nil
		if r.Pre != nil && r.Att == 1 {
			it.Before = compute.State(r.Pre.Policy)
		}
		b.Items[d.Compute] = it
		b.sent++
	case journal.KindObs:
		var d obsData
		if r.Decode(&d) != nil {
			return
		}
		it := b.Items[d.Compute]
		it.Path = append(it.Path, Passed{State: d.Status, At: r.T})
		b.Items[d.Compute] = it
	case journal.KindResult:
		b.result(r)
	case journal.KindState:
		var d stateData
		if r.Decode(&d) != nil {
			return
		}
		it := b.Items[d.Compute]
		it.State, it.Row, it.Why, it.Left, it.Ended = stateNamed(d.To), d.Row, d.Why, d.Left, r.T
		b.Items[d.Compute] = it
	case journal.KindClose:
		b.Closed = true
	}
}

func (b *Belief) result(r journal.Record) {
	var d journal.Result
	if r.Decode(&d) != nil {
		return
	}
	for name, it := range b.Items {
		if r.Eff != name+".configure" || r.Att != it.Attempt {
			continue
		}
		it.Open = d.Class == journal.ResultAmbiguous
		if d.Class == journal.ResultRefused {
			it.Attempt, it.Sent = it.Attempt-1, time.Time{}
		}
		b.Items[name] = it
	}
}

func stateNamed(name string) ItemState {
	for s := ItemPending; s <= ItemSkipped; s++ {
		if s.String() == name {
			return s
		}
	}
	return ItemPending
}

// Resumed makes the Machine of a run that an earlier process left. It looks, shows what
// it would do, and sends nothing before one yes.
func Resumed(plan Plan, set Settings, b Belief) Machine {
	m := New(plan, set)
	m.belief, m.started, m.asked, m.sent = &b, b.Began, b.asked, b.sent
	for i := range m.items {
		it := &m.items[i]
		was, ok := b.Items[it.Item.Compute]
		if !ok {
			continue
		}
		it.Attempt, it.Before = was.Attempt, was.Before
		if was.State.Over() {
			it.State, it.Row, it.Why, it.Left = was.State, was.Row, was.Why, was.Left
			it.Sent, it.Ended, it.Path = was.Sent, was.Ended, was.Path
			if n := len(was.Path); n > 0 {
				it.Compute = was.Path[n-1].State
			}
		}
	}
	return m
}

// askResume puts what the journal says beside what the computes say.
func (m *Machine) askResume() {
	if m.waveBegan.IsZero() {
		m.waveBegan = m.at
	}
	p := Prompt{Ask: AskResume}
	settled := true
	for i := range m.items {
		it := &m.items[i]
		if it.State.Over() {
			continue
		}
		m.look(i, m.set.Poll)
		settled = settled && !it.looked.Before(m.waveBegan) && (it.misses == 0 || it.misses >= missesMost)
		was := m.belief.Items[it.Item.Compute]
		p.Facts = append(p.Facts, Fact{
			Compute: it.Item.Compute, Status: it.Compute, Ready: it.notReady() == "", Journal: was.State, Why: proposal(was),
		})
	}
	if !settled {
		return
	}
	p.Choices = append([]Choice{
		{Word: rollout.WordYes, Does: "take the run up again as shown"},
		{Word: rollout.WordNo, Does: "leave it as it is"},
	}, Choice{Word: rollout.WordAbort, Does: "end the run; what was applied stays"})
	m.put(p)
}

// proposal is what taking the run up would do with one compute.
func proposal(was ItemBelief) string {
	switch {
	case was.Sent.IsZero():
		return "it goes with its wave, after a question"
	case was.Open && was.Attempt < sendsMost:
		return "its spec was sent and no answer is recorded: its status and the effect tell; it is sent once more if nothing of it is seen"
	case was.Open:
		return "its spec was sent twice and no answer is recorded: its status and the effect tell"
	}
	return "it took the spec; the effect is read"
}

// takenUp goes on where the journal ends.
func (m *Machine) takenUp() {
	for i := range m.items {
		it := &m.items[i]
		was := m.belief.Items[it.Item.Compute]
		if it.State.Over() || was.Sent.IsZero() {
			continue
		}
		it.Sent, it.settled, it.since, it.heard = m.at, m.at, time.Time{}, time.Time{}
		if was.Open {
			m.become(it, ItemUnclear)
			continue
		}
		m.beginVerify(it)
	}
	m.belief = nil
	m.state, m.approved = RunRunning, false
	m.wave = 1
	for m.wave < m.plan.Waves && m.waveOver() {
		m.wave++
	}
	m.approved = m.inFlight() > 0 // the wave was approved; those of it that were not sent are asked about
	m.waveBegan = m.at
	m.record(journal.Record{Kind: journal.KindResume}.With(map[string]int{"wave": m.wave}))
}
