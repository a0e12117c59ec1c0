package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

func (p *program) runsVerb() *cobra.Command {
	list := func(*cobra.Command, []string) error { return p.withStore(p.listRuns) }
	runs := &cobra.Command{
		Use:   "runs",
		Short: "List, show, follow, replay, verify, export or close the runs of a cluster",
		Args:  cobra.NoArgs,
		RunE:  list,
	}
	runs.AddCommand(
		p.runsFollowVerb(), p.runsReplayVerb(), p.runsVerifyVerb(), p.runsExportVerb(),
		&cobra.Command{Use: "list", Short: "List the runs, newest first", Args: cobra.NoArgs, RunE: list},
		&cobra.Command{
			Use: "show RUN", Short: "Print the journal of a run", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				return p.withStore(func(s *journal.Store) error { return p.showRun(s, args[0]) })
			},
		},
		&cobra.Command{
			Use:   "close RUN",
			Short: "End an unfinished run: nobody will take it up again",
			Long: `End an unfinished run: nobody will take it up again. Nothing is sent to the
cluster. Until it is closed, an unfinished run keeps a new one from starting.`,
			Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				return p.withStore(func(s *journal.Store) error { return p.closeRun(s, args[0]) })
			},
		},
	)
	return runs
}

// withStore opens the place of the chosen cluster's runs.
func (p *program) withStore(do func(*journal.Store) error) error {
	settings, err := p.settings()
	if err != nil {
		return err
	}
	store, err := openStore(settings, journal.Options{})
	if err != nil {
		return err
	}
	return do(store)
}

func (p *program) listRuns(s *journal.Store) error {
	runs, err := s.Runs()
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintf(p.out, "no runs of cluster %s in %s\n", s.Cluster(), s.Dir())
		return err
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTARTED\tWHAT\tOF\tBY\tSTATE")
	for _, r := range runs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Started.Local().Format(time.DateTime),
			orDash(r.Verb), orDash(subjects(r.Nodes, r.Computes)), orDash(person(r.By)), runState(r))
	}
	return w.Flush()
}

func runState(r journal.RunInfo) string {
	switch {
	case r.Err != nil:
		return "damaged: " + client.Clean(r.Err.Error())
	case r.Closed:
		return fmt.Sprintf("%s (exit %d)", strings.ReplaceAll(string(r.Outcome), "_", " "), r.Exit)
	case r.Repair.Torn():
		return fmt.Sprintf("unfinished since %s, last record torn", r.Last.Local().Format(time.DateTime))
	}
	return "unfinished since " + r.Last.Local().Format(time.DateTime)
}

// knownRun refuses a name that is none of the cluster's runs.
func knownRun(s *journal.Store, run string) error {
	runs, err := s.Runs()
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	if !slices.ContainsFunc(runs, func(r journal.RunInfo) bool { return r.ID == run }) {
		return usagef("cluster %s has no run %s", s.Cluster(), client.Clean(run))
	}
	return nil
}

func (p *program) showRun(s *journal.Store, run string) error {
	if err := knownRun(s, run); err != nil {
		return err
	}
	records, repair, err := s.Read(run)
	if err != nil && len(records) == 0 {
		return &exitError{code: exitJournal, err: err}
	}
	for _, r := range records {
		writeRecord(p.out, r)
	}
	if repair.Torn() {
		fmt.Fprintln(p.out, repair)
	}
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	return nil
}

// writeRecord prints one record on one line: when, what, about which node, the
// literal call, why, and what the record holds.
func writeRecord(w io.Writer, r journal.Record) {
	parts := []string{r.T.Local().Format("15:04:05.000"), fmt.Sprintf("%-16s", r.Kind)}
	if r.Node != 0 {
		parts = append(parts, "node "+r.Node.String())
	}
	if r.Call != "" {
		parts = append(parts, r.Call)
	}
	if r.Why != "" {
		parts = append(parts, "("+r.Why+")")
	}
	if r.By != nil {
		parts = append(parts, "by "+person(*r.By))
	}
	if len(r.Data) > 0 {
		parts = append(parts, string(r.Data))
	}
	fmt.Fprintln(w, client.Clean(strings.Join(parts, "  ")))
}

func (p *program) closeRun(s *journal.Store, run string) error {
	lock, err := s.Lock(lockInfo("closing run " + run))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	open, err := s.Unfinished()
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	for _, r := range open {
		if r.ID != run {
			continue
		}
		if err := s.MarkClosed(run, actor(), "runs close"); err != nil {
			return &exitError{code: exitJournal, err: err}
		}
		_, err := fmt.Fprintf(p.out, "run %s is closed; nothing was sent to the cluster\n", run)
		return err
	}
	return usagef("cluster %s has no unfinished run %s%s", s.Cluster(), client.Clean(run), unfinishedNames(open))
}

func unfinishedNames(open []journal.RunInfo) string {
	if len(open) == 0 {
		return ""
	}
	names := make([]string, len(open))
	for i, r := range open {
		names[i] = r.ID
	}
	return "; unfinished: " + strings.Join(names, ", ")
}

func person(a journal.Actor) string {
	text := a.User
	if a.Host != "" {
		text += "@" + a.Host
	}
	return client.Clean(text)
}

func nodeList(nodes []client.NodeID) string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = n.String()
	}
	return strings.Join(texts, " ")
}

// subjects are the nodes of a run, or its computes: a few by name, many by number.
func subjects(nodes []client.NodeID, computes []string) string {
	const few = 3
	switch {
	case len(computes) > few:
		return prose.Things(int64(len(computes)), "compute")
	case len(computes) > 0:
		return client.Clean(strings.Join(computes, " "))
	}
	return nodeList(nodes)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
