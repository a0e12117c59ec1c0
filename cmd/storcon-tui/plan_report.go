package main

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// planVersion is the version of planReport, as statusVersion.
const planVersion = 1

// planReport is the JSON form of a plan. A figure that is not known is null.
type planReport struct {
	Version int             `json:"version"`
	Goal    string          `json:"goal"`
	Cluster clusterReport   `json:"cluster"`
	Made    time.Time       `json:"made_at"`
	Steps   []stepReport    `json:"steps"`    // in the order in which they would be done
	LeftOut []leftOutReport `json:"left_out"` // asked for, and not touched
	Gates   []gateReport    `json:"gates"`
	// TenantsOff says why the tenant list was not read; without it nobody knows
	// which shards stay and where the others land.
	TenantsOff string `json:"tenants_off,omitempty"`
}

type stepReport struct {
	Node      client.NodeID   `json:"node"`
	Address   string          `json:"address"`
	AZ        string          `json:"az"`
	Policy    string          `json:"policy"`
	Attached  *int64          `json:"attached"`
	Secondary *int64          `json:"secondary"`
	Calls     []string        `json:"calls"`   // literal, in order
	Restart   *string         `json:"restart"` // literal command; null = by hand, or none is needed
	Stay      []stayReport    `json:"stay"`    // shards that a drain leaves here
	Landing   []landingReport `json:"landing"` // where the others go, most loaded first
	Drain     rangeReport     `json:"drain"`
	Down      rangeReport     `json:"down"`
	Fill      rangeReport     `json:"fill"`
	Computes  []string        `json:"computes"` // configured ones whose tenant is attached here
}

type stayReport struct {
	Shard  client.TenantShardID `json:"shard"`
	Reason string               `json:"reason"` // no_secondary, policy_pause, policy_stop
}

type landingReport struct {
	Node   client.NodeID `json:"node"`
	Shards int           `json:"shards"`
}

type leftOutReport struct {
	Node   client.NodeID `json:"node"`
	Policy string        `json:"policy"`
	Why    string        `json:"why"`
}

type gateReport struct {
	Gate    string         `json:"gate"`
	Verdict string         `json:"verdict"`
	Node    *client.NodeID `json:"node"` // null: about the run as a whole
	Figure  string         `json:"figure"`
}

// rangeReport is an estimate in seconds; both null when there is none.
type rangeReport struct {
	Min *float64 `json:"min_s"`
	Max *float64 `json:"max_s"`
}

func makePlanReport(p rollout.Plan) planReport {
	r := planReport{
		Version: planVersion, Goal: string(p.Goal), Made: p.Made, TenantsOff: p.TenantsOff,
		Cluster: clusterReport{Name: p.Identity.Name, Endpoint: p.Identity.Endpoint, Demo: p.Identity.Demo},
		Steps:   make([]stepReport, len(p.Steps)),
		LeftOut: make([]leftOutReport, len(p.LeftOut)),
		Gates:   make([]gateReport, len(p.Gates)),
	}
	for i, s := range p.Steps {
		r.Steps[i] = makeStep(s)
	}
	for i, l := range p.LeftOut {
		r.LeftOut[i] = leftOutReport{Node: l.Node, Policy: string(l.Policy), Why: l.Why}
	}
	for i, g := range p.Gates {
		r.Gates[i] = gateReport{Gate: string(g.Gate), Verdict: g.Verdict.String(), Figure: g.Figure}
		if g.Node != 0 {
			r.Gates[i].Node = &g.Node
		}
	}
	return r
}

func makeStep(s rollout.StepPlan) stepReport {
	r := stepReport{
		Node: s.Node, Address: s.Addr, AZ: s.AZ, Policy: string(s.Policy),
		Attached: figure(s.Attached), Secondary: figure(s.Secondary),
		Calls: orEmpty(s.Calls), Computes: orEmpty(s.Computes),
		Stay: make([]stayReport, len(s.Stay)), Landing: make([]landingReport, len(s.Landing)),
		Drain: estimate(s.Drain), Down: estimate(s.Restart), Fill: estimate(s.Fill),
	}
	if s.Hook != "" {
		r.Restart = &s.Hook
	}
	for i, stay := range s.Stay {
		r.Stay[i] = stayReport{Shard: stay.Shard, Reason: stayReason(stay.Reason)}
	}
	for i, l := range s.Landing {
		r.Landing[i] = landingReport{Node: l.Node, Shards: l.Shards}
	}
	return r
}

func stayReason(r rollout.StayReason) string {
	switch r {
	case rollout.NoSecondary:
		return "no_secondary"
	case rollout.PolicyPause:
		return "policy_pause"
	case rollout.PolicyStop:
		return "policy_stop"
	case rollout.LagOrUnknown:
	}
	return "lag_or_unknown"
}

func estimate(r rollout.Range) rangeReport {
	if r.Max <= 0 {
		return rangeReport{}
	}
	least, most := r.Min.Seconds(), r.Max.Seconds()
	return rangeReport{Min: &least, Max: &most}
}

// orEmpty keeps a list a list in JSON.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
