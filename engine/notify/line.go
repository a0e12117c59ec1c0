package notify

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// line is the queue before one sink.
type line struct {
	sink Sink
	wake chan struct{}

	mu     sync.Mutex
	queue  []Event // oldest first
	closed bool
	stats  Stats
}

func (l *line) put(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if len(l.queue) == queueLength {
		l.queue = l.queue[1:]
		l.stats.Dropped++
	}
	l.queue = append(l.queue, e)
	l.ring()
}

func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.ring()
}

func (l *line) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take is the oldest event. more is false once there will be none.
func (l *line) take() (e Event, found, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return Event{}, false, !l.closed
	}
	e, l.queue = l.queue[0], l.queue[1:]
	return e, true, true
}

// serve sends what is queued until the line is closed and empty, or ctx ends.
func (l *line) serve(ctx context.Context, trouble func(string, error)) {
	for {
		e, found, more := l.take()
		switch {
		case found:
			if err := l.deliver(ctx, e); err != nil {
				trouble(l.sink.Name(), err)
			}
			continue
		case !more:
			return
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return
		}
	}
}

// deliver tries a few times. An event may so arrive twice, with the same key.
func (l *line) deliver(ctx context.Context, e Event) error {
	var err error
	pause := firstPause
	for try := range tries {
		if try > 0 && !sleep(ctx, pause) {
			break
		}
		if try > 0 {
			pause *= 2
		}
		limit, cancel := context.WithTimeout(ctx, sendLimit)
		err = l.sink.Send(limit, e)
		cancel()
		if err == nil {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Err = err
	if err != nil {
		l.stats.Failed++
		return fmt.Errorf("tell %s of %q: %w", l.sink.Name(), e.Kind, err)
	}
	l.stats.Sent++
	return nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
