package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Plan reads the plan of a run and compares it with the checksum in the run's
// header. A run whose journal was replaced has none; it gives nil.
func (s *Store) Plan(runID string, h Header) (json.RawMessage, error) {
	if err := checkRunID(runID); err != nil || h.PlanSHA256 == "" {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(s.runDir(runID), "plan.json"))
	if err != nil {
		return nil, fmt.Errorf("plan of run %s: %w", runID, err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != h.PlanSHA256 {
		return nil, fmt.Errorf("plan.json of run %s is not the plan that its header names", runID)
	}
	return b, nil
}

// Report reads the report that a run wrote when it ended; ext is "json" or
// "md". A run that has not ended has none: os.ErrNotExist.
func (s *Store) Report(runID, ext string) ([]byte, error) {
	if err := checkRunID(runID); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(s.runDir(runID), "report."+ext))
	if err != nil {
		return nil, fmt.Errorf("report of run %s: %w", runID, err)
	}
	return b, nil
}
