package metrics

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// collector shows what is known of each cluster at the moment of a scrape.
type collector struct {
	version string

	mu       sync.Mutex
	clusters []*Cluster
}

func (c *collector) show(cluster *Cluster) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clusters = append(c.clusters, cluster)
}

func (c *collector) hide(cluster *Cluster) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A scrape may be reading the old ones.
	c.clusters = slices.DeleteFunc(slices.Clone(c.clusters), func(one *Cluster) bool { return one == cluster })
}

// Describe has all metrics, also those that are not shown just now.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, m := range catalogue {
		to <- m.desc
	}
}

// Collect has what is known.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	clusters := c.clusters[:len(c.clusters):len(c.clusters)]
	c.mu.Unlock()
	own := scrape{to: to}
	own.put(buildInfo, 1, c.version)
	for _, cluster := range clusters {
		known := cluster.known()
		s := scrape{to: to, first: []string{known.name}}
		s.ofSnapshot(known.snapshot)
		s.ofTelling(known.sinks, known.recording)
		s.ofRelease(known.release)
		s.ofRun(known.run)
		s.ofReconfigure(known.reconfigure)
	}
}

// scrape is what one cluster adds to the answer.
type scrape struct {
	to    chan<- prometheus.Metric
	first []string // values of the first labels
}

func (s scrape) put(m *metric, value float64, labels ...string) {
	values := slices.Concat(s.first, labels)
	for i, v := range values {
		values[i] = strings.ToValidUTF8(v, "?")
	}
	one, err := prometheus.NewConstMetric(m.desc, m.kind, value, values...)
	if err != nil {
		one = prometheus.NewInvalidMetric(m.desc, err)
	}
	s.to <- one
}

// at shows a moment; one that is zero is not known.
func (s scrape) at(m *metric, moment time.Time, labels ...string) {
	if !moment.IsZero() {
		s.put(m, float64(moment.UnixMilli())/1000, labels...)
	}
}

// states shows 1 for the state that something is in, and 0 for all others.
func (s scrape) states(m *metric, words []string, now int, labels ...string) {
	counts := make([]int, len(words))
	if now >= 0 && now < len(words) {
		counts[now] = 1
	}
	s.counts(m, words, counts, labels...)
}

// counts shows how many are in each state, 0 included: an alert needs it.
func (s scrape) counts(m *metric, words []string, counts []int, labels ...string) {
	for i, word := range words {
		s.put(m, float64(counts[i]), append(labels[:len(labels):len(labels)], word)...)
	}
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
