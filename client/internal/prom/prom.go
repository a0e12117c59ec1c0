// Package prom reads the Prometheus text format into plain samples. It knows no
// family by name.
package prom

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Sample is one series' value.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// Families maps a family's name, without a trailing _total, to its samples. A
// family that is described but has no series is absent; a histogram or summary
// has no samples.
type Families map[string][]Sample

// Parse reads one scrape.
func Parse(body []byte) (Families, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("not in the Prometheus text format: %w", err)
	}
	families := make(Families, len(parsed))
	for name, family := range parsed {
		samples := make([]Sample, 0, len(family.GetMetric()))
		for _, metric := range family.GetMetric() {
			sample := Sample{Labels: make(map[string]string, len(metric.GetLabel()))}
			switch {
			case metric.GetGauge() != nil:
				sample.Value = metric.GetGauge().GetValue()
			case metric.GetCounter() != nil:
				sample.Value = metric.GetCounter().GetValue()
			case metric.GetUntyped() != nil:
				sample.Value = metric.GetUntyped().GetValue()
			default:
				continue
			}
			for _, label := range metric.GetLabel() {
				sample.Labels[label.GetName()] = label.GetValue()
			}
			samples = append(samples, sample)
		}
		families[strings.TrimSuffix(name, "_total")] = samples
	}
	return families, nil
}

// Value is the value of a family with a single series; false when it has none.
func (f Families) Value(name string) (float64, bool) {
	samples := f[name]
	if len(samples) == 0 {
		return 0, false
	}
	return samples[0].Value, true
}
