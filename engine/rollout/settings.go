package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// Settings are a run's limits. Zero fields take the defaults of [Defaults].
// Every limit asks the operator when it is reached; none lets a run go on.
type Settings struct {
	NoProgress    time.Duration // drain or fill in which nothing moved
	DrainTotal    time.Duration // least total limit of a drain; three times the estimate when that is more
	FillTotal     time.Duration // least total limit of a fill, as for a drain
	CancelTotal   time.Duration // from a cancel to a terminal policy and a cluster at rest
	Hook          time.Duration // the restart command
	Proof         time.Duration // from the command's end to a new launch time
	Reattach      time.Duration // from the command's end to Active/Active; also a node found WarmingUp
	Verify        int           // good looks in a row at a node that is back, before it counts as well
	VerifyEvery   time.Duration // between two of these looks
	Bake          time.Duration // how long a node is watched after that, before the next one goes; 0 = not
	CanaryBake    time.Duration // the same for the canary
	Answer        time.Duration // how long a question stands before it is asked again
	Listed        time.Duration // how old a shard list may be that a restart rests on
	HoldAfter     time.Duration // controller silent so long: the run is held, its timers stand
	ManyChanging  int           // shards being split or imported on a node from which its drain is asked about as trouble
	OutageBudget  time.Duration // controller silent so long: the operator is asked
	RefusedAfter  time.Duration // token refused so long: the run is held and the operator is asked
	SilentAfter   time.Duration // controller silent so long: it is said
	GaugeRefresh  time.Duration // how often the controller renews its gauges
	ProofInterval time.Duration // between two direct reads of a node's process while a restart is to be proven
	BusyInterval  time.Duration // between two tries while somebody else's operation is waited for
	Reread        time.Duration // between two reads of the node list where two in a row must agree
	RetryMin      time.Duration // back-off of a mutating call: full jitter, doubling from here
	RetryMax      time.Duration // and never above this
	Skew          time.Duration // two builds in the cluster so long after the run began: a reminder
	Retries       int           // further attempts of one mutating call
	Seed          uint64        // of the jitter
	Policy        *Policy       // of a run that nobody watches; nil = a person answers
	Window        *gate.Window  // when a node may be begun; nil = at any time
	Revision      string        // what a restarted node should run; "" = anything
}

// Defaults are the limits for a cluster about which nothing special is known.
func Defaults() Settings {
	return Settings{
		NoProgress:    90 * time.Second,
		DrainTotal:    4 * time.Minute,
		FillTotal:     4 * time.Minute,
		CancelTotal:   60 * time.Second,
		Hook:          10 * time.Minute,
		Proof:         120 * time.Second,
		Reattach:      300 * time.Second,
		Verify:        1,
		VerifyEvery:   5 * time.Second,
		Answer:        5 * time.Minute,
		Listed:        60 * time.Second,
		HoldAfter:     30 * time.Second,
		ManyChanging:  8,
		OutageBudget:  5 * time.Minute,
		RefusedAfter:  2 * time.Second,
		SilentAfter:   2 * time.Second,
		GaugeRefresh:  20 * time.Second,
		ProofInterval: time.Second,
		BusyInterval:  2 * time.Second,
		Reread:        250 * time.Millisecond,
		RetryMin:      500 * time.Millisecond,
		RetryMax:      8 * time.Second,
		Skew:          24 * time.Hour,
		Retries:       5,
	}
}

// orDefaults fills the zero fields.
func (s Settings) orDefaults() Settings {
	d := Defaults()
	for _, f := range []struct{ have, def *time.Duration }{
		{&s.NoProgress, &d.NoProgress},
		{&s.DrainTotal, &d.DrainTotal},
		{&s.FillTotal, &d.FillTotal},
		{&s.CancelTotal, &d.CancelTotal},
		{&s.Hook, &d.Hook},
		{&s.Proof, &d.Proof},
		{&s.Reattach, &d.Reattach},
		{&s.VerifyEvery, &d.VerifyEvery},
		{&s.Answer, &d.Answer},
		{&s.Listed, &d.Listed},
		{&s.HoldAfter, &d.HoldAfter},
		{&s.OutageBudget, &d.OutageBudget},
		{&s.RefusedAfter, &d.RefusedAfter},
		{&s.SilentAfter, &d.SilentAfter},
		{&s.GaugeRefresh, &d.GaugeRefresh},
		{&s.ProofInterval, &d.ProofInterval},
		{&s.BusyInterval, &d.BusyInterval},
		{&s.Reread, &d.Reread},
		{&s.RetryMin, &d.RetryMin},
		{&s.RetryMax, &d.RetryMax},
		{&s.Skew, &d.Skew},
	} {
		if *f.have <= 0 {
			*f.have = *f.def
		}
	}
	if s.Verify <= 0 {
		s.Verify = d.Verify
	}
	if s.ManyChanging <= 0 {
		s.ManyChanging = d.ManyChanging
	}
	if s.Retries <= 0 {
		s.Retries = d.Retries
	}
	return s
}

// Unattended are the settings of a run that nobody watches: a node that is back
// is looked at longer, and the first one longest. What is set stays.
func (s Settings) Unattended() Settings {
	if s.Verify <= 0 {
		s.Verify = 5
	}
	if s.Bake <= 0 {
		s.Bake = time.Minute
	}
	if s.CanaryBake <= 0 {
		s.CanaryBake = 10 * time.Minute
	}
	return s
}

// total is the total limit of a drain or fill: at least floor, and three times
// the middle of the estimate.
func total(floor time.Duration, estimate Range) time.Duration {
	return max(floor, 3*(estimate.Min+estimate.Max)/2)
}
