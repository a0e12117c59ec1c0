package rollout

import (
	"fmt"
	"strings"
	"time"
)

// Markdown is a run's report for people who were not there.
func Markdown(st *Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Run %s: %s on %s (%s)\n\n", st.Run, st.Goal, st.Identity.Name, st.Identity.Endpoint)
	if o := st.Outcome; o != nil {
		fmt.Fprintf(&b, "%s, exit %d, %s.\n\n", o.Word, o.Exit, st.Ended.Sub(st.Started).Round(time.Second))
	}
	if st.Plan.TookOver != "" {
		fmt.Fprintf(&b, "Took a release over that somebody else drove: %s.\n\n", st.Plan.TookOver)
	}
	b.WriteString("| node | state | drain | left | back after | fill | attached before -> after | exposed |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for i := range st.Steps {
		writeStep(&b, &st.Steps[i])
	}
	if o := st.Outcome; o != nil {
		writeOutcome(&b, o)
	}
	fmt.Fprintf(&b, "\nCalls: %d mutating, %d probes, %d hooks. Journal: %s\n",
		st.Calls.Mutating(), st.Calls.Probes, st.Calls.Hooks, st.Journal)
	return b.String()
}

func writeStep(b *strings.Builder, s *StepStatus) {
	fmt.Fprintf(b, "| %s | %s%s | %s | %s | %s | %s | %s -> %s | %s |\n",
		s.Plan.Node, stepWord(s.State), because(s.Why),
		took(s, PhaseDrain), known(s.LeftoversGauge), s.BackAfter.Round(100*time.Millisecond), took(s, PhaseFill),
		known(s.AttachedBefore), known(s.AttachedAfter), exposedWord(s))
}

func took(s *StepStatus, p Phase) string {
	for _, ph := range s.Phases {
		if ph.Phase == p && !ph.Started.IsZero() && !ph.Ended.IsZero() {
			return ph.Ended.Sub(ph.Started).Round(100 * time.Millisecond).String()
		}
	}
	return "-"
}

func known(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return fmt.Sprint(n)
}

func exposedWord(s *StepStatus) string {
	if s.HookStart.IsZero() || s.ExposedShards < 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f shard-seconds", float64(s.ExposedShards)*s.BackAfter.Seconds())
}

func writeOutcome(b *strings.Builder, o *Outcome) {
	if o.Baseline > 0 {
		fmt.Fprintf(b, "\nExposed %.0f shard-seconds; undrained it would have been about %.0f.\n", o.Exposed, o.Baseline)
	}
	for _, text := range o.Issues {
		fmt.Fprintf(b, "\n* issue: %s", text)
	}
	for _, l := range o.Left {
		fmt.Fprintf(b, "\n* left: node %s: %s. To put it right: %s", l.Node, l.State, l.Command)
	}
	b.WriteString("\n")
}
