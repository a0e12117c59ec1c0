package prose

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// ReportTitle is a run's end in one line, the outcome first: "done with issues
// (exit 10) · run 01J8…K2 · prod-eu-1".
func ReportTitle(st *rollout.Status, run string) string {
	return OutcomeWord(st) + " · " + Goal(st.Goal) + " on " + Cluster(st.Identity) + " · run " + run
}

// OutcomeWord says how a run ended, or that it has not.
func OutcomeWord(st *rollout.Status) string {
	if st.Outcome == nil {
		return RunState(st.State) + ", not ended"
	}
	return fmt.Sprintf("%s (exit %d)", orWord(st.Outcome.Word, Exit(st.Outcome.Exit)), st.Outcome.Exit)
}

// RunTook is a run's length so far.
func RunTook(st *rollout.Status, now time.Time) time.Duration {
	if !st.Ended.IsZero() {
		return st.Ended.Sub(st.Started)
	}
	return now.Sub(st.Started)
}

// ReportHeads names the columns of ReportRows; a leading '>' sets one right.
var ReportHeads = []string{">node", "step", "drain", ">moved", ">left", "restart", "back after", "fill", ">before", ">after", ">exposed"}

// ReportRows is a line of figures for each node of a run.
func ReportRows(st *rollout.Status) [][]string {
	rows := make([][]string, 0, len(st.Steps))
	for i := range st.Steps {
		s := &st.Steps[i]
		rows = append(rows, []string{
			s.Plan.Node.String(), stepWord(st, s), phaseTime(st, s, rollout.PhaseDrain), moved(s), leftCount(s),
			phaseTime(st, s, rollout.PhaseRestart), backAfter(s), phaseTime(st, s, rollout.PhaseFill),
			Count(s.AttachedBefore), Count(s.AttachedAfter), exposedOf(s),
		})
	}
	return rows
}

// stepWord is how a node's step ended; in a run that was left none runs on.
func stepWord(st *rollout.Status, s *rollout.StepStatus) string {
	if st.Outcome != nil && s.State == rollout.StepRunning {
		return "left unfinished"
	}
	return StepState(s.State)
}

func phaseTime(st *rollout.Status, s *rollout.StepStatus, kind rollout.Phase) string {
	ph := PhaseOf(s, kind)
	switch {
	case ph == nil || ph.State == rollout.PhaseWaiting || ph.State == rollout.PhaseAsking:
		return "–"
	case ph.State == rollout.PhaseSkipped:
		return "skipped"
	case st.Outcome != nil && (ph.State == rollout.PhaseRunning || ph.State == rollout.PhaseBlocked):
		return "not done" // the run has ended: nothing of it runs or waits
	case ph.Started.IsZero() || ph.Ended.IsZero():
		return PhaseState(ph.State)
	case ph.State == rollout.PhaseFailed:
		return "failed"
	}
	return SpanShort(ph.Ended.Sub(ph.Started))
}

func moved(s *rollout.StepStatus) string {
	text := Drained(s)
	if text == "" {
		return "–"
	}
	text, _, _ = strings.Cut(text, " moved")
	return text
}

func leftCount(s *rollout.StepStatus) string {
	switch {
	case s.LeftoversKnown:
		return Count(int64(len(s.Leftovers)))
	case s.LeftoversAt.IsZero() && s.LeftoversGauge < 0:
		return "–"
	}
	return Count(s.LeftoversGauge)
}

func backAfter(s *rollout.StepStatus) string {
	if s.BackAfter <= 0 {
		return "–"
	}
	return SpanShort(s.BackAfter)
}

func exposedOf(s *rollout.StepStatus) string {
	if s.HookStart.IsZero() {
		return "–"
	}
	if s.ExposedShards < 0 || s.BackAfter <= 0 && s.ExposedShards > 0 {
		return "unknown"
	}
	return ShardSeconds(float64(s.ExposedShards) * s.BackAfter.Seconds())
}

// ExposedLine compares a run with the same restarts without drains.
func ExposedLine(o *rollout.Outcome) string {
	switch {
	case o.Exposed < 0:
		return "unknown"
	case o.Baseline < 0:
		return ShardSeconds(o.Exposed)
	case o.Baseline == 0:
		return ShardSeconds(o.Exposed) + "; undrained it would have been the same"
	}
	saved := Percent(o.Baseline-o.Exposed, o.Baseline)
	return fmt.Sprintf("%s; undrained it would have been about %s: %s less", ShardSeconds(o.Exposed), Count(int64(o.Baseline+0.5)), saved)
}

// CallsLine counts what a run sent: "4 mutating (2 PUT drain, 2 PUT fill), 2
// hooks, 611 reads".
func CallsLine(c rollout.Calls) string {
	var kinds []string
	for _, k := range []struct {
		n    int
		name string
	}{
		{c.Drain, "PUT drain"},
		{c.CancelDrain, "DELETE drain"},
		{c.Fill, "PUT fill"},
		{c.CancelFill, "DELETE fill"},
		{c.Configure, "PUT config"},
	} {
		if k.n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", k.n, k.name))
		}
	}
	text := fmt.Sprintf("%d mutating", c.Mutating())
	if len(kinds) > 0 {
		text += " (" + strings.Join(kinds, ", ") + ")"
	}
	text += ", " + Things(int64(c.Hooks), "hook") + ", " + Things(int64(c.Reads), "read")
	if c.Probes > 0 {
		text += ", " + Things(int64(c.Probes), "probe")
	}
	return text
}

// HomeLine says where the shards are that a node had before, and "" when that
// was not looked at.
func HomeLine(s *rollout.StepStatus) string {
	h := s.Home
	if h == nil {
		return ""
	}
	text := fmt.Sprintf("node %s: %s home", s.Plan.Node, Count(int64(h.Home)))
	for _, part := range []struct {
		n    int
		what string
	}{{h.SameAZ, "elsewhere in the same AZ"}, {h.Other, "in another AZ"}, {h.Unknown, "not read"}} {
		if part.n > 0 {
			text += ", " + Count(int64(part.n)) + " " + part.what
		}
	}
	if where := Landings(h.Where, shortList); where != "" {
		text += " · now on node " + where
	}
	return text
}

// LeftBehind is what a run could not put right and the command that does, each a
// line of its own.
func LeftBehind(l rollout.LeftBehind) []string {
	lines := []string{"node " + l.Node.String() + ": " + l.State}
	if l.Command != "" {
		lines = append(lines, "put right by: "+l.Command)
	}
	return lines
}

// Issues are all that keeps a run from being clean, run first.
func Issues(st *rollout.Status) []string {
	var all []string
	seen := map[string]bool{}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	if st.Outcome != nil {
		for _, issue := range st.Outcome.Issues {
			add(issue)
		}
	}
	for i := range st.Steps {
		s := &st.Steps[i]
		for _, issue := range s.Issues {
			if text := "node " + s.Plan.Node.String() + ": " + issue; !seen[issue] {
				add(text)
			}
		}
		for _, o := range s.Overrides {
			add(fmt.Sprintf("node %s: gate %s overridden by %s: %s", s.Plan.Node, o.Gate, o.By, o.Reason))
		}
	}
	return all
}

// ReportText is a run's report as lines of text.
func ReportText(st *rollout.Status, now time.Time) []string {
	lines := []string{"REPORT  " + ReportTitle(st, st.Run) + " · " + Span(RunTook(st, now)), ""}
	lines = append(lines, grid(ReportHeads, ReportRows(st))...)
	lines = append(lines, "")
	for _, f := range ReportFacts(st) {
		for i, text := range f.Lines {
			label := ""
			if i == 0 {
				label = f.Label
			}
			lines = append(lines, fmt.Sprintf("  %-8s %s", label, text))
		}
	}
	return lines
}

// ReportFacts are a report's lines below the table.
func ReportFacts(st *rollout.Status) []Fact {
	var facts []Fact
	add := func(label string, lines ...string) {
		if len(lines) > 0 && lines[0] != "" {
			facts = append(facts, Fact{label, lines})
		}
	}
	o := st.Outcome
	if o != nil {
		left := make([]string, 0, 2*len(o.Left))
		for _, l := range o.Left {
			left = append(left, LeftBehind(l)...)
		}
		add("left", left...)
	}
	if st.Why != "" && (o == nil || o.Exit != rollout.ExitDone) {
		add("why", st.Why)
	}
	add("issues", Issues(st)...)
	if o != nil && st.Goal == rollout.GoalRestart {
		add("exposed", ExposedLine(o))
	}
	var home []string
	for i := range st.Steps {
		if text := HomeLine(&st.Steps[i]); text != "" {
			home = append(home, text)
		}
	}
	add("home", home...)
	add("calls", CallsLine(st.Calls))
	if st.Journal != "" {
		add("journal", st.Journal)
	}
	if o != nil && o.JournalSum != "" {
		add("sha256", o.JournalSum)
	}
	return facts
}

// ReportMarkdown is the report for a ticket.
func ReportMarkdown(st *rollout.Status, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Report: %s\n\nTook %s.\n\n", markdown(ReportTitle(st, st.Run)), Span(RunTook(st, now)))
	heads := make([]string, len(ReportHeads))
	rule := make([]string, len(ReportHeads))
	for i, h := range ReportHeads {
		heads[i], rule[i] = strings.TrimPrefix(h, ">"), "---"
		if heads[i] != h {
			rule[i] = "---:"
		}
	}
	for _, row := range append([][]string{heads, rule}, ReportRows(st)...) {
		for i := range row {
			row[i] = markdown(row[i])
		}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	b.WriteString("\n")
	for _, f := range ReportFacts(st) {
		for _, text := range f.Lines {
			fmt.Fprintf(&b, "- **%s**: %s\n", f.Label, markdown(text))
		}
	}
	return b.String()
}

// markdown keeps text from being read as markup.
var markdownEscapes = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`)

func markdown(text string) string { return markdownEscapes.Replace(text) }
