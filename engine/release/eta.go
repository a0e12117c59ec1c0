package release

import (
	"cmp"
	"slices"
	"time"
)

// eta reckons with the nodes that were seen from their first step to their last. What a
// node costs is the time from the end of the one before it, for that includes the pause
// between the two; the first one has only its own.
func (w *Watch) eta(p Progress) ETA {
	left := p.Nodes - p.Done
	if !w.live() || left <= 0 || len(w.took) == 0 {
		return ETA{}
	}
	took := slices.Sorted(slices.Values(w.took))
	ahead := func(share float64) time.Time {
		each := quantile(took, share)
		sinceLast := w.now.Sub(w.lastDone)
		rest := max(0, each-sinceLast) // of the node that is under way
		return w.now.Add(rest + time.Duration(left-1)*each)
	}
	return ETA{At: ahead(0.5), Earliest: ahead(0.25), Latest: ahead(0.75), Seen: len(took)}
}

// quantile interpolates in what is sorted. Few figures tell little of their spread,
// so it is never less than a fifth either way.
func quantile(sorted []time.Duration, share float64) time.Duration {
	at := func(share float64) time.Duration {
		pos := share * float64(len(sorted)-1)
		low := int(pos)
		high := min(low+1, len(sorted)-1)
		return sorted[low] + time.Duration((pos-float64(low))*float64(sorted[high]-sorted[low]))
	}
	middle := at(0.5)
	switch {
	case share < 0.5:
		return min(at(share), middle*4/5)
	case share > 0.5:
		return max(at(share), middle*6/5)
	}
	return middle
}

// summarise counts the nodes under each name, by name.
func summarise(nodes []NodeProgress, name func(NodeProgress) string) []Summary {
	var all []Summary
	for i := range nodes {
		n := &nodes[i]
		if n.Gone {
			continue
		}
		at := slices.IndexFunc(all, func(s Summary) bool { return s.Name == name(*n) })
		if at < 0 {
			at = len(all)
			all = append(all, Summary{Name: name(*n)})
		}
		s := &all[at]
		s.Nodes++
		if n.Phase == Done {
			s.Done++
		}
		if n.out() {
			s.Out++
		}
		s.Attached += max(0, n.Attached)
		s.Anomalies += len(n.Anomalies)
	}
	slices.SortFunc(all, func(a, b Summary) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
