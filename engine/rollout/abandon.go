package rollout

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// hookBegan keeps which process the restart command is, for whoever has to find
// it after this program has left it.
func (m *Machine) hookBegan(e HookBegan) {
	if e.Eff == m.hook.eff && e.Eff != "" {
		m.work().process = e
		m.record(journal.Record{Kind: journal.KindSent, Eff: e.Eff, Att: 1, Cls: journal.ONCE}.
			With(hook.Started{PID: e.PID, PGID: e.PID, StartTicks: e.Ticks}))
	}
}

// leftRunning names a restart command that runs on without anybody to wait for
// it, and how to learn what came of it.
func (m *Machine) leftRunning(policy client.NodePolicy) LeftBehind {
	s := m.step()
	who, look := "its restart command", "storcon-tui status"
	if s.process.PID > 0 {
		who += fmt.Sprintf(" (pid %d, output in %s)", s.process.PID, hook.SpoolPath(s.process.Log))
		look = fmt.Sprintf("ps -p %d; storcon-tui status", s.process.PID)
	}
	return LeftBehind{
		Node:    s.Plan.Node,
		State:   who + " was left running and was not killed; policy " + string(policy) + " when last read",
		Command: look + "  (a new launch time of the node proves the restart)",
	}
}

// abandonedHook is what the record of leaving holds: what is left, and the
// process of a restart command that runs on.
func (m *Machine) abandonedHook(left []string) map[string]any {
	out := map[string]any{"left": left}
	if m.hook.busy() {
		p := m.step().process
		out["hook"] = map[string]any{"eff": m.hook.eff, "pid": p.PID, "start_ticks": p.Ticks, "log": p.Log}
	}
	return out
}
