package gate

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// alertsFresh: two questions missed, asked every 20 s.
const alertsFresh = time.Minute

// alertsClear: an alert that fires halts the run; alerts that cannot be asked
// for hold it, whatever was known before (X10).
func alertsClear(in Input) Fact {
	alerts := in.Alerts
	switch {
	case alerts == nil:
		return off("no query is configured")
	case alerts.Off != "":
		return off(alerts.Off)
	case alerts.Err != nil:
		return unknown("alerts unreadable: " + alerts.Err.Error())
	case !alerts.Known():
		return unknown("alerts not asked for yet")
	case !alerts.Fresh(in.Now, alertsFresh):
		return unknown("alerts were asked for " + age(alerts.Age(in.Now)) + " ago")
	case len(alerts.Value) > 0:
		return fail(fmt.Sprintf("%d firing: %s", len(alerts.Value), firstOf(alerts.Value)))
	}
	return pass("none fires")
}

func inWindow(in Input) Fact {
	if in.Window == nil {
		return off("no window is configured")
	}
	if closes, open := in.Window.Closes(in.Now); open {
		return pass(fmt.Sprintf("%s; closes in %s", in.Window, lasting(closes.Sub(in.Now))))
	}
	return fail(fmt.Sprintf("outside %s; opens in %s", in.Window, lasting(in.Window.Opens(in.Now).Sub(in.Now))))
}

// tokenValid wants the token to outlive the phase: one that expires in its
// middle leaves a node behind that nobody may put right.
func tokenValid(in Input) Fact {
	token := in.Snapshot.Token
	left := token.Expires.Sub(in.Now)
	switch {
	case token.Source == "" && token.Expires.IsZero():
		return pass("no token is sent")
	case token.Expires.IsZero():
		return pass("does not expire")
	case left <= 0:
		return fail("expired " + lasting(-left) + " ago")
	case left <= in.PhaseTime:
		return fail(fmt.Sprintf("expires in %s; this phase may take %s", lasting(left), lasting(in.PhaseTime)))
	}
	return pass("expires in " + lasting(left))
}

// lasting is a duration that may be long, in its largest unit that says enough.
func lasting(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 2*time.Minute:
		return age(d)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d d", d/day)
}

// Version is what Node should run and what it says that it runs.
type Version struct {
	// Target is a revision, the beginning of one, or a build tag; "" = none is configured.
	Target string
	Build  client.Build
	// At is when Build was read, after the restart; zero = not yet. A build that
	// was read before the restart is the old one and says nothing.
	At  time.Time
	Err error // why the newest try failed
}

// leastRevision is how much of a revision tells it from another.
const leastRevision = 7

func versionMatches(in Input) Fact {
	v := in.Version
	switch {
	case v == nil || v.Target == "":
		return off("no target build is configured")
	case v.At.IsZero() && v.Err != nil:
		return unknown("build unreadable: " + v.Err.Error())
	case v.At.IsZero():
		return unknown("build not read since the restart")
	case v.Build == client.Build{}:
		return unknown("the node does not say what it runs")
	case v.matches():
		return pass("runs " + v.Build.Revision + " " + v.Build.Tag)
	}
	return fail(fmt.Sprintf("runs %s %s, not %s", v.Build.Revision, v.Build.Tag, v.Target))
}

// matches compares without the prefixes "git:", "git-env:" and "build_tag:"
// that builds put in front.
func (v Version) matches() bool {
	target, revision, tag := bare(v.Target), bare(v.Build.Revision), bare(v.Build.Tag)
	return target != "" && (target == revision || target == tag ||
		len(target) >= leastRevision && strings.HasPrefix(revision, target))
}

func bare(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// Stable counts the looks at a node that bakes.
type Stable struct {
	Passes int    // good ones in a row, up to the newest
	Needed int    // how many it takes
	Broken string // why the newest was not good; "" = it was, or there was none yet
}

func nodeStable(in Input) Fact {
	s := in.Stable
	switch {
	case s == nil || s.Needed <= 0:
		return off("nobody asks for several good looks")
	case s.Broken != "":
		return fail(fmt.Sprintf("0 of %d good looks in a row: %s", s.Needed, s.Broken))
	case s.Passes < s.Needed:
		return unknown(fmt.Sprintf("%d of %d good looks in a row so far", max(s.Passes, 0), s.Needed))
	}
	return pass(fmt.Sprintf("%d of %d good looks in a row", s.Passes, s.Needed))
}
