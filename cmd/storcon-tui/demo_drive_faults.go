package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

// driveFault is one thing that goes wrong in a release, by what is done to the first node
// instead of what a script should do.
type driveFault struct {
	name  string
	does  string // in a line
	nodes int    // how many have to be driven
	steps func(s *driveScript) []driveStep
}

// driveFaults are all that can be asked for.
func driveFaults() []driveFault {
	return []driveFault{
		{"drain-cancelled", "its drain is cancelled, and begun again seven periods later", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.startDrain, s.cancelDrain, s.drain, s.restart, s.fill}
		}},
		{"restart-while-draining", "it is restarted in the middle of its drain", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.restartTooEarly, s.back, s.fill}
		}},
		{
			"pause-after-reattach", "it is restarted while the drain waits for its last moves, and ends in PauseForRestart", 1,
			func(s *driveScript) []driveStep {
				return []driveStep{s.restartInTail, s.restart, s.fill}
			},
		},
		{"two-nodes-out", "the second node is drained before the first one is restarted", 2, func(s *driveScript) []driveStep {
			return []driveStep{s.drain, s.drainSecond, s.restart, s.fill}
		}},
		{"long-offline", "it stays down for seven periods after the controller calls it Offline", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.drain, s.longOffline, s.back, s.fill}
		}},
		{"no-fill", "nobody asks for its fill", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.drain, s.restart}
		}},
		{"foreign-config-write", "somebody writes another node's policy while it is drained", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.needBystander, s.drain, s.foreignConfig, s.restart, s.fill}
		}},
		{"orphaned-operation", "the controller is killed in the middle of its drain; the script ends", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.startDrain, s.pause, s.bounceController, s.orphaned}
		}},
		{"leave-paused", "it is drained and left so; the script ends", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.drain, s.giveUp}
		}},
		{"controller-restart", "the controller is killed, and started a period later, while it is drained", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.drain, s.bounceController, s.restart, s.fill}
		}},
		{"stuck-reconciles", "computes cannot be told of its drain's moves until reconciles are stuck", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.refuseNotifications, s.drain, s.awaitStuck, s.acceptNotifications, s.restart, s.fill}
		}},
		{"compute-silent", "a compute does not answer for seven periods while it is drained", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.needCompute, s.drain, s.muteCompute, s.restart, s.fill}
		}},
		{"mixed-builds", "it alone gets the new build", 1, func(s *driveScript) []driveStep {
			return []driveStep{s.drain, s.restart, s.fill, s.keepBuilds}
		}},
	}
}

// moreTime is what helps when a cluster is too quick for a fault.
const moreTime = "more tenants, a lower --speed of the demo or a shorter --period make this fault possible"

// stillDraining lets a drain go on for a period and makes sure that it still runs.
func (s *driveScript) stillDraining(ctx context.Context, id client.NodeID) error {
	if err := s.pause(ctx, id); err != nil {
		return err
	}
	n, err := s.client.Node(ctx, id)
	if err == nil && n.Scheduling != client.PolicyDraining {
		err = fmt.Errorf("its drain took less than a period and left it %s: %s", n.Scheduling, moreTime)
	}
	return err
}

func (s *driveScript) cancelDrain(ctx context.Context, id client.NodeID) error {
	if err := s.stillDraining(ctx, id); err != nil {
		return err
	}
	s.say(id, "DELETE drain")
	if err := s.client.CancelDrain(ctx, id); err != nil {
		return err
	}
	if err := s.awaitPolicy(ctx, id, client.PolicyActive, client.PolicyDraining); err != nil {
		return err
	}
	s.say(id, "drain cancelled: Active")
	return sleep(ctx, longPeriods*s.period)
}

// restartTooEarly restarts the node while its drain still looks for shards: it then ends
// with the restart.
func (s *driveScript) restartTooEarly(ctx context.Context, id client.NodeID) error {
	stay, err := s.staying(ctx, id)
	if err != nil {
		return err
	}
	if err := s.startDrain(ctx, id); err != nil {
		return err
	}
	if err := s.stillDraining(ctx, id); err != nil {
		return err
	}
	left, err := s.intended(ctx, id)
	if err != nil {
		return err
	}
	if left <= stay {
		return fmt.Errorf("after a period its drain only waits for its last moves: %s", moreTime)
	}
	return s.restartProcess(ctx, id)
}

// tailPoll is how often the shards of a node are counted to find the end of a drain's scan:
// the last moves take some seconds of the demo's time.
const tailPoll = 20 * time.Millisecond

// restartInTail restarts the node when no shard is left to be moved and the last moves run:
// the node is freed by its re-attach, and then the drain, which no longer looks at it,
// writes PauseForRestart.
func (s *driveScript) restartInTail(ctx context.Context, id client.NodeID) error {
	stay, err := s.staying(ctx, id)
	if err != nil {
		return err
	}
	if err := s.startDrain(ctx, id); err != nil {
		return err
	}
	for {
		left, err := s.intended(ctx, id)
		if err != nil {
			return err
		}
		if left <= stay {
			break
		}
		if err := sleep(ctx, tailPoll); err != nil {
			return err
		}
	}
	if err := s.restartProcess(ctx, id); err != nil {
		return err
	}
	if err := s.awaitPolicy(ctx, id, client.PolicyPauseForRestart, client.PolicyActive); err != nil {
		return err
	}
	s.say(id, "the drain has ended after the restart: PauseForRestart")
	return sleep(ctx, longPeriods*s.period)
}

// staying counts the shards that a drain of the node will leave there.
func (s *driveScript) staying(ctx context.Context, id client.NodeID) (stay int, err error) {
	const page = 1000
	err = s.client.EachTenantsPage(ctx, page, func(tenants []client.Tenant) error {
		for _, t := range tenants {
			for _, shard := range t.Shards {
				here := shard.NodeAttached != nil && *shard.NodeAttached == id
				if here && (len(shard.NodeSecondary) == 0 || shard.SchedulingPolicy == client.ShardPause) {
					stay++
				}
			}
		}
		return nil
	})
	return stay, err
}

// intended counts the shards that the controller wants attached on the node.
func (s *driveScript) intended(ctx context.Context, id client.NodeID) (count int, err error) {
	shards, err := s.client.NodeShards(ctx, id)
	for _, location := range shards.Shards {
		if location.IntendedAttached() {
			count++
		}
	}
	return count, err
}

// drainSecond drains the node that would be next.
func (s *driveScript) drainSecond(ctx context.Context, _ client.NodeID) error {
	return s.drain(ctx, s.nodes[1])
}

// longPeriods are how many periods a fault lasts that only tells when it lasts: with the
// default period a little more than half a minute.
const longPeriods = 7

func (s *driveScript) longOffline(ctx context.Context, id client.NodeID) error {
	s.say(id, "stopping the process")
	if err := server.PostAdmin(ctx, s.admin, fmt.Sprintf("/demo/nodes/%d/stop", id)); err != nil {
		return err
	}
	err := s.await(ctx, id, func(n client.Node) (bool, error) {
		return n.Availability == client.AvailabilityOffline, nil
	})
	if err != nil {
		return err
	}
	s.say(id, "Offline")
	if err := sleep(ctx, longPeriods*s.period); err != nil {
		return err
	}
	s.say(id, "starting the process")
	return server.PostAdmin(ctx, s.admin, fmt.Sprintf("/demo/nodes/%d/start?build=%s", id, s.build))
}

// needBystander refuses to begin when every node is driven.
func (s *driveScript) needBystander(context.Context, client.NodeID) error {
	if s.bystander == 0 {
		return preflight(errors.New("every node is driven: this fault needs one that is not; nothing was sent"))
	}
	return nil
}

// foreignConfig writes the policy that a node has anyway.
func (s *driveScript) foreignConfig(ctx context.Context, _ client.NodeID) error {
	policy := client.PolicyActive
	s.say(s.bystander, "PUT config: Active")
	if err := s.client.ConfigureNode(ctx, client.NodeConfig{NodeID: s.bystander, Scheduling: &policy}); err != nil {
		return err
	}
	return s.pause(ctx, s.bystander)
}

// bounceController kills the controller and starts it a period later.
func (s *driveScript) bounceController(ctx context.Context, id client.NodeID) error {
	s.say(id, "killing the controller")
	if err := server.PostAdmin(ctx, s.admin, "/demo/controller/kill"); err != nil {
		return err
	}
	if err := s.pause(ctx, id); err != nil {
		return err
	}
	s.say(id, "starting the controller")
	if err := server.PostAdmin(ctx, s.admin, "/demo/controller/start"); err != nil {
		return err
	}
	return s.await(ctx, id, func(n client.Node) (bool, error) {
		return n.Availability == client.AvailabilityActive, nil
	})
}

// orphaned says what is left of the drain.
func (s *driveScript) orphaned(ctx context.Context, id client.NodeID) error {
	n, err := s.client.Node(ctx, id)
	if err != nil {
		return err
	}
	s.say(id, "%s, and no drain runs: storcon-tui activate %s frees it", n.Scheduling, id)
	return errGivenUp
}

func (s *driveScript) giveUp(_ context.Context, id client.NodeID) error {
	s.say(id, "left in PauseForRestart: storcon-tui activate %s frees it", id)
	return errGivenUp
}

// refuseNotifications has every move fail: the control plane refuses to be told where a
// shard has gone.
func (s *driveScript) refuseNotifications(ctx context.Context, id client.NodeID) error {
	s.say(id, "the control plane refuses notifications")
	return server.PostAdmin(ctx, s.admin, "/demo/notify?status=403")
}

// awaitStuck polls until the controller counts shards that reconcile again and again.
func (s *driveScript) awaitStuck(ctx context.Context, id client.NodeID) error {
	for {
		m, err := s.client.Metrics(ctx)
		if err != nil {
			return err
		}
		if m.StuckReconciles > 0 {
			s.say(id, "%d reconciles are stuck", m.StuckReconciles)
			return sleep(ctx, longPeriods*s.period)
		}
		if err := s.pause(ctx, id); err != nil {
			return err
		}
	}
}

// acceptNotifications ends what refuseNotifications began. The controller tries the moves
// again by itself.
func (s *driveScript) acceptNotifications(ctx context.Context, id client.NodeID) error {
	s.say(id, "the control plane accepts notifications")
	if err := server.PostAdmin(ctx, s.admin, "/demo/notify?status=200"); err != nil {
		return err
	}
	return s.pause(ctx, id)
}

// needCompute refuses to begin when the demo has no compute.
func (s *driveScript) needCompute(context.Context, client.NodeID) error {
	if s.compute == "" {
		return preflight(errors.New("the demo has no compute: this fault needs one; nothing was sent"))
	}
	return nil
}

// muteCompute has a compute take connections and answer nothing for a while.
func (s *driveScript) muteCompute(ctx context.Context, id client.NodeID) error {
	s.say(id, "compute %s is mute", s.compute)
	if err := server.PostAdmin(ctx, s.admin, "/demo/computes/"+s.compute+"/mute"); err != nil {
		return err
	}
	if err := sleep(ctx, longPeriods*s.period); err != nil {
		return err
	}
	s.say(id, "compute %s answers", s.compute)
	if err := server.PostAdmin(ctx, s.admin, "/demo/computes/"+s.compute+"/answer"); err != nil {
		return err
	}
	return s.pause(ctx, id)
}

// keepBuilds has the nodes that come next restarted with the build that they have.
func (s *driveScript) keepBuilds(context.Context, client.NodeID) error {
	s.build = ""
	return nil
}
