package sim

// TerminateCompute ends a compute; done is called when it is terminated. Of an empty one that is
// never. busy is the state for which it is refused; again says that it was terminated
// already.
func (w *World) TerminateCompute(index int, now bool, done func()) (busy string, again bool) {
	c := &w.computes[index]
	switch c.Status {
	case CtlTerminated:
		return "", true
	case CtlEmpty, CtlRunning:
	default:
		return c.Status, false
	}
	was, state, linger := c.Status, CtlEndingFast, lingerFast
	if now {
		state, linger = CtlEndingNow, lingerNow
	}
	w.enter(index, state)
	c.ctl.ending = append(c.ctl.ending, done)
	if was == CtlEmpty {
		return "", false
	}
	w.afterCompute(index, endTime, func(c *Compute) {
		w.enter(index, CtlTerminated)
		c.ctl.pgDown = true
		for _, done := range c.ctl.ending {
			done()
		}
		c.ctl.ending = nil
		w.afterCompute(index, linger, func(c *Compute) { c.ctl.end() })
	})
	return "", false
}

// RefreshCompute has a compute read its config anew (contract B.10). refused is the state
// for which it is refused, as Rust's debug form names it; "" = it is taken.
func (w *World) RefreshCompute(index int) (refused string) {
	c := &w.computes[index]
	switch c.Status {
	case CtlInit:
		return ""
	case CtlRunning, CtlFailed, CtlRefreshPending:
	default:
		return camel(c.Status)
	}
	w.enter(index, CtlRefreshPending)
	if c.ctl.orphan || c.ctl.asked {
		return "" // nobody handles it, or one look will do for both
	}
	c.ctl.asked = true
	w.afterCompute(index, max(c.ctl.restTil-w.now, applyTime), func(c *Compute) {
		c.ctl.asked = false
		w.readAnew(index)
	})
	return ""
}

func (w *World) readAnew(index int) {
	w.enter(index, CtlRefresh)
	c := &w.computes[index]
	s := c.ctl.script
	switch {
	case s.RefreshNone:
		c.ctl.end()
	case s.RefreshBad:
		w.afterCompute(index, restTime, func(*Compute) { w.enter(index, CtlRefreshPending) })
	case s.Refreshed == nil || c.ctl.spec != nil && s.Refreshed.Pageservers == c.ctl.inUse["neon.pageserver_connstring"]:
		w.enter(index, CtlRunning)
		c.ctl.said = CtlRefresh // its metrics do not notice
		c.ctl.restTil = w.now + restTime
	case s.Refreshed.MissingShard != "":
		w.enter(index, CtlRefreshPending)
	default:
		w.afterCompute(index, applyTime, func(c *Compute) {
			c.ctl.take(*s.Refreshed, false)
			w.enter(index, CtlRunning)
		})
	}
}

// KillPostgres ends a compute's Postgres from outside. compute_ctl goes on saying running
// until it notices, and then ends.
func (w *World) KillPostgres(index int) {
	w.computes[index].ctl.pgDown = true
	w.afterCompute(index, noticeTime, func(c *Compute) { c.ctl.end() })
}

// EndCompute ends a compute's process.
func (w *World) EndCompute(index int) { w.computes[index].ctl.end() }
