package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/StorconTUI/storcon-tui/engine/history"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/ui"
)

func (p *program) runsReplayVerb() *cobra.Command {
	var speed float64
	verb := &cobra.Command{
		Use:   "replay RUN",
		Short: "Play a run again, from its journal",
		Long: `Play a run again, from its journal: what runs follow showed of it, line by line
and as far apart as it was. On a terminal space pauses, + and - change the speed, n goes
on to the next line and q leaves. Elsewhere, and without --speed, all lines come at once.
Nothing is sent and nobody is asked anything.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkSpeed(speed); err != nil {
				return err
			}
			paced := cmd.Flags().Changed("speed")
			return p.withStore(func(s *journal.Store) error { return p.replayRun(cmd.Context(), s, args[0], speed, paced) })
		},
	}
	speedFlag(verb, &speed)
	return verb
}

func speedFlag(verb *cobra.Command, speed *float64) {
	verb.Flags().Float64Var(speed, "speed", 1, "recorded seconds that pass in a second")
}

func checkSpeed(speed float64) error {
	if !(speed >= history.MinSpeed && speed <= history.MaxSpeed) {
		return usagef("--speed: expected a number from %v to %v, got %v", history.MinSpeed, history.MaxSpeed, speed)
	}
	return nil
}

// replayRun plays a run. A journal that is damaged is played as far as it can be read.
func (p *program) replayRun(ctx context.Context, s *journal.Store, run string, speed float64, paced bool) error {
	if err := knownRun(s, run); err != nil {
		return err
	}
	records, repair, err := s.Read(run)
	if err != nil && len(records) == 0 {
		return &exitError{code: exitJournal, err: err}
	}
	if err := p.playLines(ctx, runLines(records), speed, paced); err != nil {
		return err
	}
	if repair.Torn() {
		fmt.Fprintln(p.err, "storcon-tui: "+repair.String())
	}
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	return nil
}

// runLines are what a journal says to people.
func runLines(records journal.Records) []ui.PastLine {
	var lines []ui.PastLine
	for _, r := range records {
		if text := recordLine(r); text != "" {
			lines = append(lines, ui.PastLine{At: r.T, Text: text})
		}
	}
	return lines
}

// playLines prints lines at their times.
func (p *program) playLines(ctx context.Context, lines []ui.PastLine, speed float64, paced bool) error {
	ctx, _, stop := watchSignals(ctx)
	defer stop()
	if term.IsTerminal(int(p.in.Fd())) && term.IsTerminal(int(p.out.Fd())) {
		settings, err := p.settings()
		if err != nil {
			return err
		}
		look, err := p.look(settings)
		if err != nil {
			return err
		}
		return ui.Playback{
			Lines: lines, Speed: speed, Styles: look.styles, ASCII: look.ascii, Input: p.in, Output: p.out,
		}.Run(ctx)
	}
	var before time.Time
	for _, line := range lines {
		if wait := line.At.Sub(before); paced && !before.IsZero() && wait > 0 {
			select {
			case <-time.After(time.Duration(float64(wait) / speed)):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		before = line.At
		fmt.Fprintln(p.out, printable(line.Text))
	}
	return nil
}
