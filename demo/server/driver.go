package server

import (
	"time"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// listenRetry is how soon a listener that could not be opened is tried again:
// the port of a killed process can be taken for a moment.
const listenRetry = 50 * time.Millisecond

// catchUpBudget bounds how long one look at the simulation may work off what
// is due. A cluster that is too large for its speed falls behind real time
// instead of taking the processor and the lock for itself.
const catchUpBudget = 20 * time.Millisecond

// drive advances the simulation whenever something is due in it.
func (s *Server) drive() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.done.Done():
			s.closeFaces()
			return
		case <-timer.C:
		case <-s.poke:
		}
		s.mu.Lock()
		s.advance()
		timer.Reset(s.wake.Sub(s.now()))
		s.mu.Unlock()
	}
}

// with runs fn on the simulation, brought up to the present, and sees to what
// follows from it.
func (s *Server) with(fn func(*sim.World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	s.crown()
	fn(s.world)
	s.witnessed()
	before := s.wake
	s.advance()
	if s.wake.Before(before) {
		select {
		case s.poke <- struct{}{}:
		default: // one is on its way
		}
	}
}

// advance brings the simulation up to the present, opens and closes what its
// processes say, and notes when to look again.
func (s *Server) advance() {
	s.catchUp()
	s.wake = s.now().Add(time.Hour)
	if at, ok := s.world.Next(); ok {
		s.wake = s.wall(at).Add(s.behind)
	}
	if !s.syncFaces() {
		s.wake = s.now().Add(listenRetry)
	}
}

// catchUp brings the simulation to the present, or as far as the budget goes;
// what is missing then is given up, so that time in it passes later.
func (s *Server) catchUp() {
	target := s.simulated(s.now())
	deadline := time.Now().Add(catchUpBudget)
	for s.world.Step(target) {
		s.witnessed()
		if time.Now().After(deadline) {
			s.behind += s.real(target - s.world.Now())
			return
		}
	}
	s.world.Advance(target)
}

// Witness has every state of the simulation shown to fn, also one that lasts too short for
// any request to find it. It is called with the simulation locked: it must neither wait nor
// call the server.
func (s *Server) Witness(fn func(*sim.World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.witness = fn
	s.witnessed()
}

func (s *Server) witnessed() {
	if s.witness != nil {
		s.witness(s.world)
	}
}

// syncFaces makes the servers follow the processes; false when one could not
// listen yet.
func (s *Server) syncFaces() bool {
	if s.done.Err() != nil {
		return true
	}
	ok := s.syncInstances()
	for id, f := range s.pageservers {
		p, known := s.world.Process(id)
		ok = s.syncFace(f, known && p.Up) && ok
	}
	for i, f := range s.computes {
		if s.world.Ctl(i).Gone {
			f.close()
			s.internal[i].close()
		}
	}
	return ok
}

func (s *Server) syncFace(f *face, up bool) bool {
	if !up {
		f.close()
		return true
	}
	return f.open() == nil
}

// simulated is the simulated time of a moment.
func (s *Server) simulated(t time.Time) time.Duration {
	return time.Duration(float64(t.Sub(s.began)-s.behind) * s.opts.Speed)
}

// wall is the moment that a simulated time is shown as. It never changes once
// shown, so it leaves out what the simulation has fallen behind.
func (s *Server) wall(d time.Duration) time.Time { return s.began.Add(s.real(d)) }

// real is how long a simulated duration takes.
func (s *Server) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) / s.opts.Speed)
}
