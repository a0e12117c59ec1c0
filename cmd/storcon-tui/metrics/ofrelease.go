package metrics

import "github.com/StorconTUI/storcon-tui/engine/release"

func (s scrape) ofRelease(newest func() *release.Release) {
	if newest == nil {
		return
	}
	r := newest()
	if r == nil {
		return
	}
	s.put(releaseLive, truth(r.Live()))
	s.at(releaseStarted, r.Started)
	s.at(releaseEnded, r.Ended)
	s.put(releaseNodes, float64(r.Progress.Nodes))
	s.put(releaseDone, float64(r.Progress.Done))
	if r.ETA.Known() {
		s.at(releaseETA, r.ETA.Earliest, "earliest")
		s.at(releaseETA, r.ETA.At, "middle")
		s.at(releaseETA, r.ETA.Latest, "latest")
	}
	s.put(releaseShards, float64(r.Progress.Expected), "before")
	s.put(releaseShards, float64(r.Progress.MovedOff), "moved_off")
	s.put(releaseShards, float64(r.Progress.MovedBack), "moved_back")
	for i := range r.Nodes {
		if n := &r.Nodes[i]; !n.Gone {
			s.put(releasePhase, 1, n.ID.String(), string(n.Phase))
			s.at(releaseSince, n.Since, n.ID.String())
		}
	}
	wrong := newTally(release.Kinds()...)
	for _, a := range r.Anomalies {
		if a.Stands() {
			wrong.add(a.Kind)
		}
	}
	for i, kind := range wrong.keys {
		s.put(releaseAnomalies, float64(wrong.counts[i]), string(kind))
	}
}
