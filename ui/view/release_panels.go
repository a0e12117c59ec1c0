package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// drawSummary says how far the release is, in all, by zone and by build.
func (v *ReleaseScreen) drawSummary(p *sheet, c *Context, r *release.Release, h int) {
	p.headline("RELEASE", releaseState(r, location(c)), releaseOrigin(c, r, p.w))
	if !r.Started.IsZero() {
		p.add(progressLine(p, r))
	}
	az, builds := summaryText(r.ByAZ, true), summaryText(r.ByBuild, false)
	one := "AZ " + az + "   BUILD " + builds
	switch {
	case component.Width(one) <= p.w-2:
		p.add(summaryLine(p, "AZ", az).Gap(3).Put(p.s.Dim, "BUILD ").Put(p.s.Text, builds))
	case h >= tall:
		p.add(summaryLine(p, "AZ", az))
		p.add(summaryLine(p, "BUILD", builds))
	default:
		p.add(summaryLine(p, "AZ", az))
	}
}

func summaryLine(p *sheet, label, text string) *component.Line {
	l := component.NewLine(p.w).Gap(1).Put(p.s.Dim, label+" ")
	return l.PutMax(p.s.Text, text, l.Left()-1)
}

// releaseState is the release in one sentence.
func releaseState(r *release.Release, in *time.Location) string {
	p := r.Progress
	done := fmt.Sprintf("%d of %s done", p.Done, prose.Things(int64(p.Nodes), "node"))
	switch {
	case r.Started.IsZero():
		return "none goes on, and none was seen"
	case !r.Ended.IsZero():
		return fmt.Sprintf("over since %s: %s, in %s", r.Ended.In(in).Format("15:04"), done, prose.Span(r.Ended.Sub(r.Started)))
	}
	return done + " · " + etaText(r)
}

// etaText is when it may be over, with the band of it.
func etaText(r *release.Release) string {
	if r.Progress.Done >= r.Progress.Nodes {
		return "settling"
	}
	if !r.ETA.Known() {
		return "time left not known before a node is done"
	}
	left := func(t time.Time) time.Duration { return max(t.Sub(r.At), 0) }
	middle, exact := left(r.ETA.At), time.Minute
	if middle < 2*time.Minute {
		exact = 10 * time.Second
	}
	band := rollout.Range{Min: left(r.ETA.Earliest), Max: left(r.ETA.Latest)}
	return fmt.Sprintf("about %s left (%s)", prose.Span(middle.Round(exact)), prose.Estimate(band))
}

// releaseOrigin is since when it goes on, and who drives.
func releaseOrigin(c *Context, r *release.Release, w int) string {
	const roomy = 100
	if r.Started.IsZero() {
		return ""
	}
	text := releaseSince(r, location(c))
	switch {
	case !r.Live() || w < roomy:
		return text
	case RunLive(c.Run):
		return text + " · this console drives"
	case c.Elsewhere.Driver != "":
		return text + " · driven on this host"
	case r.Started.Equal(c.TookOver):
		return text + " · taken over"
	}
	return text + " · driven by somebody else"
}

func releaseSince(r *release.Release, in *time.Location) string {
	word := "since "
	if r.Joined {
		word = "since before "
	}
	return word + r.Started.In(in).Format("15:04")
}

// progressLine is a bar of the nodes, and what was moved.
func progressLine(p *sheet, r *release.Release) *component.Line {
	const bar = 12
	pr := r.Progress
	l := component.NewLine(p.w).Gap(1).Put(p.s.Bar, component.Bar(int64(pr.Done), int64(pr.Nodes), bar)).To(1 + bar + 1)
	l.Put(p.s.Strong, fmt.Sprintf("%d/%d", pr.Done, pr.Nodes)).Gap(1)
	var parts []string
	if r.Target != "" {
		parts = append(parts, fmt.Sprintf("%d on %s", pr.OnTarget, r.Target))
	}
	moved := "shards off " + prose.Count(pr.MovedOff)
	if pr.Expected > 0 {
		moved += " of " + prose.Count(pr.Expected)
	}
	parts = append(parts, moved, "back "+prose.Count(pr.MovedBack))
	return l.Gap(1).PutMax(p.s.Text, strings.Join(parts, " · "), l.Left()-1)
}

// summaryText is "eu-1a 2/2, 1 out · eu-1b 0/2".
func summaryText(all []release.Summary, withDone bool) string {
	words := make([]string, 0, len(all))
	for _, s := range all {
		name := orUnknown(s.Name)
		text := fmt.Sprintf("%s %d", name, s.Nodes)
		if withDone {
			text = fmt.Sprintf("%s %d/%d", name, s.Done, s.Nodes)
		}
		if s.Out > 0 {
			text += fmt.Sprintf(", %d out", s.Out)
		}
		if s.Anomalies > 0 && withDone {
			text += fmt.Sprintf(", %d !", s.Anomalies)
		}
		words = append(words, text)
	}
	return strings.Join(words, " · ")
}

// shownPanel is the panel that is shown, or that the keys scroll where both are.
func (v *ReleaseScreen) shownPanel(c *Context) panel {
	switch {
	case v.panel != panelAuto:
		return v.panel
	case c.Release != nil && c.Release.Standing() > 0:
		return panelAnomalies
	}
	return panelLog
}

// drawPanels fills h lines with what looks wrong and what has happened.
func (v *ReleaseScreen) drawPanels(p *sheet, c *Context, r *release.Release, h int) {
	shown := v.shownPanel(c)
	anomalies, log := v.anomalyLines(c, r, p.w), releaseLog(c, r, p.w, len(r.Log)+1)
	if h < 2*leastPanel+2 {
		if shown == panelAnomalies {
			v.drawPanel(p, panelAnomalies, anomalyTitle(r), anomalies, h, true)
			return
		}
		v.drawPanel(p, panelLog, logTitle(r), log, h, true)
		return
	}
	upper := min(1+len(anomalies), max(h*3/5, leastPanel), h-leastPanel)
	v.drawPanel(p, panelAnomalies, anomalyTitle(r), anomalies, upper, shown == panelAnomalies)
	v.drawPanel(p, panelLog, logTitle(r), log, h-upper, shown == panelLog)
}

func (v *ReleaseScreen) drawPanel(p *sheet, of panel, title string, body []string, h int, active bool) {
	if h <= 0 {
		return
	}
	name, count, _ := strings.Cut(title, " ")
	l := component.NewLine(p.w).Gap(1).Put(p.s.Title, name).Gap(2).Put(p.s.Text, count)
	scroll := v.panels[of]
	from, to := scroll.Fit(len(body), h-1)
	if !scroll.All() {
		l.Put(p.s.Dim, fmt.Sprintf(" · lines %d–%d of %d", from+1, to, len(body)))
		if active {
			l.Put(p.s.Dim, ", pgdown scrolls")
		}
	}
	p.add(l)
	p.lines = append(p.lines, component.Box(slices.Clone(body[from:to]), p.w, h-1)...)
}

func anomalyTitle(r *release.Release) string {
	standing := r.Standing()
	text := fmt.Sprintf("ANOMALIES %d now", standing)
	if over := len(r.Anomalies) - standing; over > 0 {
		text += fmt.Sprintf(", %d over", over)
	}
	return text
}

func logTitle(r *release.Release) string {
	return fmt.Sprintf("LOG %s, newest first", prose.Things(int64(len(r.Log)), "event"))
}

// anomalyLines say of each what it is, what that means and what is usually done: those
// that stand first, then those that are over.
func (v *ReleaseScreen) anomalyLines(c *Context, r *release.Release, w int) []string {
	p := newSheet(c, w)
	told := map[release.Kind]bool{}
	for _, stands := range []bool{true, false} {
		for _, a := range slices.Backward(r.Anomalies) {
			if a.Stands() == stands {
				drawAnomaly(p, c, a, told[a.Kind])
				told[a.Kind] = true
			}
		}
	}
	if len(p.lines) == 0 {
		p.text(p.s.Dim, "Nothing looks wrong.")
	}
	return p.lines
}

func drawAnomaly(p *sheet, c *Context, a release.Anomaly, told bool) {
	at := a.Since.In(location(c)).Format("15:04:05")
	if !a.Stands() {
		p.text(p.s.Dim, fmt.Sprintf("over: %s, from %s for %s: %s", a.Kind, at, prose.Span(a.Until.Sub(a.Since)), a.Text))
		return
	}
	p.text(p.s.Bad, fmt.Sprintf("! %s, since %s, %s: %s", a.Kind, at, prose.Span(c.Now.Sub(a.Since).Truncate(time.Second)), a.Text))
	if told {
		return
	}
	p.fact(prose.Fact{Label: "means", Lines: []string{a.Kind.Means()}}, p.s.Text)
	p.fact(prose.Fact{Label: "usually", Lines: []string{a.Kind.Usually()}}, p.s.Strong)
}

// releaseLog is the newest events of the release, that many at most, the newest first.
func releaseLog(c *Context, r *release.Release, w, most int) []string {
	lines := make([]string, 0, min(len(r.Log), most))
	for _, e := range slices.Backward(r.Log) {
		if len(lines) == most {
			return lines
		}
		who, what, style := releaseEventText(c.Styles, e)
		l := component.NewLine(w).Gap(1).Put(c.Styles.Dim, e.At.In(location(c)).Format("15:04:05")).Gap(2)
		l.Put(c.Styles.Accent, component.Fit(who, max(8, component.Width(who)))).Gap(2)
		lines = append(lines, l.PutMax(style, what, l.Left()-1).String())
	}
	if len(lines) == 0 {
		lines = append(lines, component.NewLine(w).Gap(1).Put(c.Styles.Dim, "Nothing has happened since this console began to look.").String())
	}
	return lines
}

// releaseEventText words an event: whom it is about, and what it is.
func releaseEventText(s *themes.Styles, e release.Event) (who, what string, style themes.Style) {
	who = "release"
	if e.Node != 0 {
		who = "node " + e.Node.String()
	}
	switch e.Kind {
	case release.PhaseChanged:
		what = e.From.String() + " → " + e.To.String()
		if e.Inferred {
			what += " (inferred)"
		}
		return who, what, phaseSigns[e.To].style(s)
	case release.AnomalyBegan, release.AnomalyEnded:
		return anomalyEventText(s, *e.Anomaly)
	case release.ReleaseStarted:
		return who, "begins", s.Strong
	case release.ReleaseEnded:
		return who, "is over", s.Strong
	case release.NodeAppeared:
		return who, "is registered", s.Text
	case release.NodeVanished:
		return who, "is no longer registered", s.Bad
	}
	return who, e.Kind.String(), s.Text
}

func anomalyEventText(s *themes.Styles, a release.Anomaly) (who, what string, style themes.Style) {
	who, what, style = "release", "! "+a.Kind.String()+": "+a.Text, s.Bad
	if !a.Stands() {
		what, style = "over: "+a.Kind.String()+", after "+prose.Span(a.Until.Sub(a.Since)), s.Text
	}
	switch {
	case a.Node != 0:
		who = "node " + a.Node.String()
	case a.Compute != "":
		who = "compute " + a.Compute
	}
	return who, what, style
}
