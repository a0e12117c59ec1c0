package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/history"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/ui"
)

// replayOwn stands for what this host has recorded of the cluster.
const replayOwn = "own"

// replayOptions are the flags of watch that are about the past.
type replayOptions struct {
	path     string // "" = it watches the present
	from, to string
	speed    float64
	paced    bool
}

func (o *replayOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.path, "replay", "", `play a recording again: a file, a directory, or "own" for what this host has recorded of the cluster`)
	f.StringVar(&o.from, "from", "", `begin the replay there: "2026-11-30 22:00", "22:00" or "12h" ago`)
	f.StringVar(&o.to, "to", "", "end the replay there")
	speedFlag(f, &o.speed)
}

// check refuses flags that go without the others.
func (o replayOptions) check(f *pflag.FlagSet, timeout time.Duration) error {
	if o.path == "" {
		for _, name := range []string{"from", "to", "speed"} {
			if f.Changed(name) {
				return usagef("--%s is for --replay", name)
			}
		}
		return nil
	}
	if timeout > 0 {
		return usagef("--timeout is for watching the present: a replay ends with the recording")
	}
	return checkSpeed(o.speed)
}

// replay tells what happened in the releases of a recording. Nothing is asked of a
// cluster.
func (p *program) replay(ctx context.Context, o watchOptions) error {
	recording, limits, err := p.openRecording(o.replay)
	if err != nil {
		return err
	}
	ctx, _, stop := watchSignals(ctx)
	defer stop()
	told := &retelling{
		watcher: watcher{watch: release.NewWatch(limits)}, format: o.format, untilDone: o.untilDone, emit: p.printLine,
	}
	var lines []ui.PastLine
	if o.replay.paced || o.format == formatText && p.onTerminal() {
		told.emit = func(line ui.PastLine) error { lines = append(lines, line); return nil }
	}
	end, err := told.tellAll(ctx, recording.Observations())
	if err == nil {
		err = p.playLines(ctx, lines, o.replay.speed, o.replay.paced)
	}
	if err != nil {
		return err
	}
	if damage := recording.Damage(); damage.Any() {
		fmt.Fprintln(p.err, "storcon-tui: "+damage.String())
	}
	return end
}

// openRecording opens what is to be played, and says by what it is judged. A file can be
// played where its cluster is not configured.
func (p *program) openRecording(o replayOptions) (*history.Recording, release.Settings, error) {
	settings, err := config.Resolve(p.flags)
	asked := o.path == replayOwn || p.flags.Config != "" || p.flags.Cluster != ""
	if err != nil && asked {
		return nil, release.Settings{}, usage(err)
	}
	path := o.path
	if path == replayOwn {
		store, err := openStore(settings, journal.Options{})
		if err != nil {
			return nil, release.Settings{}, err
		}
		path = historyDir(store)
	}
	recording, err := history.Open(path)
	if err != nil {
		return nil, release.Settings{}, preflight(fmt.Errorf("replay: %w", err))
	}
	now := time.Now()
	from, fromErr := parseMoment("--from", o.from, now)
	to, toErr := parseMoment("--to", o.to, now)
	recording.Limit(from, to)
	return recording, settings.Cluster.Watch, errors.Join(fromErr, toErr)
}

// retelling tells of a recording what watch would have printed.
type retelling struct {
	watcher
	format    string
	untilDone bool
	emit      func(ui.PastLine) error

	out bytes.Buffer // of the lines
	day string       // of the newest line
}

// tellAll goes through a recording. end is the exit that watch would have had.
func (t *retelling) tellAll(ctx context.Context, recorded iter.Seq[release.Observation]) (end, err error) {
	for seen := range recorded {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		events := t.watch.See(seen)
		if t.lines == nil {
			t.lines = watchLinesTo(&t.out, t.format, cluster.Identity{Name: seen.Cluster})
			if err := errors.Join(t.tell(t.watch.Release(), nil, true), t.flush(seen.At)); err != nil {
				return nil, err
			}
		}
		if len(events) == 0 {
			continue
		}
		r := t.watch.Release()
		for _, e := range events {
			if err := errors.Join(t.lines.event(e, r), t.flush(e.At)); err != nil {
				return nil, err
			}
		}
		if t.untilDone && slices.ContainsFunc(events, isEnd) {
			return t.verdict(r), nil
		}
	}
	if t.lines == nil {
		return nil, preflight(history.ErrEmpty)
	}
	return nil, nil
}

// flush hands on what was told of a moment; a new day is a line of its own.
func (t *retelling) flush(at time.Time) error {
	if day := at.Local().Format(time.DateOnly); t.format == formatText && day != t.day {
		t.day = day
		if err := t.emit(ui.PastLine{At: at, Text: "-- " + day + " --"}); err != nil {
			return err
		}
	}
	for text := range strings.Lines(t.out.String()) {
		if err := t.emit(ui.PastLine{At: at, Text: strings.TrimSuffix(text, "\n")}); err != nil {
			return err
		}
	}
	t.out.Reset()
	return nil
}
