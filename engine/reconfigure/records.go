package reconfigure

import (
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// The data of this run's records. None has a word of a spec.
type (
	promptData struct {
		ID       string     `json:"id"`
		Ask      Ask        `json:"ask"`
		Wave     int        `json:"wave"`
		Cause    string     `json:"cause,omitempty"`
		Computes []factData `json:"computes,omitempty"`
	}
	factData struct {
		Compute string        `json:"compute"`
		Status  compute.State `json:"status,omitempty"`
		Ready   bool          `json:"ready"`
	}
	answerData struct {
		Prompt   string       `json:"prompt"`
		Ask      Ask          `json:"ask"`
		Wave     int          `json:"wave"`
		Word     rollout.Word `json:"word"`
		Standing bool         `json:"standing,omitempty"`
	}
	intentData struct {
		Compute string `json:"compute"`
		SHA256  string `json:"spec_sha256"`
		Wave    int    `json:"wave"`
	}
	obsData struct {
		Compute string        `json:"compute"`
		Status  compute.State `json:"status"`
	}
	stateData struct {
		Compute string `json:"compute"`
		From    string `json:"from"`
		To      string `json:"to"`
		Row     string `json:"row,omitempty"`
		Why     string `json:"why,omitempty"`
		Left    string `json:"left,omitempty"`
	}
	noteData struct {
		Compute string `json:"compute,omitempty"`
		Row     string `json:"row,omitempty"`
	}
)
