package view

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// scales are how much time a cell of the timeline may stand for.
var scales = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
}

// ticks are how far apart the times above the timeline may stand.
var ticks = []time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute,
	30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

const (
	// roomAhead is the part of the timeline that is kept free for what comes.
	roomAhead = 10
	// labelCells is the least room for a time and the blank behind it.
	labelCells = 10
	// lookback is what is shown of the time before now while there was no release.
	lookback = 10 * time.Minute
)

// window is the part of time that a timeline shows. Its zero value shows the whole
// release, and goes on with it.
type window struct {
	cell time.Duration // that a cell stands for; 0 = as the release needs
	from time.Time     // zero = it ends a little after now

	drawn timeline // as it was drawn last
}

// timeline is a row of cells, each for so much time.
type timeline struct {
	from  time.Time
	cell  time.Duration
	cells int
}

func (t timeline) end() time.Time { return t.from.Add(time.Duration(t.cells) * t.cell) }

// column is the cell of a moment; it may lie outside.
func (t timeline) column(at time.Time) int {
	d := at.Sub(t.from)
	if d < 0 {
		d -= t.cell - 1
	}
	return int(d / t.cell)
}

// on lays the window over so many cells.
func (w *window) on(r *release.Release, now time.Time, cells int) timeline {
	cells = max(cells, 1)
	begin, end := extent(r, now)
	t := timeline{cell: w.cell, from: w.from, cells: cells}
	ahead := cells / roomAhead
	if t.cell == 0 {
		t.cell = scales[len(scales)-1]
		for _, scale := range scales {
			if end.Sub(begin) <= time.Duration(max(cells-ahead-1, 1))*scale {
				t.cell = scale
				break
			}
		}
		t.from = begin
	} else if t.from.IsZero() {
		t.from = end.Add(-time.Duration(cells-ahead) * t.cell)
	}
	t.from = t.from.Truncate(t.cell)
	w.drawn = t
	return t
}

// extent is when a release began and ended, as far as there is one.
func extent(r *release.Release, now time.Time) (begin, end time.Time) {
	switch {
	case r.Started.IsZero():
		return now.Add(-lookback), now
	case r.Ended.IsZero():
		return r.Started, now
	}
	return r.Started, r.Ended
}

// pan goes by a quarter of what is shown, back for -1.
func (w *window) pan(way int) {
	t := w.drawn
	if t.cells == 0 {
		return
	}
	w.cell, w.from = t.cell, t.from.Add(time.Duration(way*max(t.cells/4, 1))*t.cell)
}

// zoom shows less time for +1, more for -1. The middle stays, or the present does.
func (w *window) zoom(way int) {
	t := w.drawn
	at := 0
	for at < len(scales)-1 && scales[at] < t.cell {
		at++
	}
	next := at - way
	if t.cells == 0 || next < 0 || next >= len(scales) {
		return
	}
	w.cell = scales[next]
	if !w.from.IsZero() {
		middle := t.from.Add(time.Duration(t.cells/2) * t.cell)
		w.from = middle.Add(-time.Duration(t.cells/2) * w.cell)
	}
}

// whole shows all of the release again.
func (w *window) whole() { w.cell, w.from = 0, time.Time{} }

// word says what is shown.
func (w *window) word() string {
	switch {
	case w.cell == 0:
		return "all of it"
	case w.from.IsZero():
		return "the newest"
	}
	return "moved"
}

// phaseSign is how a phase looks on the timeline: the letter that begins it, what it goes on
// with, and its colour. Nothing but the colour differs without colour.
type phaseSign struct {
	letter, fill string
	rank         int // which phase of several in a cell is shown: the highest
	style        func(*themes.Styles) themes.Style
}

var phaseSigns = map[release.Phase]phaseSign{
	release.Waiting:    {" ", " ", 0, func(s *themes.Styles) themes.Style { return s.Text }},
	release.Draining:   {"D", "▒", 3, func(s *themes.Styles) themes.Style { return s.Busy }},
	release.Drained:    {"P", "░", 2, func(s *themes.Styles) themes.Style { return s.Text }},
	release.Restarting: {"R", "█", 6, func(s *themes.Styles) themes.Style { return s.Warn }},
	release.WarmingUp:  {"W", "█", 5, func(s *themes.Styles) themes.Style { return s.Busy }},
	release.Back:       {"B", "░", 4, func(s *themes.Styles) themes.Style { return s.Text }},
	release.Filling:    {"F", "▓", 3, func(s *themes.Styles) themes.Style { return s.Bar }},
	release.Done:       {"─", "─", 1, func(s *themes.Styles) themes.Style { return s.Good }},
	release.Anomalous:  {"!", "!", 7, func(s *themes.Styles) themes.Style { return s.Bad }},
}

// guessed is what an inferred phase goes on with.
const guessed = "~"

// legend explains the signs, the most needed first.
const legend = "D drain  P drained  R restart  W warm-up  B back  F fill  ─ done  d~ inferred"

// sign is what stands in the cell of a span, at its beginning or later.
func sign(span release.Span, begins bool) string {
	look := phaseSigns[span.Phase]
	text := look.fill
	switch {
	case span.Inferred && begins && span.Phase != release.Waiting && span.Phase != release.Done:
		text = strings.ToLower(look.letter)
	case span.Inferred && span.Phase != release.Waiting && (begins || span.Phase != release.Done):
		text = guessed
	case begins:
		text = look.letter
	}
	return text
}

// drawSpans puts a node's phases on the line.
func drawSpans(l *component.Line, s *themes.Styles, t timeline, spans []release.Span, now time.Time) {
	shown := make([]int, t.cells) // span of each cell, 1 = the first; 0 = none
	for i, span := range spans {
		to := span.To
		if to.IsZero() {
			to = now
		}
		first, last := t.column(span.From), t.column(to)
		if to.After(span.From) && t.from.Add(time.Duration(last)*t.cell).Equal(to) {
			last-- // it ended where that cell begins
		}
		for at := max(first, 0); at <= min(last, t.cells-1); at++ {
			if have := shown[at]; have == 0 || phaseSigns[span.Phase].rank >= phaseSigns[spans[have-1].Phase].rank {
				shown[at] = i + 1
			}
		}
	}
	for at := 0; at < t.cells; {
		of, end := shown[at], at
		for end < t.cells && shown[end] == of {
			end++
		}
		if of == 0 {
			l.Gap(end - at)
		} else {
			span := spans[of-1]
			begins := t.column(span.From) >= 0 && (at == 0 || shown[at-1] != of)
			text := sign(span, begins) + strings.Repeat(sign(span, false), end-at-1)
			l.Put(phaseSigns[span.Phase].style(s), text)
		}
		at = end
	}
}

// axis is the line of times above the timeline.
func (t timeline) axis(now time.Time, in *time.Location) string {
	tick := ticks[len(ticks)-1]
	for _, d := range ticks {
		if d >= labelCells*t.cell {
			tick = d
			break
		}
	}
	format := "15:04"
	if tick < time.Minute {
		format = "15:04:05"
	}
	text := []rune(component.Spaces(t.cells))
	put := func(at int, label string) bool {
		if at < 0 || at+utf8.RuneCountInString(label) > len(text) {
			return false
		}
		copy(text[at:], []rune(label))
		return true
	}
	for at := t.from.Truncate(tick); !at.After(t.end()); at = at.Add(tick) {
		put(t.column(at), at.In(in).Format(format))
	}
	const mark = "now"
	if at := t.column(now); at >= 0 && at < t.cells {
		from := max(at-len(mark)+1, 0)
		for i := max(from-1, 0); i > 0 && text[i] != ' '; i-- { // a time that would run into it
			text[i] = ' '
		}
		for i := from; i < len(text) && (i <= at || text[i] != ' '); i++ {
			text[i] = ' '
		}
		put(from, mark)
	}
	return string(text)
}
