package rollout

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// maySend reports that a mutating call may leave now: nothing is in flight,
// the picture is fresh, the run is not held and the back-off is over.
func (m *Machine) maySend() bool {
	if m.call.busy() || m.hook.busy() || m.stale() || m.hold.Reason != "" || m.broken != nil {
		return false
	}
	return m.step().notTill.IsZero() || m.due(m.step().notTill)
}

// send records the intent and sends a mutating call. A further attempt keeps
// the effect's key.
func (m *Machine) send(kind CallKind) {
	s := m.step()
	if s.attempt == 0 {
		s.ordinal[kind.phase()]++
	}
	s.attempt++
	s.result, s.notTill = nil, time.Time{}
	eff := m.eff(kind.phase())
	m.call = inflight{eff: eff, kind: kind}
	m.count(kind, 1)
	m.record(journal.Record{
		Kind: journal.KindIntent, Eff: eff, Att: s.attempt, Cls: kind.class(),
		Call: kind.Literal(s.Plan.Node), Pre: m.pre(),
	})
	m.emit(SendCall{Eff: eff, Kind: kind, Node: s.Plan.Node, Expect: s.seen.policy, Saw: m.snap})
}

// answer of the present call, once; nil while there is none.
func (m *Machine) takeResult() *CallEnded {
	s := m.step()
	r := s.result
	s.result = nil
	return r
}

// eff is the idempotency key of the newest effect of a phase.
func (m *Machine) eff(phase string) string {
	s := m.step()
	return "n" + s.Plan.Node.String() + "." + phase + "." + strconv.Itoa(s.ordinal[phase])
}

func (m *Machine) count(kind CallKind, n int) {
	switch kind {
	case CallDrain:
		m.calls.Drain += n
	case CallCancelDrain:
		m.calls.CancelDrain += n
	case CallFill:
		m.calls.Fill += n
	case CallCancelFill:
		m.calls.CancelFill += n
	case CallActivate:
		m.calls.Configure += n
	}
}

// again sets the back-off for a further attempt; false when there were enough.
func (m *Machine) again() bool {
	s := m.step()
	if s.attempt > m.set.Retries {
		return false
	}
	s.notTill = m.at.Add(m.backoff(s.attempt))
	return true
}

// backoff is full jitter under a ceiling that doubles with each attempt. The
// source is a function of the run's facts, so that Apply stays pure.
func (m *Machine) backoff(attempt int) time.Duration {
	ceiling := min(m.set.RetryMin<<min(attempt-1, 16), m.set.RetryMax)
	source := rand.New(rand.NewPCG(m.set.Seed, uint64(m.id())<<32|m.seq))
	return time.Duration(source.Int64N(int64(ceiling) + 1))
}

// pre is what the effect rests on, for the journal.
func (m *Machine) pre() *journal.Pre {
	s := m.step()
	p := &journal.Pre{Policy: string(s.seen.policy), Availability: string(s.seen.avail), Launch: m.launchNow()}
	if e, ok := m.epochOf(); ok {
		p.Epoch = e.String()
	}
	if n := m.attachedNow(); n >= 0 {
		count := int(n)
		p.AttShards = &count
	}
	if n, ok := m.node(); ok && n.Process.Known() {
		p.Revision = n.Process.Value.Build.Revision
	}
	return p
}

// resultOf is what the journal keeps of an ended call.
func resultOf(e CallEnded) journal.Result {
	r := journal.Result{Class: journal.ResultOK}
	if e.Seen != "" {
		return journal.Result{Class: journal.ResultRefused, Msg: "not sent: the policy is " + string(e.Seen)}
	}
	if e.Held != "" && e.Err == nil {
		return journal.Result{Class: journal.ResultRefused, Msg: "not sent: " + e.Held}
	}
	if e.Err == nil {
		return r
	}
	r.Status, r.Msg = client.StatusOf(e.Err), e.Err.Error()
	switch client.KindOf(e.Err) {
	case client.Refused, client.Unauthorized:
		r.Class = journal.ResultRefused
	case client.Ambiguous:
		r.Class = journal.ResultAmbiguous
	default:
		r.Class = journal.ResultFailed
	}
	return r
}

func (m *Machine) record(r journal.Record) {
	if r.Node == 0 {
		r.Node = m.id()
	}
	r.T = m.at
	m.emit(Record{Rec: r})
}

func (m *Machine) recordState(from, to nodeState, durable bool) {
	m.record(journal.Record{Kind: journal.KindState, Durable: durable}.With(journal.State{From: from.String(), To: to.String()}))
}

// probing is what the journal shows of a probe. It is a PUT that changes
// nothing, so it has an intent like any other, and a class of its own.
func (m *Machine) recordProbing() {
	s := m.step()
	s.ordinal["probe"]++
	m.record(journal.Record{
		Kind: journal.KindIntent, Eff: m.eff("probe"), Att: 1, Cls: journal.OBS,
		Call: "PUT /control/v1/node/" + s.Plan.Node.String() + `/config {"node_id":` + s.Plan.Node.String() + "}",
	})
}

func (m *Machine) recordProbe(p Probed) {
	r := journal.Result{Class: journal.ResultOK, Msg: "the slot is free"}
	switch {
	case p.Err != nil:
		r = resultOf(CallEnded{Err: p.Err})
	case p.Op != nil:
		r.Class, r.Msg = journal.ResultRefused, "running: "+p.Op.String()
	}
	m.record(journal.Record{Kind: journal.KindResult, Eff: m.eff("probe"), Att: 1, Cls: journal.OBS}.With(r))
}
