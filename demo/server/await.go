package server

import (
	"context"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// await starts something in the simulation and waits until it reports its end
// or ctx does.
func (s *Server) await(ctx context.Context, start func(w *sim.World, done func(error))) error {
	ended := make(chan error, 1)
	s.with(func(w *sim.World) {
		start(w, func(err error) {
			select {
			case ended <- err:
			default: // only the first report counts
			}
		})
	})
	select {
	case err := <-ended:
		// The report comes from the middle of an advance. Its end, when
		// listeners follow their processes, must be visible to the caller.
		s.mu.Lock()
		defer s.mu.Unlock()
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done.Done():
		return s.done.Err()
	}
}
