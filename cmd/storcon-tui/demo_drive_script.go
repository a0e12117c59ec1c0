package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

// driveScript drives a demo as a shell script would: it sends, polls, and believes the
// policy. It does not look before it sends and asks nobody.
type driveScript struct {
	client *client.Client
	admin  string
	period time.Duration
	build  string // of restarted nodes; "" = the one they have
	nodes  []client.NodeID
	out    io.Writer

	compute   string        // one of the demo's; "" = it has none
	bystander client.NodeID // a registered node that is not driven; 0 = all are
}

// driveStep is what is done to one node.
type driveStep func(ctx context.Context, id client.NodeID) error

// errGivenUp ends a script in the middle, as one ends that nobody looks after.
var errGivenUp = errors.New("given up")

// prepare makes sure that this is the demo and that the nodes are there.
func (s *driveScript) prepare(ctx context.Context) error {
	if err := s.prove(ctx); err != nil {
		return err
	}
	registered, err := s.client.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, id := range s.nodes {
		if !slices.ContainsFunc(registered, func(n client.Node) bool { return n.ID == id }) {
			return preflight(fmt.Errorf("node %s is not registered: nothing was sent", id))
		}
	}
	for _, n := range registered {
		if !slices.Contains(s.nodes, n.ID) {
			s.bystander = n.ID
			break
		}
	}
	return nil
}

// run drives all nodes; fault replaces the steps of the first.
func (s *driveScript) run(ctx context.Context, fault driveFault) error {
	for i, id := range s.nodes {
		steps := []driveStep{s.drain, s.restart, s.fill}
		if i == 0 && fault.steps != nil {
			steps = fault.steps(s)
		}
		err := s.do(ctx, id, steps)
		switch {
		case errors.Is(err, errGivenUp):
			s.say(id, "the script ends here")
			return nil
		case err != nil:
			return fmt.Errorf("node %s: %w", id, err)
		}
	}
	return nil
}

func (s *driveScript) do(ctx context.Context, id client.NodeID, steps []driveStep) error {
	for _, step := range steps {
		if err := step(ctx, id); err != nil {
			return err
		}
	}
	s.say(id, "done")
	return nil
}

// say prints a line about a node.
func (s *driveScript) say(id client.NodeID, format string, args ...any) {
	fmt.Fprintf(s.out, "%s  node %s  %s\n", time.Now().Format(time.TimeOnly), id, fmt.Sprintf(format, args...))
}

// pause lets the time between two steps pass.
func (s *driveScript) pause(ctx context.Context, _ client.NodeID) error { return sleep(ctx, s.period) }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await polls a node until is says that it is as it should be, or that it never will be.
// A controller that does not answer is waited for.
func (s *driveScript) await(ctx context.Context, id client.NodeID, is func(client.Node) (bool, error)) error {
	silent := false
	for {
		n, err := s.client.Node(ctx, id)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case client.KindOf(err) == client.Unreachable:
			if !silent {
				s.say(id, "no answer, polling on: %v", err)
			}
			silent = true
		case err != nil:
			return err
		default:
			if ok, err := is(n); ok || err != nil {
				return err
			}
		}
		if err := s.pause(ctx, id); err != nil {
			return err
		}
	}
}

func (s *driveScript) startDrain(ctx context.Context, id client.NodeID) error {
	s.say(id, "PUT drain")
	return s.client.StartDrain(ctx, id)
}

// drain moves the shards away. A node on which that was done before is left as it is.
func (s *driveScript) drain(ctx context.Context, id client.NodeID) error {
	n, err := s.client.Node(ctx, id)
	if err != nil {
		return err
	}
	if n.Scheduling != client.PolicyPauseForRestart {
		if err := s.startDrain(ctx, id); err != nil {
			return err
		}
	}
	if err := s.awaitPolicy(ctx, id, client.PolicyPauseForRestart, client.PolicyDraining); err != nil {
		return err
	}
	s.say(id, "drained: PauseForRestart")
	return s.pause(ctx, id)
}

// awaitPolicy polls until the node's policy is the one that is wanted; any but that
// which comes before it is the end of the wait.
func (s *driveScript) awaitPolicy(ctx context.Context, id client.NodeID, want, before client.NodePolicy) error {
	return s.await(ctx, id, func(n client.Node) (bool, error) {
		switch n.Scheduling {
		case want:
			return true, nil
		case before:
			return false, nil
		}
		return false, fmt.Errorf("its policy is %s, expected %s and then %s", n.Scheduling, before, want)
	})
}

// restart restarts the process and waits until the node is in service again.
func (s *driveScript) restart(ctx context.Context, id client.NodeID) error {
	if err := s.restartProcess(ctx, id); err != nil {
		return err
	}
	return s.back(ctx, id)
}

// restartProcess returns when the process has registered itself with the controller.
func (s *driveScript) restartProcess(ctx context.Context, id client.NodeID) error {
	params := ""
	if s.build != "" {
		params = url.Values{"build": {s.build}}.Encode()
	}
	s.say(id, "restarting the process")
	if err := server.RestartViaAdmin(ctx, s.admin, id, params); err != nil {
		return err
	}
	s.say(id, "re-attached")
	return nil
}

// back polls until the node is Active/Active.
func (s *driveScript) back(ctx context.Context, id client.NodeID) error {
	err := s.await(ctx, id, func(n client.Node) (bool, error) {
		return n.Availability == client.AvailabilityActive && n.Scheduling == client.PolicyActive, nil
	})
	if err != nil {
		return err
	}
	s.say(id, "back: Active/Active")
	return s.pause(ctx, id)
}

// fill moves shards home to the node.
func (s *driveScript) fill(ctx context.Context, id client.NodeID) error {
	s.say(id, "PUT fill")
	if err := s.client.StartFill(ctx, id); err != nil {
		return err
	}
	if err := s.awaitPolicy(ctx, id, client.PolicyActive, client.PolicyFilling); err != nil {
		return err
	}
	s.say(id, "filled: Active")
	return s.pause(ctx, id)
}
