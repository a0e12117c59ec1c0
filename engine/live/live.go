// Package live holds what people follow while it goes on: the newest state of a run, and
// a ping when there is a newer one. It knows nothing of what the state is.
package live

import (
	"sync"
	"sync/atomic"
)

// Board shows the newest state. Its methods are safe for use by several goroutines; the
// zero value shows nothing.
type Board[S any] struct {
	state atomic.Pointer[S]

	mu   sync.Mutex
	subs map[chan struct{}]struct{}
}

// Latest is the newest state, nil before the first. It must not be changed.
func (b *Board[S]) Latest() *S { return b.state.Load() }

// Publish shows another state and pings whoever listens.
func (b *Board[S]) Publish(state *S) {
	b.state.Store(state)
	b.mu.Lock()
	defer b.mu.Unlock()
	for ping := range b.subs {
		select {
		case ping <- struct{}{}:
		default: // one that nobody took yet is as good
		}
	}
}

// Subscribe returns a channel that is pinged when there is a newer state, and what ends
// that. Pings that nobody took are one ping; the channel is never closed.
func (b *Board[S]) Subscribe() (<-chan struct{}, func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[chan struct{}]struct{}{}
	}
	ping := make(chan struct{}, 1)
	b.subs[ping] = struct{}{}
	return ping, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs, ping)
	}
}
