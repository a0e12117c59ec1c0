package prose

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Unknown stands where a number is not known. A missing number is never 0.
const Unknown = "…"

// Count writes a number with a space between thousands: 1567 is "1 567". A
// negative number means unknown.
func Count(n int64) string {
	if n < 0 {
		return Unknown
	}
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Things writes a number with its noun: "1 shard", "3 shards", "… shards".
func Things(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Span writes a duration in its two largest units: "48 s", "1 min 52 s",
// "3 h 10 min", "12 d". Less than a second is "0.4 s", next to nothing or a negative one "0 s".
func Span(d time.Duration) string {
	switch {
	case d < 50*time.Millisecond:
		return "0 s"
	case d < 950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 48*time.Hour:
		return spanUnits(d.Round(time.Second), "min", "h")
	}
	return fmt.Sprintf("%d d", d/(24*time.Hour))
}

// SpanShort is Span for a narrow column: "1 m 52 s".
func SpanShort(d time.Duration) string {
	if d >= time.Second && d < 48*time.Hour {
		return spanUnits(d.Round(time.Second), "m", "h")
	}
	return Span(d)
}

func spanUnits(d time.Duration, minute, hour string) string {
	h, m, s := d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second
	switch {
	case h > 0 && m > 0:
		return fmt.Sprintf("%d %s %d %s", h, hour, m, minute)
	case h > 0:
		return fmt.Sprintf("%d %s", h, hour)
	case m > 0 && s > 0:
		return fmt.Sprintf("%d %s %d s", m, minute, s)
	case m > 0:
		return fmt.Sprintf("%d %s", m, minute)
	}
	return fmt.Sprintf("%d s", s)
}

// Estimate writes a range as coarsely as it is known: "5–30 s", "20–90 s",
// "1–3 m", "<1–4 m", "~20 s"; "…" when it is not known. The range written never
// is narrower than the one meant.
func Estimate(r rollout.Range) string {
	switch {
	case r.Max <= 0:
		return Unknown
	case r.Min <= 0:
		return Estimate(rollout.Range{Min: r.Max, Max: r.Max})
	case r.Max <= 2*time.Minute:
		return between(coarse(r.Min.Seconds(), math.Floor), coarse(r.Max.Seconds(), math.Ceil), " s")
	case r.Max <= 2*time.Hour:
		return between(int64(math.Floor(r.Min.Minutes())), int64(math.Ceil(r.Max.Minutes())), " m")
	}
	return between(int64(math.Floor(r.Min.Hours())), int64(math.Ceil(r.Max.Hours())), " h")
}

// coarse rounds seconds: to tens from 20 on, to fives from 10 on.
func coarse(seconds float64, round func(float64) float64) int64 {
	step := 1.0
	switch {
	case seconds >= 20:
		step = 10
	case seconds >= 10:
		step = 5
	}
	return int64(round(seconds/step) * step)
}

func between(lo, hi int64, unit string) string {
	switch {
	case lo == hi || hi == 0:
		return fmt.Sprintf("~%d%s", hi, unit)
	case lo <= 0:
		return fmt.Sprintf("<1–%d%s", hi, unit)
	}
	return fmt.Sprintf("%d–%d%s", lo, hi, unit)
}

// ShardSeconds writes an exposure: "72 shard·s", "2.1 shard·s".
func ShardSeconds(v float64) string {
	if v < 0 {
		return "unknown"
	}
	if v > 0 && v < 9.95 {
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") + " shard·s"
	}
	return Count(int64(v+0.5)) + " shard·s"
}

// Percent writes a share: "99.9 %", without a decimal when there is none.
func Percent(part, whole float64) string {
	if whole <= 0 {
		return Unknown
	}
	text := strconv.FormatFloat(100*part/whole, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0") + " %"
}

// ShortShard abbreviates a shard's id for a screen: "3aa9…8e41-0002". Where a
// person may need to copy it, the whole id is written.
func ShortShard(id string) string {
	tenant, shard, sharded := strings.Cut(id, "-")
	if len(tenant) > 12 {
		tenant = tenant[:4] + "…" + tenant[len(tenant)-4:]
	}
	if sharded {
		return tenant + "-" + shard
	}
	return tenant
}
