package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signalError is the signal that ended what was going on.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string {
	switch e.signal {
	case syscall.SIGINT:
		return "interrupted (SIGINT)"
	case syscall.SIGTERM:
		return "told to end (SIGTERM)"
	case syscall.SIGHUP:
		return "the terminal is gone (SIGHUP)"
	}
	return e.signal.String()
}

// signals turns signals into what they mean for a verb: SIGTERM and SIGHUP
// cancel its context, SIGINT too, unless somebody listens to interrupts. A
// signal after that is an interrupt.
type signals struct {
	interrupts chan struct{} // SIGINT, while listening

	mu        sync.Mutex
	listening bool
	ending    bool // a signal has cancelled; the next one is impatience
}

// watchSignals gives a context whose cause is the signalError. stop ends the
// watch and waits for it.
func watchSignals(parent context.Context) (ctx context.Context, s *signals, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	s = &signals{interrupts: make(chan struct{}, 2)}
	received := make(chan os.Signal, 4)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case got := <-received:
				s.take(got, cancel)
			case <-done:
				return
			}
		}
	})
	return ctx, s, func() {
		signal.Stop(received)
		close(done)
		watch.Wait()
		cancel(nil)
	}
}

func (s *signals) take(got os.Signal, cancel context.CancelCauseFunc) {
	sig, _ := got.(syscall.Signal)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listening && (sig == syscall.SIGINT || s.ending) {
		select {
		case s.interrupts <- struct{}{}:
		default: // two are waiting already
		}
		return
	}
	s.ending = true
	cancel(signalError{sig})
}

// listen has SIGINT go to interrupts from now on.
func (s *signals) listen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listening = true
}
