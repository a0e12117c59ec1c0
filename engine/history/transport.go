package history

import (
	"slices"
	"time"
)

// speeds are those that Faster and Slower go through, in recorded seconds a second.
var speeds = []float64{MinSpeed, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, MaxSpeed}

// The lowest and the highest speed.
const (
	MinSpeed = 0.25
	MaxSpeed = 3600
)

// Transport are the buttons of a player: it tells which moment of a recording stands
// at a moment of the clock. It has no clock; every method is given the time that it
// is. It is for one goroutine.
type Transport struct {
	from, to time.Time // of the recording
	speed    float64
	playing  bool
	at       time.Time // the recorded moment that stood
	since    time.Time // at this moment of the clock
}

// NewTransport stands at the beginning of a recording, and plays.
func NewTransport(from, to, now time.Time, speed float64) Transport {
	t := Transport{from: from, to: to, at: from, since: now, playing: true}
	t.SetSpeed(now, speed)
	return t
}

// Position is the recorded moment that stands now, never outside the recording.
func (t *Transport) Position(now time.Time) time.Time {
	at := t.at
	if t.playing {
		at = at.Add(time.Duration(float64(now.Sub(t.since)) * t.speed))
	}
	return t.within(at)
}

func (t *Transport) within(at time.Time) time.Time {
	switch {
	case at.Before(t.from):
		return t.from
	case at.After(t.to):
		return t.to
	}
	return at
}

// Span is when the recording begins and ends.
func (t *Transport) Span() (from, to time.Time) { return t.from, t.to }

// Ended reports that the end has been reached.
func (t *Transport) Ended(now time.Time) bool { return !t.Position(now).Before(t.to) }

// Playing reports that it is not paused.
func (t *Transport) Playing() bool { return t.playing }

// Speed is how many recorded seconds pass in a second.
func (t *Transport) Speed() float64 { return t.speed }

// Play goes on where Pause stopped.
func (t *Transport) Play(now time.Time) { t.stand(now); t.playing = true }

// Pause stands still.
func (t *Transport) Pause(now time.Time) { t.stand(now); t.playing = false }

// stand takes the position of now as the one to count from.
func (t *Transport) stand(now time.Time) { t.at, t.since = t.Position(now), now }

// SetSpeed changes the speed, which is brought within what Faster and Slower can
// reach.
func (t *Transport) SetSpeed(now time.Time, speed float64) {
	t.stand(now)
	t.speed = min(max(speed, MinSpeed), MaxSpeed)
}

// Faster takes the next higher speed.
func (t *Transport) Faster(now time.Time) {
	for _, speed := range speeds {
		if speed > t.speed {
			t.SetSpeed(now, speed)
			return
		}
	}
}

// Slower takes the next lower speed.
func (t *Transport) Slower(now time.Time) {
	for _, speed := range slices.Backward(speeds) {
		if speed < t.speed {
			t.SetSpeed(now, speed)
			return
		}
	}
}

// Seek goes to a recorded moment and plays or stands as before.
func (t *Transport) Seek(now, to time.Time) { t.at, t.since = t.within(to), now }
