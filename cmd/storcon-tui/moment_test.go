package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseMoment(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	now := time.Date(2026, 12, 1, 8, 30, 0, 0, berlin)
	for text, want := range map[string]string{
		"2026-11-30 22:15":     "2026-11-30T22:15:00+01:00",
		"2026-11-30 22:15:07":  "2026-11-30T22:15:07+01:00",
		"2026-07-01T22:15":     "2026-07-01T22:15:00+02:00",
		"2026-11-30T22:15:07Z": "2026-11-30T22:15:07Z",
		"2026-11-30":           "2026-11-30T00:00:00+01:00",
		"22:15":                "2026-11-30T22:15:00+01:00", // today it has not been yet
		"08:30":                "2026-12-01T08:30:00+01:00",
		"02:03:04":             "2026-12-01T02:03:04+01:00",
		"12h":                  "2026-11-30T20:30:00+01:00",
		"1h30m":                "2026-12-01T07:00:00+01:00",
	} {
		at, err := parseMoment("--from", text, now)
		require.NoError(t, err, text)
		wanted, err := time.Parse(time.RFC3339, want)
		require.NoError(t, err)
		require.True(t, at.Equal(wanted), "%s is %s", text, at)
	}
	for _, text := range []string{"yesterday", "-1h", "25:00", "2026-13-01", "0s"} {
		_, err := parseMoment("--from", text, now)
		require.ErrorContains(t, err, "--from: expected a time", text)
	}
	none, err := parseMoment("--from", "", now)
	require.NoError(t, err)
	require.True(t, none.IsZero())
}
