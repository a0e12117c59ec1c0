package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// nodeFilter begins a filter for the computes that depend on one node.
const nodeFilter = "node:"

// dependents are the computes that depend on a node, what needs a person first.
type dependents struct {
	rows    []computeRow
	unknown int    // computes of which it is not known
	why     string // why not; "" = they will be asked for
}

// dependentsOf tells who depends on a node. The node's own list of shards, where it is
// read, is newer than what the controller says of the computes' tenants.
func dependentsOf(s *cluster.Snapshot, id client.NodeID) dependents {
	if part, ok := s.Shards[id]; ok && part.Known() && part.Off == "" {
		here := map[client.TenantID]bool{}
		for _, shard := range part.Value.Shards {
			if shard.ObservedAttached() {
				here[shard.ID.Tenant()] = true
			}
		}
		return dependentRows(s, slices.DeleteFunc(slices.Clone(s.Computes), func(c cluster.Compute) bool { return !here[c.Tenant()] }))
	}
	on, unknown := s.ComputesOn(id)
	d := dependentRows(s, on)
	d.unknown = unknown
	if unknown > 0 {
		d.why = tenantsTrouble(s)
	}
	return d
}

// dependentsNamed are the computes that a plan has found; s may be nil.
func dependentsNamed(s *cluster.Snapshot, names []string) dependents {
	var d dependents
	for _, name := range names {
		r := computeRow{name: name, state: "no longer listed"}
		if s != nil {
			if one, ok := s.Compute(name); ok {
				r = newComputeRow(s, one)
			}
		}
		d.rows = append(d.rows, r)
	}
	d.sort()
	return d
}

func dependentRows(s *cluster.Snapshot, list []cluster.Compute) dependents {
	d := dependents{rows: make([]computeRow, len(list))}
	for i, one := range list {
		d.rows[i] = newComputeRow(s, one)
	}
	d.sort()
	return d
}

func (d dependents) sort() {
	slices.SortFunc(d.rows, func(a, b computeRow) int {
		return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), cmp.Compare(a.word(), b.word()), cmp.Compare(a.name, b.name))
	})
}

// tenantsTrouble is why the tenants of computes are not read, "" when they are.
func tenantsTrouble(s *cluster.Snapshot) string {
	for i := range s.Computes {
		if why := partTrouble(s.Tenants[s.Computes[i].Tenant()]); why != "" {
			return why
		}
	}
	return ""
}

// text words the dependents by their status, at most so many by name.
func (d dependents) text(most int) string {
	var parts []string
	word := ""
	for i := range d.rows[:min(most, len(d.rows))] {
		r := &d.rows[i]
		name := r.name
		if r.pending {
			name += " (notification pending)"
		}
		if r.word() != word || i == 0 {
			word = r.word()
			parts = append(parts, word+": "+name)
			continue
		}
		parts[len(parts)-1] += ", " + name
	}
	text := strings.Join(parts, " · ")
	if n := len(d.rows) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	switch {
	case len(d.rows) > 0:
		text = fmt.Sprintf("%d on this node · ", len(d.rows)) + text
	case d.unknown == 0:
		return "none on this node"
	}
	if d.unknown == 0 {
		return text
	}
	unknown := fmt.Sprintf("of %s it is not known yet", prose.Things(int64(d.unknown), "compute"))
	if d.why != "" {
		unknown = fmt.Sprintf("of %s it is not known: %s", prose.Things(int64(d.unknown), "compute"), d.why)
	}
	return joinDots(text, unknown)
}

func joinDots(a, b string) string {
	if a == "" {
		return b
	}
	return a + " · " + b
}

// fitting is the text with as many names as so many lines of w cells hold.
func (d dependents) fitting(w, lines int) []string {
	for most := len(d.rows); ; most-- {
		wrapped := component.Wrap(d.text(most), max(w, 1))
		if len(wrapped) <= lines {
			return wrapped
		}
		if most <= 1 {
			return append(wrapped[:lines-1], component.Truncate(strings.Join(wrapped[lines-1:], " "), w))
		}
	}
}
