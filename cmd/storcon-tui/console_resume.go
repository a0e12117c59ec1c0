package main

import (
	"context"

	"github.com/StorconTUI/storcon-tui/ui/view"
)

// resumeInConsole opens the console on the question whether to take an
// unfinished run up again.
func (p *program) resumeInConsole(ctx context.Context, run string) error {
	return p.inConsole(ctx, func(ctx context.Context, o *opening) (err error) {
		if _, err := o.c.observe(ctx); err != nil {
			return o.c.at(err)
		}
		if o.deps.Run, err = o.runs.Resume(ctx, run); err != nil {
			return o.c.at(refusal(err))
		}
		o.deps.Unfinished = view.OpenRun{}
		return nil
	})
}
