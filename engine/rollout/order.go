package rollout

import (
	"cmp"
	"slices"
)

// Order is how the nodes of a rolling restart are put in a row.
type Order string

// The orders.
const (
	OrderAsGiven     Order = "as-given"
	OrderAZ          Order = "az"           // one AZ after the other, in the order in which they are first named
	OrderLeastLoaded Order = "least-loaded" // fewest attached shards first, unknown last
)

// Orders are all of them, the default first.
func Orders() []Order { return []Order{OrderAsGiven, OrderAZ, OrderLeastLoaded} }

// Sort puts steps in order; equal ones stay as they were given.
func (o Order) Sort(steps []StepPlan) {
	switch o {
	case OrderAZ:
		var zones []string
		for _, s := range steps {
			zones = append(zones, s.AZ)
		}
		slices.SortStableFunc(steps, func(a, b StepPlan) int {
			return cmp.Compare(slices.Index(zones, a.AZ), slices.Index(zones, b.AZ))
		})
	case OrderLeastLoaded:
		slices.SortStableFunc(steps, byLoad)
	}
}

func byLoad(a, b StepPlan) int {
	if known := cmp.Compare(min(b.Attached, 0), min(a.Attached, 0)); known != 0 {
		return known
	}
	return cmp.Compare(a.Attached, b.Attached)
}

// takeCanary moves the least loaded node to the front: what goes wrong with the
// first one should touch the fewest.
func takeCanary(steps []StepPlan) {
	if len(steps) == 0 {
		return
	}
	least := 0
	for i := range steps {
		if byLoad(steps[i], steps[least]) < 0 {
			least = i
		}
	}
	canary := steps[least]
	canary.Canary = true
	copy(steps[1:least+1], steps[:least])
	steps[0] = canary
}
