package reconfigure

import (
	"fmt"
	"strings"
	"time"
)

// Markdown is a run's report for people who were not there.
func Markdown(st *Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Run %s: reconfigure on %s\n\n", st.Run, st.Identity.Name)
	if o := st.Outcome; o != nil {
		fmt.Fprintf(&b, "%s, exit %d, %s.\n\n", o.Word, o.Exit, st.Ended.Sub(st.Started).Round(time.Millisecond))
	}
	b.WriteString("| wave | compute | end | took | why |\n|---:|---|---|---|---|\n")
	for i := range st.Items {
		it := &st.Items[i]
		took := "-"
		if !it.Sent.IsZero() && !it.Ended.IsZero() {
			took = it.Ended.Sub(it.Sent).Round(time.Millisecond).String()
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", it.Item.Wave, it.Item.Compute, it.State.Word(), took, strings.ReplaceAll(it.Why, "|", `\|`))
	}
	if o := st.Outcome; o != nil {
		for _, text := range o.Left {
			fmt.Fprintf(&b, "\n* left: %s", text)
		}
	}
	fmt.Fprintf(&b, "\n\nSent: %d POST /configure. Journal: %s\n", st.Sent, st.Journal)
	return b.String()
}
