package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/audit"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

func (p *program) runsVerifyVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "verify RUN",
		Short: "Check that the journal of a run is whole and keeps the engine's rules",
		Long: `Check that the journal of a run is whole (numbers, checksums, the plan it
names) and that what it tells keeps the engine's rules: every call was announced
and answered for, no restart command was run twice, at most one node was in work,
what was not put back is listed. Nothing is changed and nothing is asked of the
cluster. The exit code is 11 when something is wrong; each thing is named with its
line.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withStore(func(s *journal.Store) error { return p.verifyRun(s, args[0]) })
		},
	}
}

func (p *program) verifyRun(s *journal.Store, run string) error {
	if err := knownRun(s, run); err != nil {
		return err
	}
	recs, repair, found, err := verified(s, run)
	if err != nil {
		return err
	}
	for _, f := range found {
		fmt.Fprintln(p.out, client.Clean(f.String()))
	}
	if repair.Torn() {
		fmt.Fprintf(p.out, "line %d is torn: its write did not reach the disk as a whole, or goes on just now\n", repair.Line)
	}
	end := "not closed"
	if last := len(recs) - 1; last >= 0 && recs[last].Kind == journal.KindClose {
		end = "closed"
	}
	if len(found) > 0 {
		fmt.Fprintf(p.out, "run %s: %d records, %s, %d wrong\n", run, len(recs), end, len(found))
		return &exitError{code: exitJournal}
	}
	_, err = fmt.Fprintf(p.out, "run %s: %d records, %s, nothing is wrong\n", run, len(recs), end)
	return err
}

// verified reads a run and judges it; what keeps the file from being read to its
// end is a finding too. A journal of a newer version is an error: this program
// does not know its rules.
func verified(s *journal.Store, run string) (journal.Records, journal.Repair, []audit.Finding, error) {
	recs, repair, err := s.Read(run)
	var bad *journal.CorruptError
	if err != nil && !errors.As(err, &bad) {
		return nil, repair, nil, &exitError{code: exitJournal, err: err}
	}
	found := audit.Check(recs)
	if bad != nil {
		found = append(found, audit.Finding{Line: bad.Line, Rule: audit.RuleSequence, Text: bad.Err.Error()})
	}
	if len(recs) > 0 {
		var h journal.Header
		if err := recs[0].Decode(&h); err == nil {
			if _, err := s.Plan(run, h); err != nil {
				found = append(found, audit.Finding{Line: 1, Rule: audit.RuleSequence, Text: err.Error()})
			}
		}
	}
	return recs, repair, found, nil
}
