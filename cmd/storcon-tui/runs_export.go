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
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
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
	Nodes    []client.NodeID  `json:"nodes"`    // of the plan, in its order
	Computes []exportCompute  `json:"computes"` // of a reconfigure; empty for others
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

// exportCompute is one compute of a reconfigure. Its end is null until the run has ended.
type exportCompute struct {
	Compute string   `json:"compute"`
	State   *string  `json:"state"`
	Why     *string  `json:"why"`
	Took    *float64 `json:"took_s"` // from the call to its end
	SHA256  *string  `json:"spec_sha256"`
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
	var status *rollout.Status
	report := makeExport(s.Cluster(), run, recs)
	if report.Verb == journal.VerbReconfigure {
		if err := report.computes(s, run); err != nil {
			return &exitError{code: exitJournal, err: err}
		}
	} else if status, err = reportOf(s, run); err != nil {
		return &exitError{code: exitJournal, err: err}
	}
	report.steps(status)
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

func makeExport(cluster, run string, recs journal.Records) exportReport {
	e := exportReport{
		Version: exportVersion, Cluster: cluster, Run: run, Nodes: []client.NodeID{}, Left: []string{}, Computes: []exportCompute{},
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
	return e
}

// steps takes the nodes of a run that has ended.
func (e *exportReport) steps(status *rollout.Status) {
	if status == nil {
		return
	}
	for i := range status.Steps {
		e.Steps = append(e.Steps, makeExportStep(&status.Steps[i]))
	}
}

// computes takes those of a reconfigure, with their ends where it has ended.
func (e *exportReport) computes(s *journal.Store, run string) error {
	b, err := s.Report(run, "json")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var st reconfigure.Status
	if err := json.Unmarshal(b, &st); err != nil {
		return fmt.Errorf("report of run %s: %w", run, err)
	}
	e.Computes = e.Computes[:0]
	for i := range st.Items {
		it := &st.Items[i]
		word := it.State.Word()
		one := exportCompute{Compute: it.Item.Compute, State: &word, Why: &it.Why, SHA256: &it.Item.SHA256}
		if it.State.Over() && !it.Sent.IsZero() {
			took := it.Ended.Sub(it.Sent).Seconds()
			one.Took = &took
		}
		e.Computes = append(e.Computes, one)
	}
	return nil
}

// header and close take what their records say; one that says nothing readable is
// among the findings.
func (e *exportReport) header(r journal.Record) {
	var h journal.Header
	_ = r.Decode(&h)
	e.Verb, e.Started = h.Verb, r.T
	e.Nodes = append(e.Nodes, h.Nodes...)
	for _, name := range h.Computes {
		e.Computes = append(e.Computes, exportCompute{Compute: name})
	}
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

// computesMarkdown is a reconfigure for a ticket.
func computesMarkdown(e exportReport) string {
	var b strings.Builder
	end := "not ended"
	if e.Outcome != nil {
		end = fmt.Sprintf("%s (exit %d)", strings.ReplaceAll(*e.Outcome, "_", " "), *e.Exit)
	}
	fmt.Fprintf(&b, "## Run %s: reconfigure of %s on %s, %s\n\nBegun %s by %s.\n\n", e.Run,
		prose.Things(int64(len(e.Computes)), "compute"), e.Cluster, end, e.Started.Format(time.RFC3339), orDash(e.By))
	b.WriteString("| compute | end | why | took |\n|---|---|---|---|\n")
	for _, c := range e.Computes {
		took := "-"
		if c.Took != nil {
			took = prose.Span(time.Duration(*c.Took * float64(time.Second)))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Compute, textOr(c.State), strings.ReplaceAll(textOr(c.Why), "|", `\|`), took)
	}
	for _, l := range e.Left {
		fmt.Fprintf(&b, "- **left**: %s\n", l)
	}
	return b.String()
}

func textOr(s *string) string {
	if s == nil {
		return "-"
	}
	return orDash(*s)
}

// writeExport is the report as it is for a ticket, and the journal below it.
func writeExport(w io.Writer, e exportReport, status *rollout.Status) error {
	var b strings.Builder
	switch {
	case status != nil:
		b.WriteString(prose.ReportMarkdown(status, time.Now()))
	case len(e.Computes) > 0:
		b.WriteString(computesMarkdown(e))
	default:
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
