package main

import "context"

// resumeInConsole opens the console on the question whether to take an
// unfinished run up again.
func (p *program) resumeInConsole(ctx context.Context, run string) error {
	if err := p.needTerminal(); err != nil {
		return err
	}
	c, err := p.connectToDrive()
	if err != nil {
		return err
	}
	defer c.close()
	return c.watched(ctx, func(ctx context.Context) error {
		if _, err := c.observe(ctx); err != nil {
			return c.at(err)
		}
		runs := c.consoleRuns()
		deps, err := p.deps(c, runs)
		if err != nil {
			return err
		}
		if deps.Run, err = runs.Resume(ctx, run); err != nil {
			return c.at(refusal(err))
		}
		deps.Unfinished = ""
		return p.show(ctx, deps, runs)
	})
}
