package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/audit"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// exportVersion is the version of exportReport, as statusVersion.
const exportVersion = 1

// exportReport is a run as `runs export -o json` gives it away. Journal and
// report were freed of secrets when they were written.
type exportReport struct {
	Version  int              `json:"version"`
	Cluster  string           `json:"cluster"`
	Run      string           `json:"run"`
	Verb     string           `json:"verb"`
	Nodes    []client.NodeID  `json:"nodes"` // of the plan, in its order
	By       string           `json:"by"`
	Started  time.Time        `json:"started_at"`
	Closed   *time.Time       `json:"closed_at"` // null = nobody has closed it
	Outcome  *string          `json:"outcome"`
	Exit     *int             `json:"exit"`
	Left     []string         `json:"left"`     // what was left behind, and the command that puts it right
	Steps    []exportStep     `json:"steps"`    // empty until the run has ended
	Records  []journal.Record `json:"records"`  // the journal
	Findings []audit.Finding  `json:"findings"` // what `runs verify` finds wrong
}

type exportStep struct {
	Node     client.NodeID `json:"node"`
	State    string        `json:"state"`
	Before   *int64        `json:"attached_before"`
	After    *int64        `json:"attached_after"`
	Exposed  *int64        `json:"exposed_shards"`
	Back     *float64      `json:"back_after_s"`
	Phases   []exportPhase `json:"phases"`
	Issues   []string      `json:"issues"`
	LeftOver *int64        `json:"leftovers"`
}

type exportPhase struct {
	Phase string     `json:"phase"`
	State string     `json:"state"`
	Began *time.Time `json:"started_at"`
	Ended *time.Time `json:"ended_at"`
}

func (p *program) runsExportVerb() *cobra.Command {
	var format string
	export := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a run down for others: its report and its journal",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "json" && format != "markdown" {
				return usagef("-o: expected json or markdown, got %q", format)
			}
			return p.withStore(func(s *journal.Store) error { return p.exportRun(s, args[0], format) })
		},
	}
	export.Flags().StringVarP(&format, "output", "o", "markdown", "json or markdown")
	return export
}

func (p *program) exportRun(s *journal.Store, run, format string) error {
	if err := knownRun(s, run); err != nil {
		return err
	}
	recs, _, found, err := verified(s, run)
	if err != nil {
		return err
	}
	status, err := reportOf(s, run)
	if err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	report := makeExport(s.Cluster(), run, recs, status)
	report.Findings = append(report.Findings, found...)
	if format == "json" {
		return writeJSON(p.out, report)
	}
	return writeExport(p.out, report, status)
}

// reportOf is how a run saw itself when it ended; nil when it has not.
func reportOf(s *journal.Store, run string) (*rollout.Status, error) {
	b, err := s.Report(run, "json")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var st rollout.Status
	if err := json.Unmarshal(b, &st); err != nil {
		return nil, fmt.Errorf("report of run %s: %w", run, err)
	}
	return &st, nil
}

func makeExport(cluster, run string, recs journal.Records, status *rollout.Status) exportReport {
	e := exportReport{
		Version: exportVersion, Cluster: cluster, Run: run, Nodes: []client.NodeID{}, Left: []string{},
		Steps: []exportStep{}, Records: append([]journal.Record{}, recs...), Findings: []audit.Finding{},
	}
	for _, r := range recs {
		switch r.Kind {
		case journal.KindHeader:
			e.header(r)
		case journal.KindClose:
			e.close(r)
		}
	}
	if status != nil {
		for i := range status.Steps {
			e.Steps = append(e.Steps, makeExportStep(&status.Steps[i]))
		}
	}
	return e
}

// header and close take what their records say; one that says nothing readable is
// among the findings.
func (e *exportReport) header(r journal.Record) {
	var h journal.Header
	_ = r.Decode(&h)
	e.Verb, e.Started = h.Verb, r.T
	e.Nodes = append(e.Nodes, h.Nodes...)
	if r.By != nil {
		e.By = person(*r.By)
	}
}

func (e *exportReport) close(r journal.Record) {
	var c journal.Close
	_ = r.Decode(&c)
	outcome := string(c.Outcome)
	e.Closed, e.Outcome, e.Exit = &r.T, &outcome, &c.Exit
	e.Left = append(e.Left, c.Left...)
}

func makeExportStep(s *rollout.StepStatus) exportStep {
	step := exportStep{
		Node: s.Plan.Node, State: prose.StepState(s.State), Before: figure(s.AttachedBefore), After: figure(s.AttachedAfter),
		Phases: []exportPhase{}, Issues: append([]string{}, s.Issues...), LeftOver: figure(s.LeftoversGauge),
	}
	if s.LeftoversKnown {
		n := int64(len(s.Leftovers))
		step.LeftOver = &n
	}
	if !s.HookStart.IsZero() {
		step.Exposed = figure(s.ExposedShards)
		if s.BackAfter > 0 {
			seconds := s.BackAfter.Seconds()
			step.Back = &seconds
		}
	}
	for _, ph := range s.Phases {
		step.Phases = append(step.Phases, exportPhase{
			Phase: prose.Phase(ph.Phase), State: prose.PhaseState(ph.State), Began: moment(ph.Started), Ended: moment(ph.Ended),
		})
	}
	return step
}

// moment is nil for a time that never came.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// writeExport is the report as it is for a ticket, and the journal below it.
func writeExport(w io.Writer, e exportReport, status *rollout.Status) error {
	var b strings.Builder
	if status != nil {
		b.WriteString(prose.ReportMarkdown(status, time.Now()))
	} else {
		fmt.Fprintf(&b, "## Run %s: %s of nodes %s on %s, not ended\n\nBegun %s by %s.\n", e.Run, orDash(e.Verb),
			orDash(nodeList(e.Nodes)), e.Cluster, e.Started.Format(time.RFC3339), orDash(e.By))
	}
	for _, f := range e.Findings {
		fmt.Fprintf(&b, "- **wrong**: %s\n", client.Clean(f.String()))
	}
	b.WriteString("\n### Journal\n\n")
	for _, r := range e.Records {
		var line strings.Builder
		writeRecord(&line, r)
		b.WriteString("    " + line.String()) // indented: nothing in it is markup
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}
