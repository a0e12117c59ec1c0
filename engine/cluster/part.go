package cluster

import (
	"fmt"
	"net/http"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

const (
	// offScope begins the Off of every part that a missing scope turned off.
	offScope = "token lacks scope"
	// offNoLeaderRow: nothing is wrong, there is only nothing to read.
	offNoLeaderRow = "the controller keeps no leader row (it runs without peers)"
	// offNotConfigured is for what nobody asked for.
	offNotConfigured = "not configured"
)

// read is the part after a good read.
func (p Part[T]) read(value T, now time.Time) Part[T] { return Part[T]{Value: value, At: now} }

// failed is the part after a failed read: the last good value stays. It
// reports whether a person would see a difference.
func (p Part[T]) failed(err error, now time.Time) (Part[T], bool) {
	same := p.Err != nil && p.Err.Error() == err.Error() && p.Off == ""
	if p.Err == nil {
		p.Since = now
	}
	p.Err, p.Off = err, ""
	return p, !same
}

// off is the part that is no longer asked for.
func (p Part[T]) off(why string) (Part[T], bool) {
	same := p.Off == why
	p.Off, p.Err, p.Since = why, nil, time.Time{}
	return p, !same
}

// lacksAdmin recognises a route that the token's scope does not cover; why is
// the sentence for people.
func lacksAdmin(err error, route string) (why string, yes bool) {
	if client.StatusOf(err) != http.StatusForbidden {
		return "", false
	}
	return fmt.Sprintf("%s %s (403 from %s)", offScope, client.ScopeAdmin, route), true
}
