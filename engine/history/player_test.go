package history

import (
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

// Between two records the picture is repeated, with the times at which somebody would
// have looked; not where nobody did.
func TestPlayerRepeatsWhatStands(t *testing.T) {
	dir, seen := aNight(t)
	p := player(t, dir, 4*time.Second, MaxSpeed)
	got, _ := p.Step(wall.Add(time.Hour))
	more, _ := p.Step(wall.Add(2 * time.Hour))
	got = append(got, more...)
	var times []time.Duration
	for _, o := range got {
		times = append(times, o.At.Sub(t0))
	}
	var want []time.Duration
	for _, s := range []int{0, 4, 8, 10, 14, 18, 20, 24, 28, 30, 34, 38, 40, 44, 48, 50} {
		want = append(want, time.Duration(s)*time.Second)
	}
	for _, s := range []int{50, 54, 58, 60} { // of the next morning
		want = append(want, 8*time.Hour+time.Duration(s)*time.Second)
	}
	if !slices.Equal(times, want) {
		t.Errorf("given at %v\nwant     %v", times, want)
	}
	wantSame(t, seen, distinct(got))
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
