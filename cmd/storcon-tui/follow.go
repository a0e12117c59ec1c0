package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// followEvery is how often a journal that another process writes is looked at.
const followEvery = 200 * time.Millisecond

func (p *program) runsFollowVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "follow [RUN]",
		Short: "Show a run that another console drives, as it goes on",
		Long: `Show a run that another process of this host drives, as it goes on; without a
name the one that is driven now. Nothing is sent to the cluster and nothing can be
answered here. It ends with the run, with the run's exit code, or with 5 when whoever drove
it has gone and the run is not finished.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run := ""
			if len(args) > 0 {
				run = args[0]
			}
			return p.follow(cmd.Context(), run)
		},
	}
}

// followable lets the verb follow instead of drive.
func (p *program) followable(verb *cobra.Command) {
	var follow bool
	verb.Flags().BoolVar(&follow, "follow", false, "only show what another console of this host drives")
	args, begin := verb.Args, verb.RunE
	verb.Args = func(cmd *cobra.Command, given []string) error {
		if follow {
			return cobra.MaximumNArgs(1)(cmd, given)
		}
		return args(cmd, given)
	}
	verb.RunE = func(cmd *cobra.Command, given []string) error {
		if !follow {
			return begin(cmd, given)
		}
		for _, other := range []string{"resume", "auto"} {
			if set, _ := cmd.Flags().GetBool(other); set {
				return usagef("--follow only shows a run: it goes without --%s", other)
			}
		}
		return p.follow(cmd.Context(), append(given, "")[0])
	}
}

func (p *program) follow(ctx context.Context, run string) error {
	return p.withStore(func(s *journal.Store) error {
		owner, driven := s.Driver()
		if run == "" {
			if run = owner.Run; run == "" {
				return preflight(fmt.Errorf("cluster %s: nobody drives a run on this host; see storcon-tui runs list", s.Cluster()))
			}
		}
		if err := knownRun(s, run); err != nil {
			return err
		}
		ctx, _, stop := watchSignals(ctx)
		defer stop()
		if driven {
			fmt.Fprintf(p.out, "following run %s, read-only: driven by %s\n", run, makeDriver(owner, driven).words())
		}
		return p.tail(ctx, s, run)
	})
}

// tail prints records until the run is closed or nobody drives it any more.
func (p *program) tail(ctx context.Context, s *journal.Store, run string) error {
	follower, err := s.Follow(run)
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	defer func() { _ = follower.Close() }() // it was only read
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	verb := "rollout"
	for {
		_, driven := s.Driver() // asked first: what it wrote before it went is then read
		records, err := follower.Next()
		for _, r := range records {
			if h := (journal.Header{}); r.Kind == journal.KindHeader && r.Decode(&h) == nil {
				verb = journal.RunInfo{Verb: h.Verb}.ResumeVerb()
			}
			if line := recordLine(r); line != "" {
				fmt.Fprintln(p.out, line)
			}
			if r.Kind == journal.KindClose {
				return closedWith(r)
			}
		}
		switch {
		case err != nil:
			return &exitError{code: exitJournal, err: err}
		case !driven:
			fmt.Fprintf(p.out, "nobody drives run %s any more, and it is not finished: storcon-tui %s --resume %s takes it up\n", run, verb, run)
			return ended(rollout.ExitPaused)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// worthTelling are the members of a record's data that are worth a line's room.
var worthTelling = []string{"ask", "row", "word", "class", "status", "exit", "outcome"}

// kindWords say kinds of records to people; the others are words already.
var kindWords = map[journal.Kind]string{
	journal.KindHeader:    "run begun",
	journal.KindPrompt:    "asked",
	journal.KindAnswer:    "answered",
	journal.KindIntent:    "sends",
	journal.KindResult:    "answer of the controller",
	journal.KindHookStart: "restart command begins",
	journal.KindHookEnd:   "restart command ended",
	journal.KindClose:     "run closed",
}

// recordLine is a record for somebody who looks on; "" for one that they need not see.
func recordLine(r journal.Record) string {
	switch r.Kind {
	case journal.KindGate, journal.KindObs, journal.KindKeyframe, journal.KindSent, journal.KindState:
		return ""
	}
	what := strings.ReplaceAll(string(r.Kind), "_", " ")
	if words, ok := kindWords[r.Kind]; ok {
		what = words
	}
	parts := []string{r.T.Local().Format(time.TimeOnly), what}
	if r.Node != 0 {
		parts = append(parts, "node "+r.Node.String())
	}
	if r.Call != "" {
		parts = append(parts, r.Call)
	}
	var data map[string]any
	if len(r.Data) > 0 && json.Unmarshal(r.Data, &data) == nil {
		for _, name := range worthTelling {
			switch v := data[name].(type) {
			case string:
				if v != "" {
					parts = append(parts, v)
				}
			case float64:
				parts = append(parts, fmt.Sprintf("%s %v", name, v))
			}
		}
	}
	if r.Why != "" && !strings.HasPrefix(r.Why, "ans:") {
		parts = append(parts, "("+r.Why+")")
	}
	if r.By != nil {
		parts = append(parts, "by "+person(*r.By))
	}
	return client.Clean(strings.Join(parts, "  "))
}

// closedWith is the exit of a run that somebody else drove to its end.
func closedWith(r journal.Record) error {
	var c journal.Close
	if err := r.Decode(&c); err != nil {
		return &exitError{code: exitJournal, err: errors.Join(errors.New("the close record cannot be read"), err)}
	}
	return ended(rollout.ExitCode(c.Exit))
}
