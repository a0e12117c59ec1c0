package main

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/history"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// recordEvery is how often the picture is looked at although nothing has changed.
const recordEvery = 10 * time.Second

// historyDir is where what was seen of a cluster is kept.
func (c *connection) historyDir() string { return filepath.Join(c.store.Dir(), "history") }

// watched is polled for a verb that goes on for a while: what is seen meanwhile is
// recorded, unless the configuration says that it is not.
func (c *connection) watched(ctx context.Context, do func(context.Context) error) error {
	if c.settings.History.Off {
		return c.polled(ctx, do)
	}
	recorder := history.NewRecorder(c.historyDir(), historyOptions(c.settings.History, c.secrets.Redact, c.notRecorded))
	return c.polled(ctx, func(ctx context.Context) error {
		recording, stop := context.WithCancel(ctx)
		var recorded sync.WaitGroup
		recorded.Go(func() { record(recording, c.poller, recorder) })
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
	select {
	case c.told <- text:
	default: // the screen has not taken the last one yet
	}
}

// record writes what the poller sees until ctx ends.
func record(ctx context.Context, from *cluster.Poller, to *history.Recorder) {
	changed, unsubscribe := from.Subscribe()
	defer unsubscribe()
	clock := time.NewTicker(recordEvery)
	defer clock.Stop()
	for {
		to.Record(release.Observe(from.Latest()))
		select {
		case <-changed:
		case <-clock.C:
		case <-ctx.Done():
			_ = to.Close() // a failure was told when it happened; this is at most the last line
			return
		}
	}
}
