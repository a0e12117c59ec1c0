package main

import (
	"time"
)

// clockForms are the ways in which a moment may be written that has a date.
var clockForms = []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

// parseMoment reads a moment that is over, in local time: with its date, as the last time
// that the clock showed it, or as how long it is ago. flag is for the error.
func parseMoment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range clockForms {
		if at, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return at, nil
		}
	}
	for _, form := range []string{"15:04", time.TimeOnly} {
		clock, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		year, month, day := now.Date()
		at := func(day int) time.Time {
			return time.Date(year, month, day, clock.Hour(), clock.Minute(), clock.Second(), 0, now.Location())
		}
		if at(day).After(now) {
			return at(day - 1), nil
		}
		return at(day), nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, usagef(`%s: expected a time such as "2026-11-30 22:00" or "22:00", or how long ago such as "12h", got %q`, flag, text)
}
