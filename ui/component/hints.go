package component

import "github.com/StorconTUI/storcon-tui/themes"

// Hint is one key and what it does. Off says why it does nothing now: the hint
// is then drawn dimmed and in brackets, so that it differs without colour.
type Hint struct {
	Key, Does string
	Off       string
	// Keep holds the hint's place when room is short ("? help", "q quit").
	Keep bool
	// Minor hints go first when room is short: help tells of them.
	Minor bool
}

func (h Hint) width() int {
	w := Width(h.Key) + 1 + Width(h.Does)
	if h.Off != "" {
		w += 2
	}
	return w
}

// HintLine draws hints, most needed first, in w cells. When they do not fit,
// minor ones go first, then those that are off, and the last before the first.
func HintLine(s *themes.Styles, hints []Hint, w int) string {
	const gap = 2
	shown := fitting(hints, w-1, gap)
	l := NewLine(w)
	l.Gap(1)
	first := true
	for i, h := range hints {
		if !shown[i] {
			continue
		}
		if !first {
			l.Gap(gap)
		}
		first = false
		if h.Off != "" {
			l.Put(s.Dim, "("+h.Key+" "+h.Does+")")
			continue
		}
		l.Put(s.Key, h.Key).Gap(1).Put(s.Text, h.Does)
	}
	return l.String()
}

// fitting chooses the hints that room is left for, by their rank.
func fitting(hints []Hint, room, gap int) []bool {
	shown := make([]bool, len(hints))
	for _, rank := range []int{0, 1, 2, 3} {
		for i, h := range hints {
			if h.rank() != rank {
				continue
			}
			need := h.width() + gap
			if need > room+gap-1 {
				if rank == 0 {
					continue
				}
				return shown
			}
			shown[i] = true
			room -= need
		}
	}
	return shown
}

func (h Hint) rank() int {
	switch {
	case h.Keep:
		return 0
	case h.Minor:
		return 3
	case h.Off == "":
		return 1
	}
	return 2
}
