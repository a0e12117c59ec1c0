package rollout

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/live"
)

// Driver carries one run out: it feeds the Machine with what happens and does
// what the Machine says. One goroutine owns the Machine; requests and the
// restart command run in goroutines of their own, which the Driver waits for.
// All methods are safe for use by several goroutines.
type Driver struct {
	eng  *Engine
	j    *journal.Journal
	lock *journal.Lock
	run  string

	events     chan Event
	lines      chan HookOutput // of the restart command; those that nobody takes in time are dropped
	answers    chan answering
	interrupts chan Interrupted
	quit       chan struct{} // closed when nothing more is taken
	done       chan struct{} // closed when everything has ended

	board live.Board[Status]

	// Below belongs to the loop.
	m         Machine
	snap      *cluster.Snapshot
	last      time.Time // of the newest event
	timer     *time.Timer
	work      sync.WaitGroup
	reads     context.Context // of what may be given up at the end
	giveUp    context.CancelFunc
	refresh   atomic.Bool
	shards    map[client.NodeID]func()
	processes map[client.NodeID]func()
	readsWere int
}

// answering is an answer and where its verdict goes.
type answering struct {
	answer  Answer
	verdict chan error
}

func newDriver(ctx context.Context, e *Engine, m Machine, j *journal.Journal, lock *journal.Lock) *Driver {
	d := &Driver{
		eng: e, j: j, lock: lock, run: j.RunID(),
		events: make(chan Event), lines: make(chan HookOutput, 64), answers: make(chan answering), interrupts: make(chan Interrupted),
		quit: make(chan struct{}), done: make(chan struct{}),
		shards: map[client.NodeID]func(){}, processes: map[client.NodeID]func(){},
		m: m, timer: time.NewTimer(time.Hour),
	}
	if e.cfg.Reads != nil {
		d.readsWere = e.cfg.Reads()
	}
	d.reads, d.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	d.publish()
	pings, unsubscribe := e.cfg.Poller.SubscribeReads()
	go func() {
		defer unsubscribe()
		d.loop(ctx, pings)
	}()
	return d
}

// Status is the run as it stands. It must not be changed.
func (d *Driver) Status() *Status { return d.board.Latest() }

// Subscribe returns a channel that is pinged when Status has changed, and what ends that.
func (d *Driver) Subscribe() (<-chan struct{}, func()) { return d.board.Subscribe() }

// Answer gives an operator's answer to the question that stands. Errors:
// ErrNoQuestion, *StaleAnswerError, *NotAChoiceError, *ChoiceOffError,
// *TypeIDError, ErrNoReason; nothing was done then.
func (d *Driver) Answer(a Answer) error {
	req := answering{answer: a, verdict: make(chan error, 1)}
	select {
	case d.answers <- req:
		return <-req.verdict
	case <-d.quit:
		return ErrNoQuestion
	}
}

// Pause stops the run as soon as nothing of ours is half done, a call that is
// unanswered or a restart command, and offers a menu. It cancels nothing: a drain goes on.
func (d *Driver) Pause(why string) { d.interrupt(Interrupted{Kind: Pause, Why: why}) }

// PauseLater lets the phase that runs come to its end first, and stops the run before
// the next one, whatever answers stand.
func (d *Driver) PauseLater(why string) { d.interrupt(Interrupted{Kind: PauseLater, Why: why}) }

// Detach leaves once the step in flight is over: a call that is unanswered, a
// restart command that runs. What the controller does goes on and is named in
// the Outcome.
func (d *Driver) Detach(why string) { d.interrupt(Interrupted{Kind: Detach, Why: why}) }

// Killed is Detach because of a signal: a run that has changed nothing yet then
// ends with this code, in its journal and report too.
func (d *Driver) Killed(why string, exit ExitCode) {
	d.interrupt(Interrupted{Kind: Detach, Why: why, Exit: exit})
}

// Abandon is Detach without waiting for a restart command. The command is not
// killed; it is named in the Outcome with its process.
func (d *Driver) Abandon(why string) { d.interrupt(Interrupted{Kind: Abandon, Why: why}) }

func (d *Driver) interrupt(i Interrupted) {
	select {
	case d.interrupts <- i:
	case <-d.quit:
	}
}

// Done is closed when the run has ended and everything of it has been waited for.
func (d *Driver) Done() <-chan struct{} { return d.done }

// Wait waits for the end.
func (d *Driver) Wait() Outcome {
	<-d.done
	return *d.Status().Outcome
}

// loop feeds the Machine until it has ended.
func (d *Driver) loop(ctx context.Context, pings <-chan struct{}) {
	defer close(d.done)
	leave := ctx.Done()
	d.look()
	for !d.m.Ended() {
		select {
		case <-pings:
			d.look()
		case <-d.timer.C:
			d.apply(Tick{At: time.Now()})
		case ev := <-d.events:
			d.apply(ev)
		case line := <-d.lines:
			d.apply(line)
		case req := <-d.answers:
			d.take(req)
		case i := <-d.interrupts:
			i.At = time.Now()
			d.apply(i)
		case <-leave:
			leave = nil
			d.apply(Interrupted{At: time.Now(), Kind: Detach, Why: "the program ends: " + context.Cause(ctx).Error()})
		}
	}
	d.end()
}

// take checks an answer against the newest picture before it counts.
func (d *Driver) take(req answering) {
	d.look()
	if req.answer.At.IsZero() {
		req.answer.At = time.Now()
	}
	err := d.m.Check(req.answer)
	if err == nil {
		d.apply(Answered{At: time.Now(), Answer: req.answer})
	}
	req.verdict <- err
}

// look hands the newest picture over, if there is a newer one.
func (d *Driver) look() {
	if snap := d.eng.cfg.Poller.Latest(); snap != d.snap {
		d.snap = snap
		seen := Observed{At: time.Now(), Snapshot: snap}
		if err := d.j.Room(); err != nil {
			seen.Full = err.Error()
		}
		if err := d.lock.Held(); err != nil {
			seen.Unlocked = err.Error()
		}
		d.step(seen)
	}
}

// apply gives the Machine an event, together with the newest picture.
func (d *Driver) apply(ev Event) {
	d.look()
	d.step(ev)
}

func (d *Driver) step(ev Event) {
	if d.m.Ended() {
		return
	}
	before := d.last
	d.last = ev.at()
	if jump := slept(before, d.last); !before.IsZero() && jump > jumpMost {
		d.step(WokeUp{At: d.last, Slept: jump})
	}
	next, effects := d.m.Apply(ev)
	d.m = next
	if err, unsent := d.carryOut(effects); err != nil {
		d.eng.log.Error("journal", "run", d.run, "error", err)
		d.step(JournalFailed{At: time.Now(), Err: err, Unsent: unsent})
		return
	}
	d.arm()
	d.publish()
}

// arm sets the timer for when time alone may change something.
func (d *Driver) arm() {
	wake := d.m.Wake()
	if wake.IsZero() {
		d.timer.Stop()
		return
	}
	d.timer.Reset(max(time.Millisecond, time.Until(wake)))
}

func (d *Driver) publish() {
	st := d.m.Status()
	st.Run, st.Journal = d.run, d.j.Path()
	if d.eng.cfg.Reads != nil {
		st.Calls.Reads = d.eng.cfg.Reads() - d.readsWere
	}
	if st.Outcome != nil {
		st.Outcome.JournalSum = d.j.Sum()
	}
	d.board.Publish(&st)
}

// end waits for everything, writes the report and gives the lock back.
func (d *Driver) end() {
	close(d.quit)
	d.giveUp()
	d.timer.Stop()
	d.work.Wait()
	for _, release := range d.shards {
		release()
	}
	for _, release := range d.processes {
		release()
	}
	d.publish()
	d.writeReport()
	if err := d.j.Close(); err != nil {
		d.eng.log.Warn("close the journal", "run", d.run, "error", err)
	}
	if err := d.lock.Release(); err != nil {
		d.eng.log.Warn("release the lock", "run", d.run, "error", err)
	}
}

func (d *Driver) writeReport() {
	st := d.Status()
	b, err := json.MarshalIndent(st, "", "  ")
	if err == nil {
		_, err = d.j.WriteReport("json", b)
	}
	if err != nil {
		d.eng.log.Warn("write the report", "run", d.run, "error", err)
	}
	if _, err := d.j.WriteReport("md", []byte(Markdown(st))); err != nil {
		d.eng.log.Warn("write the report", "run", d.run, "error", err)
	}
}
