package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// computesAtOnce bounds the computes that are asked side by side.
const computesAtOnce = 32

func (p *program) computesVerb() *cobra.Command {
	var format string
	verb := &cobra.Command{
		Use:   "computes",
		Short: "Ask every compute how it is, once",
		Long: `Ask every compute how it is, once: those of the configuration, and those that its
computes_command lists or a directory of neon_local has. The controller is not asked, so that this works while it is
down. A compute that does not answer is listed with the reason; what it does nobody
knows then. The exit code is 0 when some of them answered, whatever they said, 9 when
none did, and 10 when it could not be found out which computes there are, so that the
list may lack some.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.computes(cmd.Context(), format) },
	}
	formatFlag(verb, &format)
	return verb
}

// computeState is one element of `computes -o json`. What is not known is null.
type computeState struct {
	Name       string     `json:"name"`
	URL        string     `json:"url"`
	Status     *string    `json:"status"` // compute_ctl's word; null = it did not answer
	Tenant     *string    `json:"tenant"`
	Timeline   *string    `json:"timeline"`
	Started    *time.Time `json:"started_at"`
	LastActive *time.Time `json:"last_active"`
	Startup    *int64     `json:"startup_ms"` // null until it has started
	Error      *string    `json:"error"`      // the compute's own, of a failed start
	Problem    *string    `json:"problem"`    // why it could not be asked
	Spec       *string    `json:"spec"`       // the place of its last known spec; null = nobody knows one
}

func (p *program) computes(ctx context.Context, format string) error {
	return p.reading(ctx, format, func(ctx context.Context, c *connection) error {
		unlisted := c.computes.refresh(ctx)
		states := askComputes(ctx, c.computes.entries())
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var err error
		if format == "json" {
			err = writeJSON(p.out, states)
		} else {
			err = writeComputeStates(p.out, states, time.Now())
		}
		if err != nil {
			return err
		}
		return incomplete(states, unlisted)
	})
}

// askComputes asks all of them.
func askComputes(ctx context.Context, computes []rosterEntry) []computeState {
	states := make([]computeState, len(computes))
	var asking errgroup.Group
	asking.SetLimit(computesAtOnce)
	for i, one := range computes {
		asking.Go(func() error {
			states[i] = askCompute(ctx, one.client)
			states[i].Name, states[i].URL = one.Name, one.URL
			if place := one.Spec.String(); place != "" {
				states[i].Spec = &place
			}
			return nil
		})
	}
	_ = asking.Wait() // what went wrong stands in the states
	return states
}

func askCompute(ctx context.Context, one *compute.Client) computeState {
	st, err := one.Status(ctx)
	if err != nil {
		why := err.Error()
		return computeState{Problem: &why}
	}
	word := string(st.State)
	state := computeState{
		Status: &word, Tenant: st.Tenant, Timeline: st.Timeline, Started: st.StartTime, LastActive: st.LastActive, Error: st.Error,
	}
	if startup, err := one.Startup(ctx); err == nil && startup.Total > 0 {
		state.Startup = &startup.Total // older computes lack the route; the status is what was asked for
	}
	return state
}

// incomplete is the exit for computes of which none could be asked, or for a list that
// may lack some.
func incomplete(states []computeState, unlisted error) error {
	answered := slices.ContainsFunc(states, func(s computeState) bool { return s.Problem == nil })
	switch {
	case len(states) > 0 && !answered:
		return &exitError{code: rollout.ExitUnreachable, err: errors.Join(errors.New("none of the computes answered"), unlisted)}
	case unlisted != nil:
		return &exitError{code: rollout.ExitDoneWithIssues, err: unlisted}
	}
	return nil
}

func writeComputeStates(w io.Writer, states []computeState, now time.Time) error {
	if len(states) == 0 {
		_, err := fmt.Fprintln(w, "no computes are known: see computes and computes_command of [clusters.NAME], and --neon-local")
		return err
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tSTATUS\tTENANT\tTIMELINE\tUP\tLAST ACTIVE\tSTART-UP")
	for _, s := range states {
		status := "no answer"
		if s.Status != nil {
			status = *s.Status
		}
		startup := "-"
		if s.Startup != nil {
			startup = prose.SpanShort(time.Duration(*s.Startup) * time.Millisecond)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, status, shortID(s.Tenant), shortID(s.Timeline),
			ago(s.Started, now), ago(s.LastActive, now), startup)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range states {
		switch {
		case s.Error != nil:
			fmt.Fprintf(&b, "! %s: %s\n", s.Name, *s.Error)
		case s.Problem != nil:
			fmt.Fprintf(&b, "! %s does not answer: %s\n", s.Name, *s.Problem)
		}
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

func shortID(id *string) string {
	if id == nil {
		return "-"
	}
	return client.Clean(prose.ShortShard(*id))
}

func ago(at *time.Time, now time.Time) string {
	if at == nil {
		return "-"
	}
	return prose.SpanShort(now.Sub(*at))
}
