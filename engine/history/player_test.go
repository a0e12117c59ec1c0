package history

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// wall is the clock of whoever plays, far from the recorded times.
var wall = time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC)

// aNight is a recording with a change every ten seconds, and a pause of eight hours in
// which nobody recorded.
func aNight(t testing.TB) (dir string, seen []release.Observation) {
	t.Helper()
	dir = t.TempDir()
	o := quiet(t0, 2)
	seen = append(seen, o)
	for i := range 5 {
		o = after(o, 10*time.Second, 1, client.NodePolicy([]string{"a", "b"}[i%2]))
		seen = append(seen, o)
	}
	record(t, dir, Options{}, seen...)
	o = after(o, 8*time.Hour, 2, client.PolicyDraining)
	last := after(o, 10*time.Second, 2, client.PolicyActive)
	record(t, dir, Options{}, o, last)
	return dir, append(seen, o, last)
}

func player(t testing.TB, dir string, every time.Duration, speed float64) *Player {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlayer(r, every, wall, speed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestPlayerGivesWhatIsDue(t *testing.T) {
	dir, seen := aNight(t)
	p := player(t, dir, 0, 1)
	at := func(s float64) time.Time { return wall.Add(time.Duration(s * float64(time.Second))) }
	step := func(s float64, want ...release.Observation) {
		t.Helper()
		got, anew := p.Step(at(s))
		if anew {
			t.Fatalf("at %v it begins anew", s)
		}
		wantSame(t, want, got)
	}
	step(0, seen[0])
	step(9.9)
	step(10, seen[1])
	p.Pause(at(15))
	step(100)
	p.Play(at(100))
	step(104.9)
	step(105, seen[2])
	p.Faster(at(105)) // twice
	step(109.9)
	step(110, seen[3])
	p.Slower(at(110))
	p.Slower(at(110)) // half
	step(129)
	step(130, seen[4])
	p.SetSpeed(at(130), 10)
	step(131, seen[5])
	// Nobody recorded for eight hours: it goes on where somebody does.
	step(131.5, seen[6])
	if got, want := p.Skipped(), (Skip{From: seen[5].At, To: seen[6].At}); got != want {
		t.Errorf("skipped %v; want %v", got, want)
	}
	if p.Ended(at(131.5)) {
		t.Error("it has ended before its end")
	}
	step(140, seen[7])
	if !p.Ended(at(140)) || !p.Position(at(500)).Equal(seen[7].At) {
		t.Error("it does not stand at its end")
	}
}

func TestPlayerSeeks(t *testing.T) {
	dir, seen := aNight(t)
	p := player(t, dir, 0, 1)
	p.Pause(wall)
	p.Seek(wall, seen[3].At.Add(time.Second))
	got, anew := p.Step(wall)
	if anew {
		t.Error("forward it does not begin anew")
	}
	wantSame(t, seen[:4], got)
	p.Seek(wall, seen[1].At)
	got, anew = p.Step(wall)
	if !anew {
		t.Error("backward it begins anew")
	}
	wantSame(t, seen[:2], got)
	if got, anew = p.Step(wall.Add(time.Hour)); len(got) > 0 || anew {
		t.Errorf("paused, it gave %v, anew %v", got, anew)
	}
	p.Seek(wall, seen[7].At.Add(100*time.Hour))
	got, _ = p.Step(wall)
	wantSame(t, seen[2:], got)
	if !p.Ended(wall) {
		t.Error("after the end it does not stand at the end")
	}
}

// What stood for a while is repeated, with times at which somebody may have looked: not
// after the last look before a change, and not where nobody looked.
func TestPlayerRepeatsWhatStands(t *testing.T) {
	dir := t.TempDir()
	var looks []release.Observation
	look := func(second int, policy client.NodePolicy) {
		looks = append(looks, after(quiet(t0, 2), time.Duration(second)*time.Second, 1, policy))
	}
	for s := range 10 {
		look(s, "a")
	}
	look(20, "b")
	for s := 1000; s < 1007; s++ {
		look(s, "b")
	}
	record(t, dir, Options{}, looks...)
	p := player(t, dir, 4*time.Second, MaxSpeed)
	got, _ := p.Step(wall.Add(time.Hour))
	more, _ := p.Step(wall.Add(2 * time.Hour))
	var seconds []float64
	for _, o := range append(got, more...) {
		seconds = append(seconds, o.At.Sub(t0).Seconds())
	}
	if want := []float64{0, 4, 8, 9, 20, 1000, 1004, 1006}; !slices.Equal(seconds, want) {
		t.Errorf("given at %v; want %v", seconds, want)
	}
	wantSame(t, []release.Observation{looks[0], looks[10]}, distinct(append(got, more...)))
}

// However it is played, each observation is given once and in order, and all of them at
// the end.
func TestPlayerLosesNothing(t *testing.T) {
	dir, seen := aNight(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := player(t, dir, 0, 1)
		now := wall
		var got []release.Observation
		step := func() {
			due, anew := p.Step(now)
			if anew {
				got = nil
			}
			got = append(got, due...)
			wantSame(t, seen[:len(got)], got)
			if n := len(got); n > 0 && got[n-1].At.After(p.Position(now)) {
				rt.Fatalf("%v was given at %v", got[n-1].At, p.Position(now))
			}
		}
		for range rapid.IntRange(0, 30).Draw(rt, "presses") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(rt, "wait")))
			switch rapid.IntRange(0, 6).Draw(rt, "button") {
			case 0:
				p.Play(now)
			case 1:
				p.Pause(now)
			case 2:
				p.Faster(now)
			case 3:
				p.Slower(now)
			case 4:
				p.Seek(now, seen[0].At.Add(time.Duration(rapid.Int64Range(-10, 9*3600).Draw(rt, "to"))*time.Second))
			default:
				step()
			}
		}
		p.Seek(now, seen[len(seen)-1].At)
		step()
		wantSame(t, seen, got)
		p.Close()
	})
}

func TestSpeedsHaveBounds(t *testing.T) {
	button := NewTransport(t0, t0.Add(time.Hour), wall, 1e9)
	if button.Speed() != MaxSpeed {
		t.Errorf("speed %v; want %v", button.Speed(), float64(MaxSpeed))
	}
	for range 100 {
		button.Slower(wall)
	}
	lowest := button.Speed()
	if lowest <= 0 || lowest >= 1 {
		t.Errorf("the lowest speed is %v", lowest)
	}
	for range 100 {
		button.Faster(wall)
	}
	if button.Speed() != MaxSpeed {
		t.Errorf("the highest speed is %v", button.Speed())
	}
	button.SetSpeed(wall, 3)
	button.Faster(wall)
	if button.Speed() != 5 {
		t.Errorf("after 3 comes %v; want 5", button.Speed())
	}
}

// Of a long recording a part can be played.
func TestAPartIsPlayed(t *testing.T) {
	dir, seen := aNight(t)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		from, to time.Time
		want     []release.Observation
	}{
		{seen[2].At, seen[4].At, seen[2:5]},
		{seen[2].At.Add(time.Second), time.Time{}, seen[3:]},
		{time.Time{}, seen[6].At.Add(-time.Hour), seen[:6]},
		{seen[6].At.Add(-time.Hour), seen[6].At.Add(time.Second), seen[6:7]},
	} {
		r.Limit(part.from, part.to)
		wantSame(t, part.want, slices.Collect(r.Observations()))
		p, err := NewPlayer(r, 0, wall, 1)
		if err != nil {
			t.Fatal(err)
		}
		from, to := p.Span()
		if n := len(part.want); !from.Equal(part.want[0].At) || to.Before(part.want[n-1].At) {
			t.Errorf("it lasts from %v to %v; want %v to %v", from, to, part.want[0].At, part.want[n-1].At)
		}
		p.Close()
	}
	r.Limit(seen[7].At.Add(time.Hour), time.Time{})
	if _, err := NewPlayer(r, 0, wall, 1); !errors.Is(err, ErrEmpty) {
		t.Errorf("a part with nothing in it: %v; want ErrEmpty", err)
	}
}
