package server

import (
	"context"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// await starts something in the simulation and waits until it reports its end
// or ctx does.
func (s *Server) await(ctx context.Context, start func(w *sim.World, done func(error))) error {
	end, err := await(ctx, s, start)
	if err != nil {
		return err
	}
	return end
}

// await is the same for an end that is more than an error.
func await[T any](ctx context.Context, s *Server, start func(w *sim.World, done func(T))) (T, error) {
	ended := make(chan T, 1)
	s.with(func(w *sim.World) {
		start(w, func(end T) {
			select {
			case ended <- end:
			default: // only the first report counts
			}
		})
	})
	var none T
	select {
	case end := <-ended:
		// The report comes from the middle of an advance. Its end, when
		// listeners follow their processes, must be visible to the caller.
		s.mu.Lock()
		defer s.mu.Unlock()
		return end, nil
	case <-ctx.Done():
		return none, ctx.Err()
	case <-s.done.Done():
		return none, s.done.Err()
	}
}
