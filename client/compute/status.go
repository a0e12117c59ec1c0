// Package compute speaks compute_ctl's HTTP API on a compute's external port.
// It must not know of plans, nor of the storage controller's API save where that
// says that a tenant's shards are. Errors, deadlines, retries and tokens are those
// of package client; compute_ctl's error bodies and authentication texts differ
// (contract B.1).
//
// A Spec is what a compute is configured with. It is read, validated, patched,
// re-pointed and compared here; Configure sends it.
package compute

import (
	"encoding/json"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/internal/wire"
)

// State is what compute_ctl says that it is doing. A value that this client
// does not know is kept as it was spelt. Running is compute_ctl's word: it
// stays when Postgres dies, until the process ends.
type State string

// The states of today's compute_ctl, as /status spells them.
const (
	StateEmpty                       State = "empty"
	StateConfigurationPending        State = "configuration_pending"
	StateInit                        State = "init"
	StateRunning                     State = "running"
	StateConfiguration               State = "configuration"
	StateFailed                      State = "failed"
	StateTerminationPendingFast      State = "termination_pending_fast"
	StateTerminationPendingImmediate State = "termination_pending_immediate"
	StateTerminated                  State = "terminated"
	StateRefreshPending              State = "refresh_configuration_pending"
	StateRefresh                     State = "refresh_configuration"
)

// Status is the answer of GET /status. Only State is always present: the form
// of 2023 lacks StartTime.
type Status struct {
	State      State         `json:"status"`
	StartTime  *time.Time    `json:"start_time,omitempty"`
	Tenant     *string       `json:"tenant"`      // nil until a spec is known
	Timeline   *string       `json:"timeline"`    // nil until a spec is known
	LastActive *time.Time    `json:"last_active"` // nil = never used
	Error      *string       `json:"error"`       // of a failed start, never of a failed reconfiguration
	Extra      client.Fields `json:"-"`
}

var statusFields = []string{"status", "start_time", "tenant", "timeline", "last_active", "error"}

// UnmarshalJSON fails when the status is missing and keeps unknown fields.
func (s *Status) UnmarshalJSON(raw []byte) error {
	type named Status
	var n named
	extra, err := wire.Object(raw, &n, statusFields)
	switch {
	case err != nil:
		return err
	case n.State == "":
		return wire.Missing("status")
	}
	n.State = State(client.Clean(string(n.State)))
	wire.CleanPtr(n.Tenant)
	wire.CleanPtr(n.Timeline)
	if wire.CleanPtr(n.Error); n.Error != nil {
		*n.Error = scrub(*n.Error) // it may quote what could not be connected to
	}
	*s = Status(n)
	s.Extra = extra
	return nil
}

// MarshalJSON writes the unknown fields as well.
func (s Status) MarshalJSON() ([]byte, error) {
	type named Status
	return wire.Encode(named(s), s.Extra)
}

var (
	_ json.Unmarshaler = (*Status)(nil)
	_ json.Marshaler   = Status{}
)
