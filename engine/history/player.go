package history

import (
	"iter"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/release"
)

const (
	// Silence is a time between two records in which nobody can have recorded; a Watch takes
	// it for the same.
	Silence = 2 * release.KeepEvery
	// stepMost is how many observations one Step gives: a far jump is made in pieces,
	// between which a screen can be drawn.
	stepMost = 500
)

// Player plays a recording: it gives the observations in the pace of a clock that it
// is given the time of. Time in which nobody recorded is jumped over. It reads the
// disk while Step is called, starts nothing of its own, and is for one goroutine.
//
//	for now := range ticks {
//		seen, anew := player.Step(now)
//		if anew {
//			watch = release.NewWatch(settings)
//		}
//		for _, o := range seen {
//			watch.See(o)
//		}
//	}
type Player struct {
	Transport
	recording *Recording
	every     time.Duration
	next      func() (release.Observation, bool)
	stop      func()
	ahead     *release.Observation // read, and not yet due; nil = the end
	given     time.Time            // of the newest that was given; zero = none
	anew      bool
	behind    bool
	skipped   Skip
}

// Skip is time in which nobody recorded.
type Skip struct{ From, To time.Time }

// NewPlayer plays a recording from its beginning, at a speed of recorded seconds a
// second. Between two records the same observation is given again every so many
// recorded seconds, as somebody who watched had it; 0 = never. The player has to be
// closed.
func NewPlayer(r *Recording, every time.Duration, now time.Time, speed float64) (*Player, error) {
	from, to, err := r.Span()
	if err != nil {
		return nil, err
	}
	p := &Player{Transport: NewTransport(from, to, now, speed), recording: r, every: every}
	p.rewind()
	p.anew = false // nobody has been given anything
	return p, nil
}

func (p *Player) rewind() {
	p.Close()
	p.next, p.stop = iter.Pull(Steady(p.recording.Observations(), p.every))
	p.given, p.anew, p.skipped = time.Time{}, true, Skip{}
	p.read()
}

func (p *Player) read() {
	p.ahead = nil
	if o, ok := p.next(); ok {
		p.ahead = &o
	}
}

// Step gives what has become due since the last Step, oldest first. anew says that it
// begins again at the beginning of the recording, because of a Seek backwards:
// whatever was made of the earlier ones has to be forgotten.
func (p *Player) Step(now time.Time) (seen []release.Observation, anew bool) {
	anew, p.anew = p.anew, false
	p.jump(now)
	at := p.Position(now)
	for p.ahead != nil && !p.ahead.At.After(at) && len(seen) < stepMost {
		seen, p.given = append(seen, *p.ahead), p.ahead.At
		p.read()
	}
	p.behind = p.ahead != nil && !p.ahead.At.After(at)
	return seen, anew
}

// jump leaves out time in which nobody recorded.
func (p *Player) jump(now time.Time) {
	if !p.Playing() || p.ahead == nil || p.given.IsZero() || p.ahead.At.Sub(p.given) <= Silence {
		return
	}
	if at := p.Position(now); at.After(p.given) && at.Before(p.ahead.At) {
		p.skipped = Skip{From: p.given, To: p.ahead.At}
		p.Transport.Seek(now, p.ahead.At)
	}
}

// Behind reports that more is due than the last Step gave.
func (p *Player) Behind() bool { return p.behind }

// Skipped is the newest time that was jumped over; zero = none.
func (p *Player) Skipped() Skip { return p.skipped }

// Damage is what could not be used of what was played so far.
func (p *Player) Damage() Damage { return p.recording.Damage() }

// Seek goes to a recorded moment; a Step gives what leads there.
func (p *Player) Seek(now, to time.Time) {
	p.Transport.Seek(now, to)
	if p.Position(now).Before(p.given) {
		p.rewind()
	}
}

// Close lets go of the files.
func (p *Player) Close() {
	if p.stop != nil {
		p.stop()
	}
}

// Steady repeats what is known to have stood for a while, once in every so often, as
// somebody who watched saw it, so that limits of time pass when they did. Nothing is put
// between the last look at something and the change of it, nor where nobody recorded, and
// time never goes back, whatever the clock of the host did.
func Steady(seq iter.Seq[release.Observation], every time.Duration) iter.Seq[release.Observation] {
	return func(yield func(release.Observation) bool) {
		var last release.Observation
		for o := range seq {
			if !last.At.IsZero() && o.At.Before(last.At) {
				o.At = last.At
			}
			if every > 0 && !last.At.IsZero() && o.At.Sub(last.At) <= Silence && o.Same(last) {
				again := last
				for again.At = last.At.Add(every); again.At.Before(o.At); again.At = again.At.Add(every) {
					if !yield(again) {
						return
					}
				}
			}
			if !yield(o) {
				return
			}
			last = o
		}
	}
}
