package history

import (
	"context"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/release"
)

const (
	// showEvery is how often a screening looks at the clock.
	showEvery = 100 * time.Millisecond
	// steadyEvery is how often the same observation is given again, in recorded time, so
	// that what lasts grows on the screen.
	steadyEvery = time.Second
)

// Screening plays a recording for screens: a Watch is shown what is played and keeps the
// Release, as it does of a live cluster. All methods are safe for use by several
// goroutines, before, while and after Run.
type Screening struct {
	limits release.Settings
	now    func() time.Time

	mu      sync.Mutex
	player  *Player
	watch   *release.Watch
	shown   release.Release
	seq     uint64
	changed map[chan struct{}]struct{}
}

// Scene is what stands on the screen of a Screening, and where its buttons are.
type Scene struct {
	Release  release.Release
	Seq      uint64    // grows when the Release is another one
	At       time.Time // the recorded moment, which is what a screen has for now
	From, To time.Time // of the recording
	Speed    float64   // recorded seconds a second
	Playing  bool
	Ended    bool   // the end was reached
	Behind   bool   // it is on the way to At: a far jump takes a moment
	Skipped  Skip   // the newest time in which nobody recorded; zero = none
	Damage   Damage // what could not be used so far
}

// NewScreening prepares to play a recording from its beginning. limits are those by
// which the Watch judges; now is the clock, nil = time.Now.
func NewScreening(r *Recording, limits release.Settings, speed float64, now func() time.Time) (*Screening, error) {
	if now == nil {
		now = time.Now
	}
	player, err := NewPlayer(r, steadyEvery, now(), speed)
	if err != nil {
		return nil, err
	}
	s := &Screening{limits: limits, now: now, player: player, changed: map[chan struct{}]struct{}{}}
	s.forget()
	return s, nil
}

func (s *Screening) forget() {
	s.watch = release.NewWatch(s.limits)
	s.shown = s.watch.Release()
}

// Run plays until ctx ends, lets go of the files and returns nil. It may be called once.
func (s *Screening) Run(ctx context.Context) error {
	clock := time.NewTicker(showEvery)
	defer clock.Stop()
	defer s.close()
	for {
		for s.show() {
			if ctx.Err() != nil {
				return nil
			}
		}
		select {
		case <-clock.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Screening) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.player.Close()
}

// show shows the Watch what is due; true when more is.
func (s *Screening) show() (behind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, anew := s.player.Step(s.now())
	if anew {
		s.forget()
	}
	for _, o := range seen {
		s.watch.See(o)
	}
	if behind = s.player.Behind(); anew || len(seen) > 0 {
		s.shown = s.watch.Release()
		s.tell()
	}
	return behind
}

// tell pings whoever looks.
func (s *Screening) tell() {
	s.seq++
	for c := range s.changed {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Subscribe returns a channel that is pinged when the Scene is another one, apart from
// its At; pings that nobody took are one ping. After cancel nothing is sent.
func (s *Screening) Subscribe() (<-chan struct{}, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{}, 1)
	s.changed[c] = struct{}{}
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.changed, c)
	}
}

// Scene is what stands now.
func (s *Screening) Scene() Scene {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	from, to := s.player.Span()
	return Scene{
		Release: s.shown, Seq: s.seq,
		At: s.player.Position(now), From: from, To: to,
		Speed: s.player.Speed(), Playing: s.player.Playing(), Ended: s.player.Ended(now),
		Behind: s.player.Behind(), Skipped: s.player.Skipped(), Damage: s.player.Damage(),
	}
}

// Play goes on, from the beginning when the end was reached.
func (s *Screening) Play() {
	s.press(func(p *Player, now time.Time) {
		if p.Ended(now) {
			from, _ := p.Span()
			p.Seek(now, from)
		}
		p.Play(now)
	})
}

// Pause stands still.
func (s *Screening) Pause() { s.press(func(p *Player, now time.Time) { p.Pause(now) }) }

// Faster takes the next higher speed.
func (s *Screening) Faster() { s.press(func(p *Player, now time.Time) { p.Faster(now) }) }

// Slower takes the next lower speed.
func (s *Screening) Slower() { s.press(func(p *Player, now time.Time) { p.Slower(now) }) }

// Seek goes to a recorded moment; what leads there is shown to the Watch on the way.
func (s *Screening) Seek(to time.Time) {
	s.press(func(p *Player, now time.Time) { p.Seek(now, to) })
}

func (s *Screening) press(button func(p *Player, now time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	button(s.player, s.now())
	s.tell()
}
