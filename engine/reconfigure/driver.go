package reconfigure

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/live"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// statusesAtOnce bounds the computes that are read side by side.
const statusesAtOnce = 32

// Driver carries one run out: it feeds the Machine with what happens and does what the
// Machine says. One goroutine owns the Machine; requests run in goroutines of their own,
// which the Driver waits for. All methods are safe for use by several goroutines.
type Driver struct {
	eng      *Engine
	plan     Plan               // never changed
	computes map[string]Compute // by name; never changed
	j        *journal.Journal
	lock     *journal.Lock

	events     chan Event
	answers    chan answering
	interrupts chan Interrupted
	quit       chan struct{} // closed when nothing more is taken
	done       chan struct{} // closed when everything has ended

	board live.Board[Status]

	// Below belongs to the loop.
	m       Machine
	timer   *time.Timer
	work    sync.WaitGroup
	slots   chan struct{}
	ctx     context.Context // of every request; ends with the run
	giveUp  context.CancelFunc
	waiting map[int]context.CancelFunc // for an answer to /configure, by item
}

// answering is an answer and where its verdict goes.
type answering struct {
	answer  Answer
	verdict chan error
}

func newDriver(ctx context.Context, e *Engine, m Machine, computes map[string]Compute, j *journal.Journal, lock *journal.Lock) *Driver {
	d := &Driver{
		eng: e, plan: m.plan, computes: computes, j: j, lock: lock,
		events: make(chan Event), answers: make(chan answering), interrupts: make(chan Interrupted),
		quit: make(chan struct{}), done: make(chan struct{}),
		m: m, timer: time.NewTimer(0), slots: make(chan struct{}, statusesAtOnce), waiting: map[int]context.CancelFunc{},
	}
	d.ctx, d.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	d.publish()
	go d.loop(ctx)
	return d
}

// Status is the run as it stands. It must not be changed.
func (d *Driver) Status() *Status { return d.board.Latest() }

// Subscribe returns a channel that is pinged when Status has changed, and what ends that.
func (d *Driver) Subscribe() (<-chan struct{}, func()) { return d.board.Subscribe() }

// Answer gives an operator's answer to the question that stands. Errors are those of
// Machine.Check; nothing was done then.
func (d *Driver) Answer(a Answer) error {
	req := answering{answer: a, verdict: make(chan error, 1)}
	select {
	case d.answers <- req:
		return <-req.verdict
	case <-d.quit:
		return rollout.ErrNoQuestion
	}
}

// Pause sends nothing more and offers a menu once every call is over.
func (d *Driver) Pause(why string) { d.interrupt(Interrupted{Kind: rollout.Pause, Why: why}) }

// PauseLater is Pause after the present wave.
func (d *Driver) PauseLater(why string) { d.interrupt(Interrupted{Kind: rollout.PauseLater, Why: why}) }

// Detach sends nothing more and leaves once every call is over.
func (d *Driver) Detach(why string) { d.interrupt(Interrupted{Kind: rollout.Detach, Why: why}) }

// Killed is Detach because of a signal: a run that has sent nothing yet ends with this
// code, in its journal too.
func (d *Driver) Killed(why string, exit rollout.ExitCode) {
	d.interrupt(Interrupted{Kind: rollout.Detach, Why: why, Exit: exit})
}

// Abandon leaves at once. What a compute was asked for goes on there, and is named in the
// Outcome.
func (d *Driver) Abandon(why string) { d.interrupt(Interrupted{Kind: rollout.Abandon, Why: why}) }

func (d *Driver) interrupt(i Interrupted) {
	select {
	case d.interrupts <- i:
	case <-d.quit:
	}
}

// Done is closed when the run has ended and everything of it has been waited for.
func (d *Driver) Done() <-chan struct{} { return d.done }

// loop feeds the Machine until it has ended.
func (d *Driver) loop(ctx context.Context) {
	defer close(d.done)
	leave := ctx.Done()
	for !d.m.Ended() {
		select {
		case <-d.timer.C:
			d.apply(Tick{At: time.Now()})
		case ev := <-d.events:
			d.apply(ev)
		case req := <-d.answers:
			if req.answer.At.IsZero() {
				req.answer.At = time.Now()
			}
			err := d.m.Check(req.answer)
			if err == nil {
				d.apply(Answered{At: time.Now(), Answer: req.answer})
			}
			req.verdict <- err
		case i := <-d.interrupts:
			i.At = time.Now()
			d.apply(i)
		case <-leave:
			leave = nil
			d.apply(Interrupted{At: time.Now(), Kind: rollout.Detach, Why: "the program ends: " + context.Cause(ctx).Error()})
		}
	}
	d.end()
}

func (d *Driver) apply(ev Event) {
	if d.m.Ended() {
		return
	}
	next, todo := d.m.Apply(ev)
	d.m = next
	for _, do := range todo {
		rec, ok := do.(Record)
		if !ok {
			d.carry(do)
			continue
		}
		if err := d.j.Append(rec.Rec); err != nil {
			d.eng.log.Error("journal", "run", d.j.RunID(), "error", err)
			d.apply(JournalFailed{At: time.Now(), Err: err})
			return
		}
	}
	if wake := d.m.Wake(); wake.IsZero() {
		d.timer.Stop()
	} else {
		d.timer.Reset(max(time.Millisecond, time.Until(wake)))
	}
	d.publish()
}

func (d *Driver) carry(do Do) {
	switch do := do.(type) {
	case ReadStatus:
		d.start(func() Event { return d.readStatus(do.Item) })
	case Configure:
		ctx, cancel := context.WithCancel(d.ctx)
		d.waiting[do.Item] = cancel
		d.start(func() Event {
			defer cancel()
			return d.configure(ctx, do)
		})
	case Forget:
		if cancel := d.waiting[do.Item]; cancel != nil {
			cancel()
			delete(d.waiting, do.Item)
		}
	case Verify:
		d.start(func() Event { return d.verify(do.Item) })
	}
}

// start does something in a goroutine and hands what came of it to the loop, if that
// still takes anything.
func (d *Driver) start(do func() Event) {
	d.work.Go(func() {
		ev := do()
		select {
		case d.events <- ev:
		case <-d.quit:
		}
	})
}

func (d *Driver) compute(i int) Compute { return d.computes[d.plan.Items[i].Compute] }

func (d *Driver) readStatus(i int) Event {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-d.ctx.Done():
	}
	out := StatusRead{Item: i, Asked: time.Now()}
	out.Status, out.Err = d.compute(i).Client.Status(d.ctx)
	out.Absent = errors.Is(out.Err, syscall.ECONNREFUSED)
	out.At = time.Now()
	return out
}

// configure sends one spec. A lock that keeps nobody out any more keeps it from being
// sent.
func (d *Driver) configure(ctx context.Context, e Configure) Event {
	out := ConfigureEnded{Item: e.Item, Eff: e.Eff, Attempt: e.Attempt}
	if err := d.lock.Held(); err != nil {
		out.At, out.Verdict, out.Err = time.Now(), compute.NotSent, err
		return out
	}
	spec, err := d.plan.Items[e.Item].spec.JSON()
	if err != nil {
		out.At, out.Verdict, out.Err = time.Now(), compute.NotSent, err
		return out
	}
	_, err = d.compute(e.Item).Client.Configure(ctx, spec, compute.FormToday, e.Limit)
	out.At, out.Err = time.Now(), err
	out.Verdict, out.Busy = compute.VerdictOf(err), compute.BusyState(err)
	out.Status = 200
	var answer *client.Error
	if err != nil {
		out.Status = 0
		if errors.As(err, &answer) {
			out.Status = answer.Status
		}
	}
	return out
}

// verify reads what shows of a spec.
func (d *Driver) verify(i int) Event {
	c, item := d.compute(i), d.plan.Items[i]
	var e Effect
	e.Status, e.Err = c.Client.Status(d.ctx)
	if e.Err == nil && e.Status.State == compute.StateRunning {
		if item.Reads.Writable {
			e.Writable = c.Client.CheckWritability(d.ctx)
		}
		if len(item.Reads.Settings) > 0 && c.Settings != nil {
			names := make([]string, len(item.Reads.Settings))
			for k, s := range item.Reads.Settings {
				names[k] = s.Name
			}
			e.Settings, e.SQLErr = readSettings(d.ctx, c, names)
		}
	}
	return Verified{At: time.Now(), Item: i, Effect: e}
}

func (d *Driver) publish() {
	st := d.m.Status()
	st.Run, st.Journal = d.j.RunID(), d.j.Path()
	if st.Outcome != nil {
		o := *st.Outcome
		o.JournalSum = d.j.Sum()
		st.Outcome = &o
	}
	d.board.Publish(&st)
}

// end waits for everything, writes the report and gives the lock back.
func (d *Driver) end() {
	close(d.quit)
	d.giveUp()
	d.timer.Stop()
	d.work.Wait()
	d.publish()
	report, err := json.MarshalIndent(d.Status(), "", "  ")
	if err == nil {
		_, err = d.j.WriteReport("json", report)
	}
	d.warn("write the report", err)
	_, err = d.j.WriteReport("md", []byte(Markdown(d.Status())))
	d.warn("write the report", err)
	d.warn("close the journal", d.j.Close())
	d.warn("release the lock", d.lock.Release())
}

func (d *Driver) warn(what string, err error) {
	if err != nil {
		d.eng.log.Warn(what, "run", d.j.RunID(), "error", err)
	}
}
