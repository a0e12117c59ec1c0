package sim

import (
	"container/heap"
	"time"
)

// event is something that falls due at a simulated time. Events of the same
// time run in the order in which they were scheduled.
type event struct {
	at    time.Duration
	seq   uint64
	run   func()
	index int // place in the heap, -1 once taken out
}

type eventQueue []*event

func (q eventQueue) Len() int { return len(q) }

func (q eventQueue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}

func (q eventQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *eventQueue) Push(x any) {
	e := x.(*event)
	e.index = len(*q)
	*q = append(*q, e)
}

func (q *eventQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	e.index = -1
	return e
}

// after schedules fn. It belongs to the world, not to the controller process:
// pageserver processes go on when the controller is gone.
func (w *World) after(d time.Duration, fn func()) *event {
	w.seq++
	e := &event{at: w.now + max(d, 0), seq: w.seq, run: fn}
	heap.Push(&w.events, e)
	return e
}

// afterController schedules work of the controller process. It is dropped if
// that process has ended by then.
func (w *World) afterController(d time.Duration, fn func()) *event {
	epoch := w.epoch
	return w.after(d, func() {
		if w.epoch == epoch {
			fn()
		}
	})
}

func (w *World) cancel(e *event) {
	if e != nil && e.index >= 0 {
		heap.Remove(&w.events, e.index)
	}
}

// Now is the simulated time since the world began.
func (w *World) Now() time.Duration { return w.now }

// Next is when the next thing happens by itself; false when nothing will.
func (w *World) Next() (time.Duration, bool) {
	if len(w.events) == 0 {
		return 0, false
	}
	return w.events[0].at, true
}

// Step runs the next event if it falls due by the given moment; false when
// none does.
func (w *World) Step(by time.Duration) bool {
	if len(w.events) == 0 || w.events[0].at > by {
		return false
	}
	e := heap.Pop(&w.events).(*event)
	w.now = max(w.now, e.at)
	e.run()
	return true
}

// Advance moves simulated time to the given moment and runs, in order,
// everything that falls due until then. A moment in the past changes nothing.
func (w *World) Advance(to time.Duration) {
	for w.Step(to) {
	}
	w.now = max(w.now, to)
}
