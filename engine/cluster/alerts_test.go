package cluster

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Alerts are asked for every 20 s; one that fires, and a monitoring that does not
// answer, need a person. Nobody is asked where nothing is configured.
func TestAlerts(t *testing.T) {
	var mu sync.Mutex
	var firing []string
	var down error
	asked := 0
	say := func(f []string, err error) {
		mu.Lock()
		defer mu.Unlock()
		firing, down = f, err
	}
	cfg := Config{Client: newFake(node(1)), Alerts: func(context.Context) ([]string, error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		return firing, down
	}}
	reasons := func(p *Poller) []Reason {
		var all []Reason
		for _, a := range Attend(p.Latest(), time.Now(), nil) {
			all = append(all, a.Reason)
		}
		return all
	}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(time.Second)
		require.True(t, p.Latest().Alerts.Known())
		require.Empty(t, reasons(p))
		say([]string{"HighLatency"}, nil)
		pass(23 * time.Second)
		require.Equal(t, []string{"HighLatency"}, p.Latest().Alerts.Value)
		require.Equal(t, []Reason{AlertsFiring}, reasons(p))
		say(nil, errors.New("connection refused"))
		pass(23 * time.Second)
		require.Equal(t, []Reason{AlertsUnread}, reasons(p))
		require.Equal(t, []string{"HighLatency"}, p.Latest().Alerts.Value, "the last good answer stays")
		say(nil, nil)
		pass(23 * time.Second)
		require.Empty(t, reasons(p))
		require.InDelta(t, 4, asked, 1)
	})
	running(t, Config{Client: newFake(node(1))}, func(t *testing.T, p *Poller) {
		pass(time.Minute)
		require.Nil(t, p.Latest().Alerts)
	})
}
