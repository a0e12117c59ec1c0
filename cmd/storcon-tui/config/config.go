package config

import (
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/neonlocal"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// File is a configuration file as it was read. The zero File is one that does
// not exist.
type File struct {
	Path           string
	DefaultCluster string
	Theme          string // "" = find out by asking the terminal
	StateDir       string // "" = the default
	Notify         Notify
	History        History
	Metrics        string // host:port where metrics are served; "" = nowhere
	Clusters       []Cluster

	lines lines
}

// History is what is kept of what was seen of each cluster. Zero fields keep the
// defaults.
type History struct {
	Off     bool
	MaxDays int
	MaxMB   int // of one cluster
}

// Cluster is how to reach one controller and how its nodes are restarted.
type Cluster struct {
	Name         string
	URL          string // http(s)://host:port
	Token        Token
	CAFile       string
	Demo         bool      // the screens say so; written by demo serve
	Restart      hook.Spec // by hand when the file says nothing
	Revision     string    // what a restarted node should run: a revision, its beginning, or a build tag; "" = anything
	PageserverCA string
	Pace         Pace
	Watch        release.Settings // by what a release is judged; zero fields keep the defaults
	Alerts       *Alerts          // nil = nobody is asked
	Window       *gate.Window     // when work may be started; nil = at any time
	Computes     []Compute
	// ComputesCommand is a program, and its arguments, that lists more computes; nil = none.
	ComputesCommand []string

	directory string               // of the file: what the list names is relative to it
	local     *neonlocal.Directory // nil = it is none of neon_local's
}

// Alerts is a Prometheus, and what is asked of it: a series that it finds is an
// alert that fires.
type Alerts struct {
	URL    string // http(s)://host:port, perhaps with a path
	Query  string // PromQL
	Token  Token
	CAFile string
}

// Token says where a token is; at most one field is set.
type Token struct {
	File    string
	Env     string   // name of an environment variable
	Command []string // argv; its standard output is the token
	Signed  Signed
}

// Signed is a token that is signed where it is used, with a key that is at hand.
type Signed struct {
	KeyFile string         // "" = none is
	Claims  map[string]any // of the token
}

// None reports that no token is sent.
func (t Token) None() bool {
	return t.File == "" && t.Env == "" && len(t.Command) == 0 && t.Signed.KeyFile == ""
}

// Pace holds the limits and waits of a run that a cluster sets differently.
// Zero fields keep the defaults.
type Pace struct {
	Drain      time.Duration // total limit of a drain
	Fill       time.Duration // total limit of a fill
	NoProgress time.Duration // of a drain or fill that moves nothing
	Cancel     time.Duration // from a cancel to its end
	Ready      time.Duration // from a restart to Active
	Proof      time.Duration // from the restart command's end to a new launch time
	Answer     time.Duration // validity of a question

	Verify      int           // good looks in a row at a node that is back
	VerifyEvery time.Duration // between two of them
	Bake        time.Duration // how long a node is watched before the next one goes
	CanaryBake  time.Duration // the same for the first node of an unattended run
}

// DefaultPath is $XDG_CONFIG_HOME/storcon-tui/config.toml.
func DefaultPath() string { return filepath.Join(xdg.ConfigHome, "storcon-tui", "config.toml") }

// DefaultStateDir is $XDG_STATE_HOME, below which the journal makes a directory
// of the program's name.
func DefaultStateDir() string { return xdg.StateHome }
