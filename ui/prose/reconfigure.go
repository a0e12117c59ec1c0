package prose

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// ReconfigureTitle is a plan in one line: "reconfigure of 12 computes on demo, in 4
// waves of 1, 1, 2, 8".
func ReconfigureTitle(p reconfigure.Plan) string {
	what := Things(int64(len(p.Items)), "compute")
	if len(p.Items) == 1 {
		what = "compute " + p.Items[0].Compute
	}
	title := "reconfigure of " + what + " on " + Cluster(p.Identity)
	if p.Waves > 1 {
		title += ", in " + strconv.Itoa(p.Waves) + " waves of " + waveSizes(p)
	}
	return title
}

func waveSizes(p reconfigure.Plan) string {
	sizes := make([]int, p.Waves)
	for _, it := range p.Items {
		sizes[it.Wave-1]++
	}
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// SpecSource says what the new specs are made of.
func SpecSource(s reconfigure.Source) string {
	switch s.Kind {
	case reconfigure.FromPatch:
		return "each last known spec with the merge patch " + s.Path
	case reconfigure.Repoint:
		return "each last known spec with the pageservers that the controller tells now"
	case reconfigure.FromDir:
		return "a whole spec for each in " + s.Path
	}
	return "the whole spec in " + s.Path
}

// SpecGroup are computes whose specs change in the same way.
type SpecGroup struct {
	Computes []string
	Changes  []compute.Change
	Known    bool // the spec before is known; else nobody can tell what changes
	Restart  []string
	Unread   []string
	Removed  int // entries of lists that a patch takes away
}

// SpecGroups gathers the items of a plan by what changes, so that it is read once.
func SpecGroups(p reconfigure.Plan) []SpecGroup {
	var out []SpecGroup
	at := map[string]int{}
	for _, it := range p.Items {
		key := fmt.Sprint(it.Base != "", it.Changes, it.Restart, it.Reads.Unread)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			g := SpecGroup{Changes: it.Changes, Known: it.Base != "", Restart: it.Restart, Unread: it.Reads.Unread}
			for _, c := range it.Changes {
				if p.Source.Kind == reconfigure.FromPatch && c.New == "" && strings.HasSuffix(c.Path, "]") {
					g.Removed++
				}
			}
			out = append(out, g)
		}
		out[i].Computes = append(out[i].Computes, it.Compute)
	}
	return out
}

// SpecChange is one difference: `cluster.settings[work_mem].value  "4MB" -> "64MB"`.
func SpecChange(c compute.Change) string {
	switch {
	case c.Secret && c.Old == c.New:
		return c.Path + "  another secret (not shown)"
	case c.Old == "":
		return c.Path + "  new: " + c.New
	case c.New == "":
		return c.Path + "  removed, was " + c.Old
	}
	return c.Path + "  " + c.Old + " → " + c.New
}

// Lines are a group for people, without its computes.
func (g SpecGroup) Lines() []string {
	if !g.Known {
		return []string{"the spec before is not known: what changes cannot be shown"}
	}
	lines := make([]string, 0, len(g.Changes)+2)
	for _, c := range g.Changes {
		lines = append(lines, SpecChange(c))
	}
	if g.Removed > 0 {
		entries := "1 entry goes"
		if g.Removed > 1 {
			entries = strconv.Itoa(g.Removed) + " entries go"
		}
		lines = append(lines, "! a merge patch replaces a list as a whole: "+entries)
	}
	if len(g.Restart) > 0 {
		lines = append(lines, "! takes effect only when Postgres is restarted: "+strings.Join(g.Restart, ", "))
	}
	if len(g.Unread) > 0 {
		lines = append(lines, "cannot be read back afterwards: "+strings.Join(g.Unread, ", "))
	}
	return lines
}

// ReconfigureText is a plan as lines of text.
func ReconfigureText(p reconfigure.Plan, sofar string) []string {
	lines := []string{"PLAN  " + ReconfigureTitle(p), "  sends   " + SpecSource(p.Source)}
	for _, g := range SpecGroups(p) {
		lines = append(lines, "  to      "+strings.Join(g.Computes, ", "))
		for _, text := range g.Lines() {
			lines = append(lines, "            "+text)
		}
	}
	for _, l := range p.LeftOut {
		lines = append(lines, "  left out "+l.Compute+": "+l.Why)
	}
	stop := "the first failure"
	if p.Limit > 0 {
		stop = "more than " + Things(int64(p.Limit), "failure")
	}
	return append(lines, "  stops   at "+stop+"; those that run then finish", "  "+sofar)
}

// ReconfigureAsk is a question about computes: its title and its facts.
func ReconfigureAsk(st *reconfigure.Status, p *reconfigure.Prompt) (title string, facts []string) {
	switch p.Ask {
	case reconfigure.AskHalted:
		title = "THE RUN IS HALTED"
	case reconfigure.AskPaused:
		title = "THE RUN IS PAUSED"
	case reconfigure.AskResume:
		title = "TAKE RUN " + st.Run + " UP AGAIN?"
	default:
		title = "CONFIGURE " + strings.ToUpper(Things(int64(len(p.Facts)), "compute")) + "?"
		if len(p.Facts) == 1 {
			title = "CONFIGURE " + p.Facts[0].Compute + "?"
		}
		if st.Plan.Waves > 1 {
			title += fmt.Sprintf("  wave %d of %d", p.Wave, st.Plan.Waves)
		}
	}
	if p.Cause != "" {
		facts = append(facts, p.Cause)
	}
	for _, f := range p.Facts {
		line := f.Compute + "  " + orWord(string(f.Status), "no answer")
		switch {
		case p.Ask == reconfigure.AskHalted:
			line += ", " + f.Journal.Word()
		case f.Journal != reconfigure.ItemPending:
			line += ", the journal says " + f.Journal.Word()
		}
		if f.Why != "" {
			line += ": " + f.Why
		}
		facts = append(facts, line)
	}
	return title, facts
}

// ReconfigureRunState is where a run stands, in a word.
func ReconfigureRunState(s reconfigure.RunState) string {
	switch s {
	case reconfigure.RunPaused:
		return "paused"
	case reconfigure.RunHalted:
		return "halted"
	case reconfigure.RunEnded:
		return "ended"
	}
	return "running"
}

// ItemPath are the states that a compute went through, with their times after the call.
func ItemPath(it *reconfigure.ItemStatus) string {
	parts := make([]string, 0, len(it.Path)+1)
	if it.Before != "" {
		parts = append(parts, string(it.Before))
	}
	for _, p := range it.Path {
		parts = append(parts, string(p.State)+" +"+millis(p.At.Sub(it.Sent)))
	}
	return strings.Join(parts, " → ")
}

func millis(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return Span(d)
}

// ItemLine is how one compute stands.
func ItemLine(it *reconfigure.ItemStatus) string {
	line := it.State.Word()
	if it.State.Over() && !it.Sent.IsZero() {
		line += " after " + millis(it.Ended.Sub(it.Sent))
	}
	if why, _ := strings.CutPrefix(it.Why, it.State.Word()+": "); why != "" {
		line += ": " + why
	}
	return line
}

// DiffersLine is a setting that reads back different.
func DiffersLine(d reconfigure.Differs) string {
	line := d.Name + " is " + d.Have + ", was given " + d.Want
	if d.Restart {
		line += ": waits for a restart of Postgres"
	}
	return line
}

// ReconfigureReport is a run's report as lines of text.
func ReconfigureReport(st *reconfigure.Status) []string {
	word := ReconfigureRunState(st.State)
	took := st.At.Sub(st.Started)
	if o := st.Outcome; o != nil {
		word = fmt.Sprintf("%s (exit %d)", o.Word, o.Exit)
		took = st.Ended.Sub(st.Started)
	}
	lines := []string{"REPORT  " + word + " · " + ReconfigureTitle(st.Plan) + " · run " + st.Run + " · " + Span(took), ""}
	rows := make([][]string, 0, len(st.Items))
	for i := range st.Items {
		it := &st.Items[i]
		rows = append(rows, []string{strconv.Itoa(it.Item.Wave), it.Item.Compute, ItemLine(it), ItemPath(it)})
	}
	lines = append(lines, grid([]string{">wave", "compute", "end", "states since it was sent"}, rows)...)
	lines = append(lines, "")
	for _, f := range ReconfigureFacts(st) {
		for _, text := range f.Lines {
			lines = append(lines, fmt.Sprintf("  %-8s %s", f.Label, text))
		}
	}
	return lines
}

// ReconfigureFacts are a report's lines below the table.
func ReconfigureFacts(st *reconfigure.Status) []Fact {
	var facts []Fact
	add := func(label string, lines ...string) {
		if len(lines) > 0 {
			facts = append(facts, Fact{label, lines})
		}
	}
	for _, g := range SpecGroups(st.Plan) {
		for _, text := range g.Lines() {
			add("changes", text)
		}
	}
	for i := range st.Items {
		for _, d := range st.Items[i].Differs {
			add("differs", st.Items[i].Item.Compute+": "+DiffersLine(d))
		}
	}
	o := st.Outcome
	if o != nil {
		add("left", o.Left...)
	}
	add("sent", strconv.Itoa(st.Sent)+" × POST /configure")
	if st.Journal != "" {
		add("journal", st.Journal)
	}
	if o != nil && o.JournalSum != "" {
		add("sha256", o.JournalSum)
	}
	if o != nil && (o.Exit == rollout.ExitPaused || o.Exit == rollout.ExitHalted) && unfinished(st) {
		add("next", "storcon-tui reconfigure --resume "+st.Run)
	}
	return facts
}

func unfinished(st *reconfigure.Status) bool {
	for i := range st.Items {
		if !st.Items[i].State.Over() {
			return true
		}
	}
	return false
}
