package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
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
	speedFlag(verb.Flags(), &speed)
	return verb
}

func speedFlag(flags *pflag.FlagSet, speed *float64) {
	flags.Float64Var(speed, "speed", 1, "recorded seconds that pass in a second")
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
	ctx, _, stop := watchSignals(ctx)
	defer stop()
	if err := p.playLines(ctx, runLines(records), speed, paced); err != nil {
		return err
	}
	if repair.Torn() {
		fmt.Fprintln(p.err, "storcon-tui: "+repair.String())
	}
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	if p.onTerminal() {
		p.tellRecorded(s, records[0].T, records[len(records)-1].T)
	}
	return nil
}

// tellRecorded says how to see what the cluster showed meanwhile, if that was recorded.
func (p *program) tellRecorded(s *journal.Store, from, to time.Time) {
	recording, err := history.Open(historyDir(s))
	if err != nil {
		return
	}
	recording.Limit(from, to)
	if _, _, err := recording.Span(); err != nil {
		return
	}
	// --to is in whole seconds, and the last one belongs to the run.
	fmt.Fprintf(p.out, "what the cluster showed meanwhile: storcon-tui watch --replay own --from %s --to %s\n",
		from.UTC().Format(time.RFC3339), to.Add(time.Second).UTC().Format(time.RFC3339))
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

// onTerminal reports that somebody sees what is printed and can press keys.
func (p *program) onTerminal() bool {
	return term.IsTerminal(int(p.in.Fd())) && term.IsTerminal(int(p.out.Fd()))
}

func (p *program) printLine(line ui.PastLine) error {
	_, err := fmt.Fprintln(p.out, printable(line.Text))
	return err
}

// playLines prints lines at their times: on a terminal with keys to pause and change the
// speed, elsewhere only when that is asked for.
func (p *program) playLines(ctx context.Context, lines []ui.PastLine, speed float64, paced bool) error {
	if p.onTerminal() {
		settings, err := config.Resolve(p.flags)
		if err != nil { // a file is played where no cluster is configured
			settings.Theme = p.flags.Theme
		}
		look, err := p.look(settings.Theme)
		if err != nil {
			return err
		}
		return ui.Playback{
			Lines: lines, Speed: speed, Styles: look.styles, ASCII: look.ascii, Input: p.in, Output: p.out,
		}.Run(ctx)
	}
	for i, line := range lines {
		if paced && i > 0 {
			wait := time.Duration(float64(line.At.Sub(lines[i-1].At)) / speed)
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err := p.printLine(line); err != nil {
			return err
		}
	}
	return nil
}
