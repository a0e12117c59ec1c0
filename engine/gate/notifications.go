package gate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Moved is what the controller says of the shards that Node's drain moved away,
// each described alone.
type Moved struct {
	Shards []MovedShard
	At     time.Time // when the oldest of the descriptions was read; zero = not yet
	Err    error     // why the newest try failed; nil after a good one
	Off    string    // why they cannot be described; "" = they can
}

// MovedShard is one of them. The zero value was not described.
type MovedShard struct {
	ID        client.TenantShardID
	Described bool // false with a good Moved.At too, when its tenant was left out
	Gone      bool // its tenant was deleted: nobody is left to be told
	Pending   bool // is_pending_compute_notification
	// ReconcilingSince is when this run first saw it reconcile without a break
	// since; zero = it does not.
	ReconcilingSince time.Time
}

// reconcilingLong: refused notifications show as a reconcile that does not end,
// with nothing pending (C28).
const reconcilingLong = 30 * time.Second

// notificationsClear guards against computes that still talk to the node that
// is about to go (X8).
func notificationsClear(in Input) Fact {
	moved := in.Moved
	switch {
	case moved == nil:
		return off("the shards that were moved are not looked at")
	case moved.Off != "":
		return off("not readable with this token: " + moved.Off)
	case moved.Err != nil:
		return unknown("moved shards unreadable: " + moved.Err.Error())
	case moved.At.IsZero():
		return unknown("the shards that were moved were not looked at yet")
	case in.Now.Sub(moved.At) >= LeftoversFresh:
		return unknown("moved shards were looked at " + age(in.Now.Sub(moved.At)) + " ago")
	}
	var held []string
	var unseen, busy int
	for _, s := range moved.Shards {
		word, err := s.notified(in.Now)
		switch {
		case err != nil:
			held = append(held, fmt.Sprintf("%s %v", s.ID, err))
		case word == shardUnseen:
			unseen++
		case word == shardBusy:
			busy++
		}
	}
	total := len(moved.Shards)
	switch {
	case len(held) > 0:
		return fail(fmt.Sprintf("%d of %s moved: %s", len(held), shards(total), firstOf(held)))
	case unseen > 0:
		return unknown(fmt.Sprintf("%d of %s moved were not described", unseen, shards(total)))
	case busy > 0:
		return pass(fmt.Sprintf("%s moved, none pending; %d still reconcile (remark)", shards(total), busy))
	case total == 0:
		return pass("no shard was moved")
	}
	return pass(shards(total) + " moved, none pending")
}

type shardWord int

const (
	shardClear shardWord = iota
	shardBusy
	shardUnseen
)

// notified judges one shard; an error is what keeps the restart from starting.
func (s MovedShard) notified(now time.Time) (shardWord, error) {
	switch reconciling := !s.ReconcilingSince.IsZero(); {
	case s.Gone:
		return shardClear, nil
	case !s.Described:
		return shardUnseen, nil
	case s.Pending:
		return shardBusy, errors.New("has a notification pending")
	case reconciling && now.Sub(s.ReconcilingSince) >= reconcilingLong:
		return shardBusy, fmt.Errorf("reconciling for %s", age(now.Sub(s.ReconcilingSince)))
	case reconciling:
		return shardBusy, nil
	}
	return shardClear, nil
}

// firstOf lists a few of many.
func firstOf(all []string) string {
	text := strings.Join(all[:min(mostNamed, len(all))], ", ")
	if rest := len(all) - mostNamed; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
