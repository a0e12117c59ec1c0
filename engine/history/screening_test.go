package history

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// aRelease is what somebody sees who looks every second while three nodes are drained,
// restarted and filled, with what a rapid test has go wrong.
func aRelease(t *rapid.T) []release.Observation {
	o := quiet(t0, 3)
	var looks []release.Observation
	last := func(name string, most int) {
		for range rapid.IntRange(1, most).Draw(t, name) {
			o.At = o.At.Add(time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "pause")))
			looks = append(looks, o)
		}
	}
	set := func(i int, change func(n *release.NodeObservation)) {
		o.Nodes = slices.Clone(o.Nodes)
		change(&o.Nodes[i])
	}
	last("before", 20)
	for i := range o.Nodes {
		set(i, func(n *release.NodeObservation) { n.Policy = client.PolicyDraining })
		last("drain", 60)
		set(i, func(n *release.NodeObservation) { n.Attached = rapid.Int64Range(0, 90).Draw(t, "left") })
		last("drain goes on", 30)
		if rapid.Bool().Draw(t, "drained is seen") {
			set(i, func(n *release.NodeObservation) { n.Policy = client.PolicyPauseForRestart })
			last("drained", 10)
		}
		if rapid.Bool().Draw(t, "down is seen") {
			set(i, func(n *release.NodeObservation) { n.Availability = client.AvailabilityOffline })
			last("down", 50)
		}
		set(i, func(n *release.NodeObservation) {
			n.Policy, n.Availability = client.PolicyActive, client.AvailabilityActive
			n.Launched, n.Build = o.At, "r2"
		})
		last("back", 400)
		if rapid.Bool().Draw(t, "fill is seen") {
			set(i, func(n *release.NodeObservation) { n.Policy = client.PolicyFilling })
			last("fill", 60)
		}
		set(i, func(n *release.NodeObservation) { n.Policy, n.Attached = client.PolicyActive, 100 })
		if rapid.IntRange(0, 5).Draw(t, "silence") == 0 {
			o.At = o.At.Add(time.Hour)
		}
		last("done", 30)
	}
	last("after", 200)
	return looks
}

// A release that was recorded shows the same when it is played, at any speed and with
// any detours: phases, their times, anomalies, log and estimate.
func TestAReplayShowsWhatWasSeen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		live := release.NewWatch(release.Settings{})
		dir := t.TempDir()
		looks := aRelease(rt)
		r := NewRecorder(dir, Options{Trouble: func(err error) { rt.Errorf("trouble: %v", err) }})
		r.fileMost = 3000
		for _, o := range looks {
			live.See(o)
			r.Record(o)
		}
		if err := r.Close(); err != nil {
			rt.Fatal(err)
		}
		recording, err := Open(dir)
		if err != nil {
			rt.Fatal(err)
		}
		now := wall
		s, err := NewScreening(recording, release.Settings{}, 60, func() time.Time { return now })
		if err != nil {
			rt.Fatal(err)
		}
		defer s.close()
		detours := rapid.IntRange(0, 3).Draw(rt, "detours")
		for !s.Scene().Ended || s.show() {
			now = now.Add(time.Duration(rapid.Int64Range(int64(time.Second), int64(30*time.Second)).Draw(rt, "time")))
			s.show()
			if detours > 0 {
				detours--
				from, to := s.Scene().From, s.Scene().To
				s.Seek(from.Add(time.Duration(rapid.Float64Range(0, 1).Draw(rt, "to") * float64(to.Sub(from)))))
			}
		}
		if diff := cmp.Diff(live.Release(), s.Scene().Release, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("what is shown is not what was seen (-live +replay):\n%s", diff)
		}
	})
}

// A screening plays by itself, tells when there is something new, and ends with its
// context.
func TestScreeningPlays(t *testing.T) {
	dir, seen := aNight(t)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s, err := NewScreening(r, release.Settings{}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		news, unsubscribe := s.Subscribe()
		defer unsubscribe()
		go func() { ended <- s.Run(ctx) }()
		pass := func(d time.Duration) Scene {
			time.Sleep(d)
			synctest.Wait()
			return s.Scene()
		}
		if scene := pass(showEvery); !scene.Release.At.Equal(seen[0].At) || !scene.Playing {
			t.Errorf("it begins with %v, playing %v", scene.Release.At, scene.Playing)
		}
		<-news
		if scene := pass(10 * time.Second); !scene.Release.At.Equal(seen[1].At) || scene.Seq == 0 {
			t.Errorf("after ten seconds it shows %v", scene.Release.At)
		}
		<-news
		s.Pause()
		<-news
		stands := s.Scene().At
		if scene := pass(time.Hour); !scene.At.Equal(stands) || scene.Playing {
			t.Errorf("paused at %v it is at %v, playing %v", stands, scene.At, scene.Playing)
		}
		s.Play()
		s.Faster()
		s.Faster()
		s.Slower()
		if scene := s.Scene(); scene.Speed != 2 || !scene.Playing {
			t.Errorf("speed %v, playing %v", scene.Speed, scene.Playing)
		}
		s.Seek(seen[7].At)
		if scene := pass(showEvery); !scene.Ended || !scene.Release.At.Equal(seen[7].At) {
			t.Errorf("at the end it shows %v", scene.Release.At)
		}
		s.Play()
		if scene := pass(showEvery); scene.Ended || !scene.Release.At.Equal(seen[0].At) || scene.Damage.Any() {
			t.Errorf("played again it shows %v", scene.Release.At)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
