package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// What an earlier run of this session did does not become somebody else's once
// another run has begun.
func TestWhoseDoingAChangeOfPolicyWas(t *testing.T) {
	run := func(id string, node client.NodeID, from, to time.Duration) *rollout.Status {
		st := &rollout.Status{Run: id, Started: ago(from), Steps: []rollout.StepStatus{{Plan: rollout.StepPlan{Node: node}}}}
		if to > 0 {
			st.Ended = ago(to)
		}
		return st
	}
	c := &Context{
		Run:     run("01J8ZQ4M6T8R2V0X9Y5B7C3DK2", 2, time.Minute, 0),
		Earlier: []*rollout.Status{run("01J8ZQ4Y7C6M0N5T2V9X1R3SK3", 1, 5*time.Minute, 3*time.Minute)},
	}
	for name, test := range map[string]struct {
		node client.NodeID
		at   time.Duration
		want string
	}{
		"the live run":           {2, 30 * time.Second, "ours, run 01J8…K2 · 161 attached (gauge)"},
		"before the live run":    {2, 2 * time.Minute, "not ours · 161 attached (gauge)"},
		"an earlier run":         {1, 4 * time.Minute, "ours, run 01J8…K3 · 161 attached (gauge)"},
		"long after the earlier": {1, time.Minute, "not ours · 161 attached (gauge)"},
		"another node":           {3, 4 * time.Minute, "not ours · 161 attached (gauge)"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, policyRemark(c, cluster.Change{
				At: ago(test.at), Node: test.node, What: cluster.PolicyChanged, Attached: 161,
				From: string(client.PolicyDraining), To: string(client.PolicyPauseForRestart),
			}))
		})
	}
}

func TestWhatBecameOfAListOfComputes(t *testing.T) {
	for want, e := range map[string]cluster.Change{
		"compute ep-a / running → failed /":                              {What: cluster.ComputeStatusChanged, Name: "ep-a", From: "running", To: "failed"},
		"compute ep-a / is listed now / http://a:1":                      {What: cluster.ComputeAppeared, Name: "ep-a", To: "http://a:1"},
		"compute ep-a / is no longer listed / what it does is not known": {What: cluster.ComputeVanished, Name: "ep-a", From: "http://a:1"},
	} {
		who, what, remark := changeText(&Context{}, e)
		require.Equal(t, want, strings.TrimSpace(who+" / "+what+" / "+remark))
	}
}
