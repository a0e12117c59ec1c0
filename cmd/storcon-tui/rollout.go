package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func (p *program) rolloutVerb() *cobra.Command {
	verb := p.goalVerb(rollout.GoalRestart, &cobra.Command{
		Use:   "rollout NODE... | rollout --resume [RUN] | rollout --follow [RUN]",
		Short: "Restart nodes one after another: drain, restart, fill",
		Long: `Restart nodes one after another: drain, restart, fill.
The console opens with the plan; nothing is sent before it is started and each
step is confirmed. With --plain it goes line by line: each question stands on a
line that begins with "? " and lists the words it accepts, one answer a line is
read from standard input. "yes" accepts what is proposed; the end of input pauses
the run and is never an answer.

With --auto --policy FILE nobody has to watch: the file says which questions are
answered yes. Everything else, and everything after the first anomaly, holds the
run and is said on standard error. From a terminal it can be answered there; else,
or when nobody does, the run is left after the policy's "hold" with exit code 4.

With --resume an unfinished run of any kind is taken up again: what its journal
says and what the cluster shows are put side by side, and nothing is sent before
one yes to that. A restart command that was started is never run again by itself.

With --follow it only shows what another console of this host drives, as it goes on.`,
		Args: cobra.MinimumNArgs(1),
	})
	var auto bool
	var policy string
	verb.Flags().BoolVar(&auto, "auto", false, "answer what the policy file covers; hold at everything else")
	verb.Flags().StringVar(&policy, "policy", "", "file that says which answers stand; for --auto")
	p.runFlags(verb)
	attended := verb.RunE
	verb.RunE = func(cmd *cobra.Command, args []string) error {
		if err := p.restart.check(); err != nil {
			return err
		}
		switch {
		case auto && policy != "":
			return p.unattended(cmd.Context(), args, policy)
		case auto:
			return usagef("--auto needs --policy FILE, which says what may go on without a person")
		case policy != "":
			return usagef("--policy is for --auto")
		}
		return attended(cmd, args)
	}
	p.resumable(verb)
	p.followable(verb)
	return verb
}

// runFlags are the flags of a rolling restart and its plan.
type runFlags struct {
	order    string
	canary   bool
	revision string
	policy   *rollout.Policy // nil = a person answers
}

func (p *program) runFlags(verb *cobra.Command) {
	f := verb.Flags()
	f.StringVar(&p.restart.order, "order", string(rollout.OrderAsGiven), "order of the nodes: "+orders())
	f.BoolVar(&p.restart.canary, "canary", false, "the least loaded node goes first and bakes longer")
	f.StringVar(&p.restart.revision, "revision", "", "build that a restarted node must run: a revision, its beginning, or a build tag")
}

func orders() string {
	var names []string
	for _, o := range rollout.Orders() {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}

func (f runFlags) check() error {
	if !slices.Contains(rollout.Orders(), rollout.Order(f.order)) {
		return usagef("--order: expected one of %s, got %q", orders(), f.order)
	}
	return nil
}

// apply puts the flags over what the configuration says.
func (f runFlags) apply(s rollout.Settings) rollout.Settings {
	if f.revision != "" {
		s.Revision = f.revision
	}
	if f.canary && s.CanaryBake == 0 {
		s.CanaryBake = 10 * time.Minute
	}
	if f.policy != nil {
		s = s.Unattended()
		s.Policy = f.policy
	}
	return s
}

// tooMany refuses a plan that is larger than the policy allows.
func (f runFlags) tooMany(plan rollout.Plan) error {
	if f.policy.MaxNodes > 0 && len(plan.Steps) > f.policy.MaxNodes {
		return preflight(fmt.Errorf("the policy allows %d nodes in one run, the plan has %d", f.policy.MaxNodes, len(plan.Steps)))
	}
	return nil
}
