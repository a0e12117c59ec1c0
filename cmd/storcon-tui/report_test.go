package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// A list of computes that has not come in time is said: none looks like there are none.
func TestReportOfComputesThatAreNotListedYet(t *testing.T) {
	listing := func(p *cluster.Part[int]) []partReport {
		return makeReport(&cluster.Snapshot{Discovery: p}, nil, nil).Problems
	}
	require.Empty(t, listing(nil))
	require.Equal(t, []partReport{{Part: "list of computes", Why: "it takes its time, some may be missing here"}}, listing(&cluster.Part[int]{}))
}
