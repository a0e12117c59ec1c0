package reconfigure

import "time"

// Settings are a run's limits. Zero fields take the defaults of [Defaults], save
// Limit.
type Settings struct {
	Limit     int           // failures that do not stop the run: it stops at the first above them
	AtOnce    int           // computes of one wave that are configured side by side
	Configure time.Duration // one POST /configure; its server has no limit of its own
	Silent    time.Duration // neither it nor /status answers for so long: the outcome is unknown
	Stuck     time.Duration // a compute that stays in one state of being configured is wedged (K10)
	Busy      time.Duration // how long a busy compute is waited for (K2)
	Verify    time.Duration // how long the effect may take to show
	Answer    time.Duration // how long a question stands before it is asked again
	Poll      time.Duration // between two reads of a status
	PollSoon  time.Duration // the same while a configure is young
}

// Defaults are the limits for computes about which nothing special is known.
func Defaults() Settings {
	return Settings{
		AtOnce:    8,
		Configure: 120 * time.Second,
		Silent:    30 * time.Second,
		Stuck:     60 * time.Second,
		Busy:      2 * time.Minute,
		Verify:    10 * time.Second,
		Answer:    5 * time.Minute,
		Poll:      time.Second,
		PollSoon:  250 * time.Millisecond,
	}
}

func (s Settings) orDefaults() Settings {
	d := Defaults()
	if s.AtOnce == 0 {
		s.AtOnce = d.AtOnce
	}
	for _, f := range []struct{ have, def *time.Duration }{
		{&s.Configure, &d.Configure},
		{&s.Silent, &d.Silent},
		{&s.Stuck, &d.Stuck},
		{&s.Busy, &d.Busy},
		{&s.Verify, &d.Verify},
		{&s.Answer, &d.Answer},
		{&s.Poll, &d.Poll},
		{&s.PollSoon, &d.PollSoon},
	} {
		if *f.have == 0 {
			*f.have = *f.def
		}
	}
	return s
}

const (
	missesMost = 3                      // reads in a row without an answer before a compute counts as not there
	freshFor   = 3 * time.Second        // how old the status may be on which a call rests
	youngFor   = 5 * time.Second        // how long a configure is young
	lookAgain  = 500 * time.Millisecond // between two looks at the effect
	sendsMost  = 2                      // of one spec whose effect is not seen (K1)
)
