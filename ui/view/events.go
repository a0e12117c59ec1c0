package view

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// feed words events once and keeps them until there are new ones: the same
// event gives the same line.
type feed struct {
	of    uint64 // Seq of the snapshot, 0 = none yet
	run   string
	items []feedItem
}

// feedItem is an event, or several equal ones in a row (T35).
type feedItem struct {
	event             cluster.Change
	who, what, remark string
	times             int
	first             cluster.Change // the oldest of them
}

func (f *feed) load(c *Context) []feedItem {
	run := ""
	if c.Run != nil {
		run = fmt.Sprint(c.Run.Run, c.Run.Ended.Unix())
	}
	if c.Snapshot == nil || (c.Snapshot.Seq == f.of && run == f.run) {
		return f.items
	}
	f.of, f.run, f.items = c.Snapshot.Seq, run, f.items[:0]
	for _, e := range c.Snapshot.Events {
		who, what, remark := changeText(c, e)
		if n := len(f.items); n > 0 && f.items[n-1].who == who && f.items[n-1].what == what {
			f.items[n-1].times++
			f.items[n-1].first = e
			continue
		}
		f.items = append(f.items, feedItem{event: e, who: who, what: what, remark: remark, times: 1, first: e})
	}
	return f.items
}

// newest draws the n newest events in n lines.
func (f *feed) newest(c *Context, w, n int) []string {
	items := f.load(c)
	var lines []string
	for i := 0; i < min(n, len(items)); i++ {
		lines = append(lines, items[i].line(c, w))
	}
	if len(items) == 0 && n > 0 {
		l := component.NewLine(w)
		lines = append(lines, l.Gap(1).Put(c.Styles.Dim, "Nothing has changed since this console began to look.").String())
	}
	return component.Box(lines, w, n)
}

// line is one event: when, who, what, and what is to be said of it.
func (i feedItem) line(c *Context, w int) string {
	const remarkAt = 58
	s := c.Styles
	l := component.NewLine(w)
	l.Gap(1).Put(s.Dim, clock(c, i.event)).Gap(2).Put(s.Accent, component.Fit(i.who, max(10, component.Width(i.who))))
	l.Gap(2).Put(eventStyle(s, i.event), i.what)
	remark := i.remark
	if i.times > 1 {
		again := fmt.Sprintf("%d times since %s", i.times, clock(c, i.first))
		if remark != "" {
			again += " · "
		}
		remark = again + remark
	}
	if remark == "" {
		return l.String()
	}
	l.Gap(2)
	if w-component.Width(remark) > remarkAt {
		l.To(remarkAt)
	}
	return l.Put(s.Dim, remark).String()
}

func clock(c *Context, e cluster.Change) string {
	return e.At.In(location(c)).Format("15:04:05")
}

func eventStyle(s *themes.Styles, e cluster.Change) themes.Style {
	switch e.What {
	case cluster.AvailabilityChanged:
		if e.To == "Offline" {
			return s.Bad
		}
	case cluster.NodeVanished, cluster.ControllerLost:
		return s.Bad
	case cluster.LeaderChanged, cluster.ForeignCalls, cluster.AddressChanged:
		return s.Warn
	}
	return s.Text
}

// Events is the whole list of events.
type Events struct {
	feed   feed
	scroll component.Scroll
}

var _ Screen = (*Events)(nil)

// NewEvents makes the list of events.
func NewEvents() *Events { return &Events{} }

// ID is "events".
func (e *Events) ID() string { return ScreenEvents }

// Key scrolls.
func (e *Events) Key(key string, c *Context) Intent {
	return scrollKey(ScreenEvents, key, &e.scroll, c)
}

// Lines draws the newest event first.
func (e *Events) Lines(c *Context, w, h int) []string {
	items := e.feed.load(c)
	from, to := e.scroll.Fit(len(items), h-1)
	title := component.NewLine(w)
	title.Gap(1).Put(c.Styles.Title, "EVENTS").Gap(2).Put(c.Styles.Text, fmt.Sprintf("%d, newest first", len(items)))
	if !e.scroll.All() {
		title.Put(c.Styles.Dim, fmt.Sprintf(" · %d–%d", from+1, to))
	}
	lines := []string{title.String()}
	if len(items) == 0 {
		return component.Box(append(lines, e.feed.newest(c, w, 1)...), w, h)
	}
	for _, i := range items[from:to] {
		lines = append(lines, i.line(c, w))
	}
	return component.Box(lines, w, h)
}

// Hints are the keys of the list.
func (e *Events) Hints(c *Context) []Hint { return hintsFor(ScreenEvents, newSelection(c), c) }

// scrollKey is what a key does on a screen that only scrolls.
func scrollKey(screen, key string, scroll *component.Scroll, c *Context) Intent {
	b, ok := commandFor(screen, key)
	if !ok || moveTable(scroll, b.Command) {
		return nil
	}
	return openScreen(b.Command, c)
}
