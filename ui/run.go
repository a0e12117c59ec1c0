package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// fps is how often the renderer looks for a new frame; an idle screen costs
// three quarters of a percent of a core at this rate, and a key is on the
// screen within a sixtieth of a second.
const fps = 60

// LostError says that the console did not end because the operator left it.
type LostError struct {
	Signal os.Signal // nil when the terminal itself failed
	Err    error     // why the terminal failed
}

func (e *LostError) Error() string {
	if e.Signal != nil {
		return "the console was ended by a signal: " + e.Signal.String()
	}
	return "the terminal was lost: " + e.Err.Error()
}

func (e *LostError) Unwrap() error { return e.Err }

// Run shows the console until the operator leaves it, ctx ends or the terminal
// is lost. A run that is live then is let go of, never cancelled: what it has
// started on the server stays, and its journal says so. The error is nil when
// the operator left, a *LostError when the terminal was lost or a signal came,
// and ctx's when that ended.
func Run(parent context.Context, d Deps) error {
	d = d.withDefaults()
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	m := newModel(ctx, d)
	e := &ending{cancel: cancel}
	m.crash, m.tasks.crash = e.crashed, e.crashed
	program := tea.NewProgram(m, options(ctx, d)...)

	var wg sync.WaitGroup
	pings, unsubscribe := d.Source.Subscribe()
	p := &pinger{source: pings, follow: make(chan follower, 1), send: program.Send}
	m.follow = func(r follower) {
		select {
		case p.follow <- r:
		case <-ctx.Done():
		}
	}
	wg.Go(func() {
		defer recovered("the listener", e.crashed)
		p.run(ctx)
	})
	wg.Go(func() { e.watch(ctx, d.Input) })
	wg.Go(func() { listen(ctx, d.Told, program.Send) })
	wg.Go(func() { listenToRelease(ctx, d.Releases, program.Send) })

	_, err := program.Run()
	cancel()
	m.tasks.close()
	m.release()
	unsubscribe()
	wg.Wait()
	err = e.reason(parent, d, err)
	if m.run != nil && view.RunLive(m.run.Status()) && !isClosed(m.run.Done()) {
		dismiss(m.run, err)
	}
	if m.respec != nil && view.ReconfigureLive(m.respec.Status()) && !isClosed(m.respec.Done()) {
		dismiss(m.respec, err)
	}
	return err
}

// listen hands on what is told.
func listen(ctx context.Context, told <-chan string, send func(tea.Msg)) {
	for {
		select {
		case text := <-told:
			send(toldMsg(text))
		case <-ctx.Done():
			return
		}
	}
}

// dismiss lets go of the run of a console that has ended.
func dismiss(run Detachable, err error) {
	why := "the console ended: " + orText(errorText(err), "the operator left")
	code := signalled(err)
	if code == 0 {
		detach(run, why)
		return
	}
	run.Killed(why, code)
	letGo(run, why)
}

// signalled is the exit code of a console that a signal ended, 0 if none did.
func signalled(err error) rollout.ExitCode {
	var lost *LostError
	if !errors.As(err, &lost) {
		return 0
	}
	sig, ok := lost.Signal.(syscall.Signal)
	if !ok || sig == syscall.SIGQUIT {
		return 0 // which has no code of its own
	}
	return rollout.ExitCode(128 + int(sig)) // as shells have it
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func options(ctx context.Context, d Deps) []tea.ProgramOption {
	o := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithAltScreen(), tea.WithReportFocus(), tea.WithFPS(fps),
		// Signals and panics are ours: a live run has to be let go of first.
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
	}
	if d.Input != nil {
		o = append(o, tea.WithInput(d.Input))
	}
	if d.Output != nil {
		o = append(o, tea.WithOutput(d.Output))
	}
	return o
}

func stderr(d Deps) io.Writer {
	if d.Stderr != nil {
		return d.Stderr
	}
	return os.Stderr
}
