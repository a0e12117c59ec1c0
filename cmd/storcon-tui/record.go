package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/history"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// rememberFor is how far back whoever begins to watch looks at what was recorded.
const rememberFor = 24 * time.Hour

// historyDir is where what was seen of a cluster is kept.
func historyDir(store *journal.Store) string { return filepath.Join(store.Dir(), "history") }

// remembered is a Watch that was shown what was recorded lately, so that who begins to
// watch late sees a release from its start, and when the first of that was seen; zero =
// nothing was recorded.
func (c *connection) remembered() (watch *release.Watch, began time.Time) {
	watch = release.NewWatch(c.settings.Cluster.Watch)
	if c.settings.History.Off {
		return watch, began
	}
	recording, err := history.Open(historyDir(c.store))
	if errors.Is(err, history.ErrEmpty) {
		return watch, began
	}
	if err != nil {
		c.log.Warn("what was recorded cannot be read", "err", err)
		return watch, began
	}
	recording.Limit(time.Now().Add(-rememberFor), time.Time{})
	for seen := range recording.Observations() {
		if began.IsZero() {
			began = seen.At
		}
		watch.See(seen)
	}
	if damage := recording.Damage(); damage.Any() {
		c.log.Warn("not all that was recorded can be read", "what", damage.String())
	}
	return watch, began
}

// watched is polled for a verb that goes on for a while: what is seen meanwhile is
// recorded, unless the configuration says that it is not.
func (c *connection) watched(ctx context.Context, do func(context.Context) error) error {
	c.metrics.Polled(c.poller.Latest)
	if c.settings.History.Off {
		return c.polled(ctx, do)
	}
	c.metrics.Records(false)
	recorder := history.NewRecorder(historyDir(c.store), historyOptions(c.settings.History, c.secrets.Redact, c.notRecorded))
	return c.polled(ctx, func(ctx context.Context) error {
		recording, stop := context.WithCancel(ctx)
		var recorded sync.WaitGroup
		recorded.Go(func() { c.record(recording, recorder) })
		defer recorded.Wait()
		defer stop()
		return do(ctx)
	})
}

func historyOptions(h config.History, redact func(string) string, trouble func(error)) history.Options {
	return history.Options{
		MaxAge: time.Duration(h.MaxDays) * 24 * time.Hour, MaxBytes: int64(h.MaxMB) << 20,
		Redact: redact, Trouble: trouble,
	}
}

// notRecorded says that recording has ended, on the screen and again when the screen
// is gone.
func (c *connection) notRecorded(err error) {
	text := client.Clean(err.Error())
	c.log.Warn("recording has ended", "err", err)
	c.unrecorded = text
	c.metrics.Records(true)
	select {
	case c.told <- text:
	default: // the screen has not taken the last one yet
	}
}

// record writes what the poller sees until ctx ends. It begins when every part was tried:
// a first look without builds and launch times would make a release look as if it had not
// begun.
func (c *connection) record(ctx context.Context, to *history.Recorder) {
	_, _ = c.observe(ctx) // what cannot be read is recorded as such
	read, unsubscribe := c.poller.SubscribeReads()
	defer unsubscribe()
	for {
		to.Record(release.Observe(c.poller.Latest()))
		select {
		case <-read:
		case <-ctx.Done():
			to.Record(release.Observe(c.poller.Latest())) // which others have seen
			_ = to.Close()                                // a failure was told when it happened; this is at most the last line
			return
		}
	}
}
