package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// The columns of the waterfall: what, how long, and the bar.
const (
	phaseName   = 3
	phaseFigure = 20 // right-aligned, so wide that "did not end" fits
	phaseWidth  = 11
	phaseBar    = phaseFigure + phaseWidth + 2
	// leastBar is the narrowest area in which bars say anything.
	leastBar = 12
)

// phaseState is how far a part of a start is.
type phaseState int

const (
	phaseAhead phaseState = iota // not begun, as far as is known
	phaseOver
	phaseUnderWay
	phaseNotEnded // the start failed, and this is the first part without a figure
)

// startupPhase is one part of a compute's start.
type startupPhase struct {
	name   string
	ms     int64 // meaningful if over
	state  phaseState
	remark string
}

// startupPhases are the parts in their order. A part has its figure once it is over,
// and 0 before: the first one without a figure in a start that has failed is
// where it ended, which is all that the figures tell.
func startupPhases(s compute.Startup, state compute.State) []startupPhase {
	phases := []startupPhase{
		{name: "wait for spec", ms: s.WaitForSpec},
		{name: "sync safekeepers", ms: s.SyncSafekeepersChk + s.SyncSafekeepers},
		{name: "basebackup", ms: s.Basebackup, remark: basebackupRemark(s)},
		{name: "start postgres", ms: s.StartPostgres},
		{name: "config", ms: s.Config},
	}
	if terminating(state) {
		phases[1].remark = "or of the shutdown, which overwrites it"
	}
	last := -1
	for i, p := range phases {
		if p.ms > 0 {
			last = i
		}
	}
	for i := range phases {
		switch {
		case s.Total > 0 || i <= last:
			phases[i].state = phaseOver
		case i == last+1 && state == compute.StateFailed:
			phases[i].state = phaseNotEnded
		case i == last+1 && (state == compute.StateInit || state == compute.StateConfigurationPending || state == compute.StateEmpty):
			phases[i].state = phaseUnderWay
		}
	}
	return phases
}

// noFigures reports a start of which nothing was measured.
func noFigures(s compute.Startup) bool {
	return s.WaitForSpec+s.SyncSafekeepersChk+s.SyncSafekeepers+s.Basebackup+s.StartPostgres+s.Config == 0
}

func terminating(s compute.State) bool {
	switch s {
	case compute.StateTerminationPendingFast, compute.StateTerminationPendingImmediate, compute.StateTerminated:
		return true
	}
	return false
}

func basebackupRemark(s compute.Startup) string {
	var parts []string
	if s.BasebackupBytes > 0 {
		parts = append(parts, fmt.Sprintf("%.1f MiB", float64(s.BasebackupBytes)/(1<<20)))
	}
	if s.PageserverConnect > 0 {
		parts = append(parts, "connected in "+millis((s.PageserverConnect+999)/1000))
	}
	return strings.Join(parts, ", ")
}

// millis writes a time to three digits: "620 ms", "4.90 s", "12.3 s", "2 min 5 s".
func millis(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 9_995:
		return fmt.Sprintf("%.2f s", float64(ms)/1000)
	case ms < 99_950:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return prose.Span(time.Duration(ms) * time.Millisecond)
}

// waterfall draws the parts of a start, one below the other, each beginning where the
// one before ended. The total counts from the moment at which the spec was there.
func waterfall(p *sheet, s compute.Startup, state compute.State) {
	phases := startupPhases(s, state)
	var sum int64
	for _, ph := range phases {
		sum += ph.ms
	}
	scale := max(sum, s.WaitForSpec+s.Total)
	room := p.w - phaseBar - 1
	if room < leastBar {
		room = 0
	}
	if scale > 0 && room > 0 {
		p.add(component.NewLine(p.w).To(phaseBar).Put(p.s.Dim, axis(scale, room)))
	}
	var from int64
	for _, ph := range phases {
		drawPhase(p, ph, from, scale, room)
		from += ph.ms
	}
	if s.Total > 0 {
		l := component.NewLine(p.w).Gap(phaseName).Put(p.s.Strong, "total").To(phaseFigure).PutRight(p.s.Strong, millis(s.Total), phaseWidth)
		drawSpan(l, p.s.Dim, s.WaitForSpec, s.Total, scale, room)
		p.add(l)
	}
}

func drawPhase(p *sheet, ph startupPhase, from, scale int64, room int) {
	figure, style := "–", p.s.Dim
	switch ph.state {
	case phaseOver:
		figure, style = millis(ph.ms), p.s.Text
	case phaseUnderWay:
		figure, style = "under way", p.s.Busy
	case phaseNotEnded:
		figure, style = "did not end", p.s.Bad
	}
	l := component.NewLine(p.w).Gap(phaseName).Put(p.s.Text, ph.name).To(phaseFigure).PutRight(style, figure, phaseWidth)
	drawSpan(l, p.s.Bar, from, ph.ms, scale, room)
	if ph.remark != "" && l.Left() > component.Width(ph.remark)+2 {
		l.Gap(1).Put(p.s.Dim, ph.remark)
	}
	p.add(l)
}

// drawSpan draws a bar that does not begin at 0. Both its ends are where the scale
// says, to a cell on the left and to an eighth of one on the right.
func drawSpan(l *component.Line, style themes.Style, from, length, scale int64, room int) {
	if length <= 0 || scale <= 0 || room <= 0 {
		l.To(phaseBar)
		return
	}
	from, length, scale = from*1000, length*1000, scale*1000 // a scale of few milliseconds is not too coarse
	cells := min(int(from*int64(room)/scale), room-1)
	begin := int64(cells) * scale / int64(room)
	l.To(phaseBar+cells).Put(style, component.Bar(from+length-begin, scale-begin, room-cells))
}

// axis is the scale above the bars: times at round distances.
func axis(scale int64, room int) string {
	const apart = 10 // cells, at least
	step := roundStep(scale * apart / int64(room))
	var b strings.Builder
	for at := int64(0); ; at += step {
		cell, text := int(at*int64(room)/scale), tick(at)
		if cell+component.Width(text) > room {
			return b.String()
		}
		b.WriteString(component.Spaces(cell - component.Width(b.String())))
		b.WriteString(text)
	}
}

// roundStep is the next of 1, 2, 5, 10, 20, ... that is not below ms.
func roundStep(ms int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, n := range [...]int64{1, 2, 5} {
			if n*unit >= ms {
				return n * unit
			}
		}
	}
}

// tick writes a round time: "0", "200 ms", "1.5 s", "20 s".
func tick(ms int64) string {
	switch {
	case ms == 0:
		return "0"
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms%1000 != 0:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d s", ms/1000)
}
