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
	read  func(ctx context.Context, k K)
	wake  <-chan struct{} // members or pace have changed
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
		if len(busy) >= f.limit {
			continue // the end of a read comes back here
		}
		busy[k], turns[k] = true, turn{asked: now, ended: now, luck: luck()}
		launch(k)
	}
	maps.DeleteFunc(turns, func(k K, _ turn) bool { return !present[k] && !busy[k] })
	return next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
