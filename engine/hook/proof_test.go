package hook

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestJudge(t *testing.T) {
	zero, one := 0, 1
	// active is a node in service that was not restarted, as far as is known.
	active := Evidence{PreLaunchMs: 1000, LaunchMs: 1000, Availability: client.AvailabilityActive, Policy: client.PolicyActive}
	with := func(change func(*Evidence)) Evidence {
		e := active
		change(&e)
		return e
	}
	cases := map[string]struct {
		e    Evidence
		want Verdict
	}{
		"nothing known":    {Evidence{}, Verdict{Reasons: []Reason{LaunchUnknown, NotActive, PolicyNotReset}}},
		"nothing happened": {active, Verdict{Reasons: []Reason{LaunchSame}}},
		"R3: command exited with 0, node was not restarted": {
			with(func(e *Evidence) { e.HookExit = &zero }),
			Verdict{WeakOnly: true, Reasons: []Reason{LaunchSame, HookExitedZero}},
		},
		"launch changed": {
			with(func(e *Evidence) { e.LaunchMs, e.HookExit = 2000, &zero }),
			Verdict{Restarted: true, Proven: true, Reasons: []Reason{LaunchChanged, HookExitedZero}},
		},
		"its clock was set back": {
			with(func(e *Evidence) { e.LaunchMs = 500 }),
			Verdict{Restarted: true, Proven: true, Reasons: []Reason{LaunchChanged}},
		},
		"R1: command failed but node was restarted": {
			with(func(e *Evidence) { e.LaunchMs, e.HookExit = 2000, &one }),
			Verdict{Restarted: true, Proven: true, Reasons: []Reason{LaunchChanged, HookFailed}},
		},
		"restarted, not yet in service": {
			with(func(e *Evidence) { e.LaunchMs, e.Availability = 2000, client.AvailabilityWarmingUp }),
			Verdict{Restarted: true, Reasons: []Reason{LaunchChanged, NotActive}},
		},
		"R13: restarted, policy kept": {
			with(func(e *Evidence) { e.LaunchMs, e.Policy = 2000, client.PolicyPauseForRestart }),
			Verdict{Restarted: true, Reasons: []Reason{LaunchChanged, PolicyNotReset}},
		},
		"unknown availability is not safe": {
			with(func(e *Evidence) { e.LaunchMs, e.Availability = 2000, "Dreaming" }),
			Verdict{Restarted: true, Reasons: []Reason{LaunchChanged, NotActive}},
		},
		"launch before is unknown": {
			with(func(e *Evidence) { e.PreLaunchMs = 0; e.SeenWarmingUp = true }),
			Verdict{WeakOnly: true, Reasons: []Reason{LaunchUnknown, SeenWarmingUp}},
		},
		"launch now is unknown": {
			with(func(e *Evidence) { e.LaunchMs = 0; e.PolicyReturned = true }),
			Verdict{WeakOnly: true, Reasons: []Reason{LaunchUnknown, PolicyReturned}},
		},
		"offline, then active": {
			with(func(e *Evidence) { e.LaunchMs = 0; e.SeenOffline = true }),
			Verdict{WeakOnly: true, Reasons: []Reason{LaunchUnknown, SeenOffline}},
		},
		"offline still": {
			with(func(e *Evidence) { e.LaunchMs = 0; e.SeenOffline, e.Availability = true, client.AvailabilityOffline }),
			Verdict{Reasons: []Reason{LaunchUnknown, NotActive}},
		},
		"unit changed": {
			with(func(e *Evidence) {
				e.PreLaunchMs = 0
				e.PreIdentity.InvocationID, e.Identity.InvocationID = "a", "b"
			}),
			Verdict{Restarted: true, Proven: true, Reasons: []Reason{IdentityChanged, LaunchUnknown}},
		},
		"an empty identity is no change": {
			with(func(e *Evidence) { e.PreIdentity.PodUID, e.Identity.PIDStart = "a", "7" }),
			Verdict{Reasons: []Reason{LaunchSame}},
		},
		"target build": {
			with(func(e *Evidence) { e.LaunchMs, e.TargetRevision, e.Revision = 2000, "rel-2", "rel-2" }),
			Verdict{Restarted: true, Proven: true, Reasons: []Reason{LaunchChanged, RevisionIsTarget}},
		},
		"R8: other build": {
			with(func(e *Evidence) { e.LaunchMs, e.TargetRevision, e.Revision = 2000, "rel-2", "rel-1" }),
			Verdict{Restarted: true, WrongVersion: true, Reasons: []Reason{LaunchChanged, RevisionIsOther}},
		},
		"other build, because it was not restarted yet": {
			with(func(e *Evidence) { e.TargetRevision, e.Revision = "rel-2", "rel-1" }),
			Verdict{Reasons: []Reason{LaunchSame, RevisionIsOther}},
		},
		"target build alone proves nothing": {
			with(func(e *Evidence) { e.TargetRevision, e.PreRevision, e.Revision = "rel-2", "rel-2", "rel-2" }),
			Verdict{Reasons: []Reason{LaunchSame, RevisionIsTarget}},
		},
		"build unknown": {
			with(func(e *Evidence) { e.LaunchMs, e.TargetRevision = 2000, "rel-2" }),
			Verdict{Restarted: true, Reasons: []Reason{LaunchChanged, RevisionUnknown}},
		},
		"R9: launched twice": {
			with(func(e *Evidence) { e.LaunchMs, e.LaunchChanges = 3000, 2 }),
			Verdict{Restarted: true, CrashLoop: true, Reasons: []Reason{LaunchChanged, LaunchedTwice}},
		},
		"launched once": {
			with(func(e *Evidence) { e.LaunchMs, e.LaunchChanges = 3000, 1 }),
			Verdict{Restarted: true, Proven: true, Reasons: []Reason{LaunchChanged}},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Judge(c.e)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryReasonHasAName(t *testing.T) {
	for r := LaunchChanged; r <= LaunchedTwice; r++ {
		if r.String() == "" {
			t.Errorf("reason %d has no name", r)
		}
	}
}
