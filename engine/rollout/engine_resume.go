package rollout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// ErrNothingUnfinished: there is no run to take up again.
var ErrNothingUnfinished = errors.New("no run is unfinished")

// WrongClusterError: the journal was written on a cluster that has no node in
// common with this one (E22).
type WrongClusterError struct{ Run string }

func (e *WrongClusterError) Error() string {
	return "run " + e.Run + " belongs to another cluster: no node id and AZ of it is in this one's list"
}

// ChoiceOfRunsError: more than one run is unfinished, so one has to be named.
type ChoiceOfRunsError struct{ Runs []string }

func (e *ChoiceOfRunsError) Error() string {
	return fmt.Sprintf("several runs are unfinished, name one of them: %v", e.Runs)
}

// Resume takes an unfinished run up again; "" means the only one there is. The
// Driver first asks once, with what the journal says and what the cluster shows;
// nothing is sent before that. Errors as of Start, and ErrNothingUnfinished,
// *ChoiceOfRunsError, *WrongClusterError, journal.ErrNewer and
// *journal.CorruptError.
func (e *Engine) Resume(ctx context.Context, run string) (*Driver, error) {
	if e.cfg.Identity.ReadOnly {
		return nil, ErrReadOnly
	}
	snap := e.cfg.Poller.Latest()
	if snap.Stale(time.Now()) {
		return nil, ErrNotObserved
	}
	run, err := e.unfinishedNamed(run)
	if err != nil {
		return nil, err
	}
	lock, err := e.lock(run)
	if err != nil {
		return nil, err
	}
	m, j, err := e.reopen(run, snap)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return newDriver(ctx, e, m, j, lock), nil
}

func (e *Engine) unfinishedNamed(run string) (string, error) {
	open, err := e.cfg.Store.Unfinished()
	if err != nil {
		return "", &JournalError{Err: err}
	}
	return ChooseRun(slices.DeleteFunc(open, func(r journal.RunInfo) bool { return r.Verb == journal.VerbReconfigure }), run)
}

// ChooseRun finds the run that is meant among the unfinished ones; "" means the only one
// there is. Errors: ErrNothingUnfinished, *ChoiceOfRunsError.
func ChooseRun(open []journal.RunInfo, run string) (string, error) {
	var names []string
	for _, r := range open {
		names = append(names, r.ID)
	}
	switch {
	case len(names) == 0:
		return "", ErrNothingUnfinished
	case run == "" && len(names) > 1:
		return "", &ChoiceOfRunsError{Runs: names}
	case run == "":
		return names[0], nil
	case !slices.Contains(names, run):
		return "", fmt.Errorf("run %s: %w", run, ErrNothingUnfinished)
	}
	return run, nil
}

// reopen reads a run and makes its Machine.
func (e *Engine) reopen(run string, snap *cluster.Snapshot) (Machine, *journal.Journal, error) {
	j, records, repair, err := e.cfg.Store.Reopen(run)
	if err != nil {
		return Machine{}, nil, &JournalError{Err: err}
	}
	if repair.Torn() {
		e.log.Warn("journal repaired", "run", run, "repair", repair.String())
	}
	m, err := e.remember(j, records, snap)
	if err != nil {
		return Machine{}, nil, errors.Join(err, j.Close())
	}
	return m, j, nil
}

func (e *Engine) remember(j *journal.Journal, records journal.Records, snap *cluster.Snapshot) (Machine, error) {
	b := Fold(records)
	if !sameCluster(b.Header.Members, snap) {
		return Machine{}, &WrongClusterError{Run: j.RunID()}
	}
	plan, err := readPlan(j, b.Header)
	if err != nil {
		return Machine{}, &JournalError{Err: fmt.Errorf("plan of run %s: %w", j.RunID(), err)}
	}
	if plan.Goal == GoalRestart {
		if err := e.cfg.Hook.Validate(); err != nil {
			return Machine{}, fmt.Errorf("restart command: %w", err)
		}
	}
	plan.Identity = e.cfg.Identity
	for i := range plan.Steps {
		// The command that would be run is the one that is configured now.
		if n, ok := snap.Node(plan.Steps[i].Node); ok && plan.Goal == GoalRestart {
			plan.Steps[i].Hook = e.hookLiteral(n.Node)
		}
	}
	for i := range b.Nodes {
		h := &b.Nodes[i].Hook
		h.Alive = h.Seq > 0 && !h.ended() && h.Process.Alive()
	}
	return Resumed(plan, e.cfg.Settings, b), nil
}

// sameCluster reports a node id and AZ in common. Nodes come and go, and an
// address may be another port-forward: neither makes another cluster.
func sameCluster(members []journal.Member, snap *cluster.Snapshot) bool {
	return slices.ContainsFunc(snap.Nodes.Value, func(n cluster.Node) bool {
		return slices.Contains(members, journal.Member{ID: n.ID, AZ: n.AZ()})
	})
}

var errPlanChanged = errors.New("plan.json is not what the run began with")

// readPlan reads the plan that was confirmed; its order is frozen.
func readPlan(j *journal.Journal, h journal.Header) (Plan, error) {
	b, err := os.ReadFile(filepath.Join(j.Dir(), "plan.json"))
	if err != nil {
		return Plan{}, err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != h.PlanSHA256 {
		return Plan{}, errPlanChanged
	}
	var plan Plan
	if err := json.Unmarshal(b, &plan); err != nil {
		return Plan{}, err
	}
	return plan, nil
}

// hookLook is how often a command of an earlier process is looked for.
const hookLook = 200 * time.Millisecond

// watchHook waits for a command that an earlier process started. Its exit status
// is lost with that process; what it printed is not.
func (d *Driver) watchHook(e WatchHook) Event {
	tick := time.NewTicker(hookLook)
	defer tick.Stop()
	out := HookResult{Exit: -1, Lost: true, Word: "nobody saw the end"}
	for e.Process.Alive() {
		if time.Now().After(e.Until) {
			out.Word = fmt.Sprintf("process %d still runs after its time limit; it was not ended", e.Process.PID)
			return HookEnded{At: time.Now(), Eff: e.Eff, Result: out}
		}
		select {
		case <-tick.C:
		case <-d.quit:
			return nil
		}
	}
	said, err := hook.Collect(hook.Options{LogPath: d.j.HookLog(e.Node, e.Attempt), Redact: d.eng.cfg.Redact})
	if err != nil {
		d.eng.log.Error("read what a restart command printed", "node", e.Node, "error", err)
	}
	out.Tail, out.Empty = said.Tail, said.Identity.Disk == hook.DiskEmpty
	d.eng.cfg.Poller.Hot(hotAfterCall)
	return HookEnded{At: time.Now(), Eff: e.Eff, Result: out}
}
