package rollout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/hook"
)

// errNoProcess: nothing tells a node's process from the next.
var errNoProcess = errors.New("reading the node's process is not configured")

// carryOut does what the Machine says, in order. After a record that could not
// be made durable nothing more is done; unsent says that a call or the restart
// command was among it.
func (d *Driver) carryOut(effects []Effect) (err error, unsent bool) { //nolint:revive // the flag only qualifies the error
	for i, e := range effects {
		if rec, ok := e.(Record); ok {
			if err := d.j.Append(rec.Rec); err != nil {
				return err, holdsSending(effects[i:])
			}
			continue
		}
		d.carry(e)
	}
	return nil, false
}

func holdsSending(effects []Effect) bool {
	for _, e := range effects {
		switch e.(type) {
		case SendCall, RunHook:
			return true
		}
	}
	return false
}

func (d *Driver) carry(e Effect) {
	switch e := e.(type) {
	case SendCall:
		d.start(func() Event { return d.sendCall(e) })
	case RunHook:
		d.start(func() Event { return d.runHook(e) })
	case WatchHook:
		d.start(func() Event { return d.watchHook(e) })
	case ListShards:
		d.start(func() Event { return d.listShards(e) })
	case ReadProcess:
		d.start(func() Event { return d.readProcess(e) })
	case Probe:
		d.start(func() Event { return d.probe(e) })
	case Locate:
		d.start(func() Event { return d.locate(e) })
	case DescribeMoved:
		d.start(func() Event { return d.describeMoved(e) })
	case Hurry:
		d.hurry()
	case Hot:
		d.eng.cfg.Poller.Hot(hotAfterCall)
	case Decide:
		d.eng.cfg.Poller.Decide(e.On)
	case WatchShards:
		watch(d.shards, e.Node, e.On, d.eng.cfg.Poller.WatchShards)
	case WatchProcess:
		watch(d.processes, e.Node, e.On, d.eng.cfg.Poller.WatchProcess)
	}
}

func watch(watched map[client.NodeID]func(), id client.NodeID, on bool, begin func(client.NodeID) func()) {
	release, watching := watched[id]
	switch {
	case on && !watching:
		watched[id] = begin(id)
	case !on && watching:
		release()
		delete(watched, id)
	}
}

// start does something in a goroutine and hands what came of it to the loop.
func (d *Driver) start(do func() Event) {
	d.work.Go(func() { d.hand(do()) })
}

// hand gives the loop an event, if it still takes any.
func (d *Driver) hand(ev Event) {
	if ev == nil {
		return // the end came first
	}
	select {
	case d.events <- ev:
	case <-d.quit:
	}
}

// sendCall sends one mutating call, after a last look. It is not given up when the program ends:
// a PUT that is abandoned can leave a policy without its operation.
func (d *Driver) sendCall(e SendCall) Event {
	ctx := context.WithoutCancel(d.reads)
	out := CallEnded{Eff: e.Eff}
	if e.Kind != CallActivate {
		out.Held, out.Err = d.lastLook(ctx, e)
	}
	if out.Held == "" {
		out.Seen, out.Err = d.call(ctx, e)
		d.eng.cfg.Poller.Hot(hotAfterCall)
	}
	out.At = time.Now()
	return out
}

func (d *Driver) call(ctx context.Context, e SendCall) (seen client.NodePolicy, err error) {
	c := d.eng.cfg.Client
	switch e.Kind {
	case CallDrain:
		return "", c.StartDrain(ctx, e.Node)
	case CallCancelDrain:
		return "", c.CancelDrain(ctx, e.Node)
	case CallFill:
		return "", c.StartFill(ctx, e.Node)
	case CallCancelFill:
		return "", c.CancelFill(ctx, e.Node)
	case CallActivate:
		return d.activate(ctx, e)
	}
	return "", fmt.Errorf("no such call: %d", e.Kind)
}

// hotAfterCall is how long the node list is read more often after a call.
const hotAfterCall = 5 * time.Second

// activate sets the policy Active if a fresh read still shows what the answer
// rested on.
func (d *Driver) activate(ctx context.Context, e SendCall) (seen client.NodePolicy, err error) {
	n, err := d.eng.cfg.Client.Node(ctx, e.Node)
	if err != nil {
		return "", fmt.Errorf("read node %s before setting its policy: %w", e.Node, err)
	}
	if n.Scheduling != e.Expect {
		return n.Scheduling, nil
	}
	active := client.PolicyActive
	return "", d.eng.cfg.Client.ConfigureNode(ctx, client.NodeConfig{NodeID: e.Node, Scheduling: &active})
}

func (d *Driver) runHook(e RunHook) Event {
	n, _ := d.eng.cfg.Poller.Latest().Node(e.Node)
	env := d.eng.hookEnv(n.Node, e.Attempt)
	env.Run, env.Eff, env.PreLaunchMs = d.run, e.Eff, e.LaunchMillis
	spec := d.eng.cfg.Hook
	if spec.Timeout == 0 {
		spec.Timeout = e.Timeout
	}
	log := d.j.HookLog(e.Node, e.Attempt)
	res := spec.Run(context.WithoutCancel(d.reads), env, hook.Options{
		LogPath: log, Leave: d.quit,
		Started: func(p hook.Started) {
			d.hand(HookBegan{At: time.Now(), Eff: e.Eff, PID: p.PID, Ticks: p.StartTicks, Log: log})
		},
		Redact: d.eng.cfg.Redact, DenyEnv: d.eng.cfg.DenyEnv,
		Line: func(line string) { d.hookLine(e.Eff, line) },
	})
	d.eng.cfg.Poller.Hot(hotAfterCall)
	return HookEnded{At: time.Now(), Eff: e.Eff, Result: hookResult(res)}
}

// hookLine shows a line while the command runs. It waits for nothing: a line
// that comes faster than the loop takes them is left to the log and the tail.
func (d *Driver) hookLine(eff, line string) {
	select {
	case d.lines <- HookOutput{At: time.Now(), Eff: eff, Line: line}:
	default:
	}
}

func hookResult(r hook.Result) HookResult {
	out := HookResult{Exit: r.ExitCode, Tail: r.Tail, Already: r.Class == hook.AlreadyRestarted, Empty: r.Identity.Disk == hook.DiskEmpty}
	switch r.Class {
	case hook.SafeRetry, hook.RefusedByPolicy, hook.NotStarted:
		out.Nothing = true
	}
	switch {
	case r.Class == hook.NotStarted:
		out.Word = "not started"
		if r.Err != nil {
			out.Word += ": " + r.Err.Error()
		}
	case r.TimedOut:
		out.Word = "killed after its time limit"
	case r.Signal != "":
		out.Word = "ended by " + r.Signal
	default:
		out.Word = fmt.Sprintf("exit status %d", r.ExitCode)
	}
	return out
}

func (d *Driver) listShards(e ListShards) Event {
	l, err := d.eng.cfg.Client.NodeShards(d.reads, e.Node)
	return Listed{At: time.Now(), Tag: e.Tag, Shards: l.Shards, Err: err}
}

// processTimeout is short: a process that is being restarted does not answer.
const processTimeout = 2 * time.Second

func (d *Driver) readProcess(e ReadProcess) Event {
	ctx, cancel := context.WithTimeout(d.reads, processTimeout)
	defer cancel()
	out := ProofRead{Tag: e.Tag, Err: errNoProcess}
	if n, ok := d.eng.cfg.Poller.Latest().Node(e.Node); ok && d.eng.cfg.Pageserver != nil {
		out.Info, out.Err = d.eng.cfg.Pageserver(ctx, n.Node)
		if d.eng.cfg.NodeID != nil && out.Err == nil {
			says, err := d.eng.cfg.NodeID(ctx, n.Node)
			if err != nil {
				d.eng.log.Debug("ask a process which node it is", "node", e.Node, "error", err)
			}
			out.Says = says
		}
	}
	out.At = time.Now()
	return out
}

func (d *Driver) probe(e Probe) Event {
	op, err := d.eng.cfg.Client.Probe(d.reads, e.Node)
	return Probed{At: time.Now(), Tag: e.Tag, Op: op, Err: err}
}

// describeMost is up to how many tenants are described one by one; more are
// found by reading the list through once, which is one request up to a thousand
// tenants: twenty in a second are more than a controller should see of us (G4).
const describeMost = 3

// locate finds where shards are attached, in the memory of those shards alone.
func (d *Driver) locate(e Locate) Event {
	wanted := map[client.TenantShardID]bool{}
	tenants := map[client.TenantID]bool{}
	for _, id := range e.Shards {
		wanted[id], tenants[id.Tenant()] = true, true
	}
	out := Located{Tag: e.Tag, On: map[client.NodeID]int{}}
	count := func(page []client.Tenant) error {
		for _, t := range page {
			for _, s := range t.Shards {
				if wanted[s.ID] && s.NodeAttached != nil {
					out.On[*s.NodeAttached]++
				}
			}
		}
		return nil
	}
	if len(tenants) > describeMost {
		out.Err = d.eng.cfg.Client.EachTenantsPage(d.reads, tenantsPage, count)
	} else {
		out.Err = d.describe(tenants, count)
	}
	out.At = time.Now()
	return out
}

func (d *Driver) describe(tenants map[client.TenantID]bool, count func([]client.Tenant) error) error {
	for id := range tenants {
		t, err := d.eng.cfg.Client.Tenant(d.reads, id)
		if err != nil {
			return fmt.Errorf("describe tenant %s: %w", id, err)
		}
		if err := count([]client.Tenant{t}); err != nil {
			return err
		}
	}
	return nil
}

// hurry reads the node list now; one such read at a time is enough.
func (d *Driver) hurry() {
	if !d.refresh.CompareAndSwap(false, true) {
		return
	}
	d.work.Go(func() {
		_, err := d.eng.cfg.Poller.RefreshNodes(d.reads)
		d.refresh.Store(false)
		if err != nil {
			d.eng.log.Debug("read the node list", "error", err)
		}
		select {
		case d.events <- Tick{At: time.Now()}:
		case <-d.quit:
		}
	})
}
