package client

import "testing"

// The errors of the controller's database are summed over their kinds; a family
// without series means none (X11).
func TestDatabaseErrorsAreSummed(t *testing.T) {
	const head = "# TYPE storage_controller_database_query_error counter\n"
	for body, want := range map[string]int64{
		head + `storage_controller_database_query_error{error_type="query",operation="get_leader"} 1` + "\n" +
			`storage_controller_database_query_error{error_type="connection",operation="update_node"} 4` + "\n": 5,
		"# TYPE storage_controller_pending_reconciles gauge\nstorage_controller_pending_reconciles 0\n": 0,
	} {
		m, err := decodeMetrics([]byte(body))
		if err != nil || m.DatabaseErrors != want {
			t.Errorf("%d, %v; want %d", m.DatabaseErrors, err, want)
		}
	}
}
