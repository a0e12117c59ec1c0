package ui

import (
	"context"
	"fmt"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// tasks owns the commands that do I/O: Bubble Tea starts them and never waits
// for them; tasks does.
type tasks struct {
	ctx    context.Context //nolint:containedctx // its owner, cancelled by close
	cancel context.CancelFunc
	crash  func(where string, cause any) // set before the first command

	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func newTasks(ctx context.Context) *tasks {
	t := &tasks{crash: func(where string, cause any) { panic(fmt.Sprint(where, ": ", cause)) }}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t
}

// command makes a command out of f. Once close was called it does nothing.
func (t *tasks) command(f func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		t.mu.Lock()
		if t.closed {
			t.mu.Unlock()
			return nil
		}
		t.wg.Add(1)
		t.mu.Unlock()
		defer t.wg.Done()
		defer recovered("a command", t.crash)
		return f(t.ctx)
	}
}

// close cancels what runs and waits for it.
func (t *tasks) close() {
	t.cancel()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.wg.Wait()
}

// changedMsg says: look again.
type changedMsg struct{}

// pingGap bounds how often the screen looks again, however often it is pinged.
const pingGap = 50 * time.Millisecond

// follower is a run that tells of its changes.
type follower interface {
	Subscribe() (<-chan struct{}, func())
}

// pinger turns pings of any number of producers into one message at a time.
type pinger struct {
	source <-chan struct{}
	follow chan follower // a new run to listen to
	send   func(tea.Msg)
}

// run listens until ctx ends. send blocks while the program is busy, so that at
// most one message is under way; pings in the meantime fall together.
func (p *pinger) run(ctx context.Context) {
	clock := time.NewTicker(time.Second)
	defer clock.Stop()
	var ofRun <-chan struct{}
	end := func() {}
	defer func() { end() }()
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-p.follow:
			end()
			ofRun, end = r.Subscribe()
		case _, ok := <-p.source:
			if !ok {
				p.source = nil
			}
		case _, ok := <-ofRun:
			if !ok {
				ofRun = nil
			}
		case <-clock.C:
		}
		p.send(changedMsg{})
		select {
		case <-ctx.Done():
			return
		case <-time.After(pingGap):
		}
	}
}
