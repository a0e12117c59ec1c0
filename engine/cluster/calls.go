package cluster

import "github.com/StorconTUI/storcon-tui/client"

// AcceptedCalls counts the calls by which somebody drives the cluster, whoever it was,
// as far as the controller's counters show that it accepted them; by the words that
// Change uses for ForeignCalls ("drain", "fill", "config"). A word that is missing
// counts none. The counts begin anew with the controller's process.
func AcceptedCalls(m client.Metrics) map[string]int64 {
	counts := map[string]int64{}
	for _, r := range m.Requests {
		if word, ok := foreignRoutes[r.Route]; ok && r.Status >= 200 && r.Status < 300 {
			counts[word] += r.Count
		}
	}
	return counts
}
