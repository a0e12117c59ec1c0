package cluster

import (
	"context"
	"slices"
	"time"
)

// pollAlerts asks the monitoring which alerts fire. Failures are asked again at the
// same pace: a monitoring that is down is not helped by more questions.
func (p *Poller) pollAlerts(ctx context.Context) {
	if p.cfg.Alerts == nil {
		return
	}
	repeat(ctx, nil, p.readAlerts, func(luck float64, _ time.Duration) time.Duration {
		return jittered(p.rates.Alerts, luck)
	})
}

func (p *Poller) readAlerts(ctx context.Context) {
	firing, err := p.cfg.Alerts(ctx)
	if ctx.Err() != nil {
		return
	}
	before := p.Latest().Alerts.Err
	p.publish(func(b *builder, now time.Time) bool { return b.alerts(firing, err, now) })
	p.pingReads()
	p.logTurn("alerts", before, err)
}

// alerts takes in which alerts fire; err when that could not be read.
func (b *builder) alerts(firing []string, err error, now time.Time) bool {
	next, was := *b.cur, *b.cur.Alerts
	if err != nil {
		part, changed := was.failed(err, now)
		next.Alerts = &part
		return b.publish(next, now, changed)
	}
	part := was.read(firing, now)
	next.Alerts = &part
	return b.publish(next, now, was.Err != nil || !was.Known() || !slices.Equal(was.Value, firing))
}
