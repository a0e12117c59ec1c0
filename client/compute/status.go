// Package compute speaks compute_ctl's HTTP API on a compute's external port.
// It must not know of the storage controller's API or of plans.
package compute

import "time"

// State is a compute's status word. Values that this client does not know are kept
// verbatim.
type State string

// Status is the answer of GET /status (contract B.2).
type Status struct {
	State      State      `json:"status"`
	StartTime  *time.Time `json:"start_time"` // absent in the 2023 form
	Tenant     *string    `json:"tenant"`     // nil until a spec is known
	Timeline   *string    `json:"timeline"`
	LastActive *time.Time `json:"last_active"` // nil = never used
	Error      *string    `json:"error"`       // of a failed start only
}
