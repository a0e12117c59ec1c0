package component

import "github.com/StorconTUI/storcon-tui/themes"

// Hint is one key and what it does. Off says why it does nothing now: the hint
// is then drawn dimmed and in brackets, so that it differs without colour.
type Hint struct {
	Key, Does string
	Off       string
	// Keep holds the hint's place when room is short ("? help", "q quit").
	Keep bool
}

func (h Hint) width() int {
	w := Width(h.Key) + 1 + Width(h.Does)
	if h.Off != "" {
		w += 2
	}
	return w
}

// HintLine draws hints, most needed first, in w cells. When they do not fit the
// last ones that need not be kept are left out.
func HintLine(s *themes.Styles, hints []Hint, w int) string {
	const gap = 2
	shown := make([]bool, len(hints))
	left := w - 1
	for _, keep := range []bool{true, false} {
		for i, h := range hints {
			if h.Keep != keep {
				continue
			}
			if need := h.width() + gap; need <= left+gap-1 {
				shown[i] = true
				left -= need
			} else if !keep {
				break
			}
		}
	}
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
