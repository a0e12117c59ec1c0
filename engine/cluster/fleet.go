package cluster

import (
	"context"
	"maps"
	"time"
)

// fleet reads many small endpoints, each at its own pace: never one of them
// twice at a time, never more than limit of them at once.
type fleet[K comparable] struct {
	limit   int
	members func() []K // who is to be read now, no one twice
	// every says how long after the start of the last read the next one is due; it is
	// stretched by up to a fifth, so that the members do not march in step.
	every func(k K, asked time.Time) time.Duration
	// spacing is the least time a read, but for first ones: members that were read together
	// at first are spread by it. A member that is in a hurry is not held up, and the others
	// wait the longer.
	spacing time.Duration
	hurries func(k K) bool // nil = none does
	free    time.Time      // when the time of all reads so far is over
	read    func(ctx context.Context, k K)
	wake    <-chan struct{} // members or pace have changed
}

// lookAgain bounds how late a change of members or pace is noticed without a wake.
const lookAgain = time.Second

// turn is the last read of a member, and the luck of the pause after it.
type turn struct {
	asked time.Time
	ended time.Time
	luck  float64
}

// due is when the next read may start: never before as long has passed again
// as the last one took, so that a slow endpoint gets a rest.
func (t turn) due(every time.Duration) time.Time {
	due := t.asked.Add(time.Duration(float64(every) * (1 + t.luck/5)))
	if rested := t.ended.Add(t.ended.Sub(t.asked)); rested.After(due) {
		return rested
	}
	return due
}

// run reads until ctx ends, and then waits for the reads in flight.
func (f *fleet[K]) run(ctx context.Context) {
	turns := map[K]turn{}
	busy := map[K]bool{}
	done := make(chan K)
	defer func() {
		for len(busy) > 0 {
			delete(busy, <-done)
		}
	}()
	for ctx.Err() == nil {
		next := f.start(turns, busy, func(k K) {
			go func() {
				f.read(ctx, k)
				done <- k
			}()
		})
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
		case k := <-done:
			delete(busy, k)
			last := turns[k]
			last.ended = time.Now()
			turns[k] = last
		case <-f.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// start launches what is due and says when to look again.
func (f *fleet[K]) start(turns map[K]turn, busy map[K]bool, launch func(K)) time.Time {
	now := time.Now()
	next := now.Add(lookAgain)
	present := map[K]bool{}
	for _, k := range f.members() {
		present[k] = true
		if busy[k] {
			continue
		}
		last, known := turns[k]
		if due := last.due(f.every(k, last.asked)); known && due.After(now) {
			next = earlier(next, due)
			continue
		}
		if known && f.free.After(now) && !f.hurry(k) {
			next = earlier(next, f.free)
			continue
		}
		if len(busy) >= f.limit {
			continue // the end of a read comes back here
		}
		busy[k], turns[k] = true, turn{asked: now, ended: now, luck: luck()}
		launch(k)
		if known {
			f.spend(now)
		}
	}
	maps.DeleteFunc(turns, func(k K, _ turn) bool { return !present[k] && !busy[k] })
	return next
}

// mostOwed is how many reads in a hurry are made up for, so that the others are never
// forgotten.
const mostOwed = 10

// spend takes the time of one read.
func (f *fleet[K]) spend(now time.Time) {
	if f.free.Before(now) {
		f.free = now
	}
	f.free = earlier(f.free.Add(f.spacing), now.Add(mostOwed*f.spacing))
}

func (f *fleet[K]) hurry(k K) bool { return f.hurries != nil && f.hurries(k) }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
