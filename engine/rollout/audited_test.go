package rollout_test

import (
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/audit"
)

// audited checks, when a test is over, that what its run wrote keeps the rules by
// which a journal is judged afterwards.
func (r *rig) audited() {
	r.t.Helper()
	recs, _, err := r.store.Read(r.driver.Status().Run)
	require.NoError(r.t, err)
	require.Empty(r.t, audit.Check(recs))
}
