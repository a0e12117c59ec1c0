package gate

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

var (
	_ encoding.TextUnmarshaler = (*Window)(nil)
	_ encoding.TextMarshaler   = Window{}
)

// Window is when work may be started: a span of the day, by the clock of one
// time zone, on some days of the week. The zero Window never opens.
type Window struct {
	text string
	days [7]bool // by time.Weekday: those on which it opens
	// Minutes after midnight. To not after from means the next day.
	from, to int
	zone     *time.Location
}

const (
	dayMinutes = 24 * 60
	windowForm = `expected "[DAYS] HH:MM-HH:MM ZONE", such as "Mon-Fri 22:00-04:00 Europe/Berlin"`
)

// ParseWindow reads "[DAYS] HH:MM-HH:MM ZONE". DAYS are names and ranges of the
// days on which it opens ("Sat,Sun", "Fri-Mon"); without them it opens daily. An
// end that is not after the beginning is on the next day, so that "22:00-22:00" is open
// for a whole one. ZONE is a name such as UTC, Europe/Berlin or Local, and
// is required: a window that moves with the machine is none.
func ParseWindow(text string) (Window, error) {
	w, err := parseWindow(strings.Fields(text))
	if err != nil {
		return Window{}, fmt.Errorf("window %q: %w", text, err)
	}
	return w, nil
}

func parseWindow(fields []string) (Window, error) {
	w := Window{text: strings.Join(fields, " ")}
	var err error
	switch len(fields) {
	case 2:
		for day := range w.days {
			w.days[day] = true
		}
	case 3:
		if w.days, err = parseDays(fields[0]); err != nil {
			return Window{}, err
		}
		fields = fields[1:]
	default:
		return Window{}, errors.New(windowForm)
	}
	from, to, ok := strings.Cut(fields[0], "-")
	if !ok {
		return Window{}, errors.New(windowForm)
	}
	if w.from, err = parseClock(from); err != nil {
		return Window{}, err
	}
	if w.from == dayMinutes {
		return Window{}, errors.New("it cannot begin at 24:00")
	}
	if w.to, err = parseClock(to); err != nil {
		return Window{}, err
	}
	if w.zone, err = time.LoadLocation(fields[1]); err != nil {
		return Window{}, fmt.Errorf("time zone: %w", err)
	}
	return w, nil
}

func parseDays(list string) (days [7]bool, err error) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := parseDay(first)
		if err != nil {
			return days, err
		}
		to := from
		if isRange {
			if to, err = parseDay(last); err != nil {
				return days, err
			}
		}
		for day := from; ; day = (day + 1) % 7 {
			days[day] = true
			if day == to {
				break
			}
		}
	}
	return days, nil
}

// parseDay takes the name of a day or its first three letters.
func parseDay(name string) (time.Weekday, error) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(name, day.String()) || strings.EqualFold(name, day.String()[:3]) {
			return day, nil
		}
	}
	return 0, fmt.Errorf("%q is no day of the week", name)
}

func parseClock(text string) (int, error) {
	hours, minutes, ok := strings.Cut(text, ":")
	h, errH := strconv.ParseUint(hours, 10, 8)
	m, errM := strconv.ParseUint(minutes, 10, 8)
	if !ok || errH != nil || errM != nil || len(minutes) != 2 || m > 59 || h*60+m > dayMinutes {
		return 0, fmt.Errorf("%q is no time of day from 00:00 to 24:00", text)
	}
	return int(h*60 + m), nil
}

// String is the window as it was written.
func (w Window) String() string { return w.text }

// UnmarshalText is ParseWindow.
func (w *Window) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWindow(string(text))
	return err
}

// MarshalText is String.
func (w Window) MarshalText() ([]byte, error) { return []byte(w.text), nil }

// span is the window's opening on the day that is so many after t's, and whether
// it opens then at all.
func (w Window) span(t time.Time, after int) (opens, closes time.Time, on bool) {
	if w.zone == nil {
		return time.Time{}, time.Time{}, false
	}
	year, month, day := t.In(w.zone).Date()
	day += after
	until := w.to
	if until <= w.from {
		until += dayMinutes
	}
	at := func(minutes int) time.Time { return time.Date(year, month, day, 0, minutes, 0, 0, w.zone) }
	// At noon no clock is put forward or back, so that the day is the right one.
	return at(w.from), at(until), w.days[at(dayMinutes/2).Weekday()]
}

// Contains reports that the window is open at t.
func (w Window) Contains(t time.Time) bool {
	_, open := w.Closes(t)
	return open
}

// Closes is when the window that is open at t closes; false when none is.
func (w Window) Closes(t time.Time) (time.Time, bool) {
	var last time.Time
	for after := -1; after <= 0; after++ {
		opens, closes, on := w.span(t, after)
		if on && !t.Before(opens) && t.Before(closes) && closes.After(last) {
			last = closes
		}
	}
	return last, !last.IsZero()
}

// Opens is when the window next opens after t; zero when it never does.
func (w Window) Opens(t time.Time) time.Time {
	for after := 0; after <= 7; after++ {
		if opens, _, on := w.span(t, after); on && opens.After(t) {
			return opens
		}
	}
	return time.Time{}
}
