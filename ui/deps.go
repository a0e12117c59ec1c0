package ui

import (
	"context"
	"io"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// Source is where the picture of the cluster comes from.
type Source interface {
	Latest() *cluster.Snapshot // nil before the first
	// Subscribe gives a channel that is pinged after every change, and a
	// function that ends it.
	Subscribe() (<-chan struct{}, func())
}

// ShardWatcher is a Source that can read the shard list of a node while
// somebody looks at it.
type ShardWatcher interface {
	WatchShards(id client.NodeID) (release func())
}

// ComputeWatcher is a Source that can ask a compute more closely while somebody looks
// at it.
type ComputeWatcher interface {
	WatchCompute(name string) (release func())
}

// Runs makes plans and starts runs. Both may take long and end with ctx.
type Runs interface {
	Plan(ctx context.Context, goal rollout.Goal, nodes []client.NodeID) (rollout.Plan, error)
	// Start starts a run. The run is not bound to ctx: it lives until it ends or is
	// detached.
	Start(ctx context.Context, plan rollout.Plan) (LiveRun, error)
}

// OpenRuns is a Runs that can tell anew which run an earlier console left open,
// since it may be closed by somebody else; "" = none. It reads files.
type OpenRuns interface {
	Unfinished() (view.OpenRun, error)
}

// Neighbours is a Runs that knows what other consoles of this host do. log asks
// for the newest records of the run that one of them drives. It reads files.
type Neighbours interface {
	Elsewhere(log bool) view.Elsewhere
}

// Resumer is a Runs that can take an unfinished run up again. The run is not
// bound to ctx.
type Resumer interface {
	Resume(ctx context.Context, run string) (LiveRun, error)
}

// LiveRun is a live or ended run.
type LiveRun interface {
	Status() *rollout.Status
	Subscribe() (<-chan struct{}, func())
	Answer(a rollout.Answer) error
	// Pause has the run stand still as soon as nothing is half done, and ask.
	Pause(why string)
	// PauseLater does so once the phase that runs is over.
	PauseLater(why string)
	// Detach ends the run's hold on the cluster and leaves what runs there.
	Detach(why string)
	// Killed is Detach because of a signal, with the code of a run that has changed
	// nothing yet.
	Killed(why string, exit rollout.ExitCode)
	// Abandon is Detach without waiting for a restart command, which runs on.
	Abandon(why string)
	// Done is closed when the run has ended or is detached, its journal closed.
	Done() <-chan struct{}
}

// Deps is everything that the program needs. Source, Runs and Styles must be
// set.
type Deps struct {
	Source Source
	Runs   Runs
	// Reconfigures is for the computes; nil = nothing can be sent to them.
	Reconfigures Reconfigures
	Styles       *themes.Styles
	ASCII        bool // a locale without UTF-8

	Operator rollout.Operator
	// ReadOnly says why nothing can be sent, "" when it can; the Snapshot's
	// Identity carries the flag that screens show.
	ReadOnly string
	// Unfinished is the run that an earlier console left open, as it was at the start.
	Unfinished view.OpenRun
	// Plan is a plan to open on; nil = the dashboard alone.
	Plan *rollout.Plan
	// Run is a run to open on that goes on already; nil = none.
	Run LiveRun
	// SpecPlan is a reconfigure's plan to open on; nil = none.
	SpecPlan *reconfigure.Plan
	// Reconfigure is one to open on that goes on already; nil = none.
	Reconfigure LiveReconfigure
	// Releases follows the release; nil = none is watched.
	Releases Releases
	// OpenRelease opens on the release.
	OpenRelease bool
	// Told brings what the operator should read that happened outside of the console's
	// screens; nil = nothing does.
	Told     <-chan string
	Version  string
	Location *time.Location // of wall-clock times; nil = local
	// Settle is how long after the start keys are not taken, for a terminal
	// that may still be answering a question (probe.Answer.Unanswered).
	Settle time.Duration
	// CrashLog is the file that a panic's stack goes to; "" = standard error.
	CrashLog string

	// Width and Height are the size to begin with, for an output that is no
	// terminal and so never tells its own.
	Width, Height int

	Input  io.Reader        // nil = the terminal
	Output io.Writer        // nil = standard output
	Stderr io.Writer        // nil = standard error
	Now    func() time.Time // nil = time.Now
}

func (d Deps) withDefaults() Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Location == nil {
		d.Location = time.Local
	}
	return d
}
