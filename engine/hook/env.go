package hook

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// Env is what the command is told about what it is run for.
type Env struct {
	ID             client.NodeID
	Host           string // the node's listen_http_addr
	HTTPPort       int
	AZ             string
	Cluster        string // configured name
	URL            string // the controller's address, without secrets
	Run            string // the run's name
	Attempt        int    // from 1
	Eff            string // idempotency key of this execution
	TargetRevision string // build that the node should come back with; "" = any
	PreLaunchMs    int64  // launch of the process that is to be replaced; 0 = unknown
	DryRun         bool
}

const envPrefix = "STORCON_"

// vars are the variables of the contract with the command.
func (e Env) vars() []string {
	launch := ""
	if e.PreLaunchMs != 0 {
		launch = strconv.FormatInt(e.PreLaunchMs, 10)
	}
	dry := "0"
	if e.DryRun {
		dry = "1"
	}
	vars := [][2]string{
		{"NODE_ID", e.ID.String()},
		{"NODE_HOST", e.Host},
		{"NODE_HTTP_PORT", strconv.Itoa(e.HTTPPort)},
		{"NODE_AZ", e.AZ},
		{"CLUSTER", e.Cluster},
		{"URL", e.URL},
		{"RUN", e.Run},
		{"ATTEMPT", strconv.Itoa(e.Attempt)},
		{"EFF", e.Eff},
		{"TARGET_REVISION", e.TargetRevision},
		{"PRE_LAUNCH", launch},
		{"DRY_RUN", dry},
	}
	out := make([]string, len(vars))
	for i, v := range vars {
		// A NUL would keep the command from being started at all.
		out[i] = envPrefix + v[0] + "=" + strings.ReplaceAll(v[1], "\x00", "")
	}
	return out
}

// environ is our own environment without what is not for the command: variables
// by name, those that hold a known secret, and STORCON_ ones of somebody else.
func (e Env) environ(deny []string, redact func(string) string) []string {
	var out []string
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if slices.Contains(deny, name) || strings.HasPrefix(name, envPrefix) || redact(value) != value {
			continue
		}
		out = append(out, kv)
	}
	return append(out, e.vars()...)
}
