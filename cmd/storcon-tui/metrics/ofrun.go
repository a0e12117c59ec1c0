package metrics

import (
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// reconfigureGoal stands where a run about nodes has its Goal.
const reconfigureGoal = "reconfigure"

func (s scrape) ofRun(status func() *rollout.Status) {
	if status == nil {
		return
	}
	st := status()
	run := []string{st.Run, string(st.Goal)}
	s.states(runState, runWords, int(st.State), run...)
	s.at(runStarted, st.Started, run...)
	if st.Prompt != nil && st.Outcome == nil {
		s.at(runWaiting, st.Prompt.Since, run...)
	}
	if st.Outcome != nil {
		s.put(runExit, float64(st.Outcome.Exit), run...)
	}
	counts := make([]int, len(stepWords))
	for i := range st.Steps {
		if state := int(st.Steps[i].State); state < len(counts) {
			counts[state]++
		}
	}
	s.counts(runSteps, stepWords, counts, run...)
}

func (s scrape) ofReconfigure(status func() *reconfigure.Status) {
	if status == nil {
		return
	}
	st := status()
	run := []string{st.Run, reconfigureGoal}
	s.states(runState, reconfigureWords, int(st.State), run...)
	s.at(runStarted, st.Started, run...)
	if st.Prompt != nil && st.Outcome == nil {
		s.at(runWaiting, st.Prompt.Since, run...)
	}
	if st.Outcome != nil {
		s.put(runExit, float64(st.Outcome.Exit), run...)
	}
	for state := reconfigure.ItemPending; state <= reconfigure.ItemSkipped; state++ {
		s.put(runComputes, float64(st.Count(state)), append(run, strings.ToLower(state.String()))...)
	}
}
