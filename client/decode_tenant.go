package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client/internal/wire"
)

var (
	_ json.Unmarshaler = (*Tenant)(nil)
	_ json.Marshaler   = Tenant{}
	_ json.Unmarshaler = (*TenantShard)(nil)
	_ json.Marshaler   = TenantShard{}
	_ json.Unmarshaler = (*Placement)(nil)
	_ json.Marshaler   = Placement{}
	_ json.Unmarshaler = (*Leader)(nil)
	_ json.Marshaler   = Leader{}
)

type tenantShardWire struct {
	ID                           TenantShardID      `json:"tenant_shard_id"`
	NodeAttached                 wire.Field[NodeID] `json:"node_attached"`
	NodeSecondary                []NodeID           `json:"node_secondary"`
	LastError                    string             `json:"last_error"`
	IsReconciling                *bool              `json:"is_reconciling"`
	IsPendingComputeNotification bool               `json:"is_pending_compute_notification"`
	IsSplitting                  bool               `json:"is_splitting"`
	IsImporting                  wire.Field[bool]   `json:"is_importing"`
	SchedulingPolicy             ShardPolicy        `json:"scheduling_policy"`
	PreferredAZ                  wire.Field[string] `json:"preferred_az_id"`
}

var tenantShardFields = []string{
	"tenant_shard_id", "node_attached", "node_secondary", "last_error", "is_reconciling",
	"is_pending_compute_notification", "is_splitting", "is_importing", "scheduling_policy", "preferred_az_id",
}

func (w tenantShardWire) shard() (TenantShard, error) {
	switch {
	case w.ID == "":
		return TenantShard{}, wire.Missing("tenant_shard_id")
	case !w.NodeAttached.Present:
		return TenantShard{}, wire.Missing("node_attached")
	case w.NodeSecondary == nil:
		return TenantShard{}, wire.Missing("node_secondary")
	case w.IsReconciling == nil:
		return TenantShard{}, wire.Missing("is_reconciling")
	case w.SchedulingPolicy == "":
		return TenantShard{}, wire.Missing("scheduling_policy")
	}
	s := TenantShard{
		ID:                           TenantShardID(Clean(string(w.ID))),
		NodeAttached:                 w.NodeAttached.Value,
		NodeSecondary:                w.NodeSecondary,
		LastError:                    Clean(w.LastError),
		IsReconciling:                *w.IsReconciling,
		IsPendingComputeNotification: w.IsPendingComputeNotification,
		IsSplitting:                  w.IsSplitting,
		IsImporting:                  w.IsImporting.Value,
		SchedulingPolicy:             ShardPolicy(Clean(string(w.SchedulingPolicy))),
		PreferredAZ:                  wire.CleanPtr(w.PreferredAZ.Value),
	}
	keepNull(&s.Extra, "is_importing", w.IsImporting)
	keepNull(&s.Extra, "preferred_az_id", w.PreferredAZ)
	return s, nil
}

// UnmarshalJSON fails when a required field is missing and keeps unknown ones.
func (s *TenantShard) UnmarshalJSON(raw []byte) error {
	var w tenantShardWire
	extra, err := wire.Object(raw, &w, tenantShardFields)
	if err != nil {
		return err
	}
	if *s, err = w.shard(); err != nil {
		return err
	}
	s.Extra = merge(extra, s.Extra)
	return nil
}

// MarshalJSON writes the unknown fields as well, and no secondaries as an
// empty list.
func (s TenantShard) MarshalJSON() ([]byte, error) {
	type named TenantShard
	if s.NodeSecondary == nil {
		s.NodeSecondary = []NodeID{}
	}
	return wire.Encode(named(s), s.Extra)
}

type tenantWire struct {
	ID         TenantID          `json:"tenant_id"`
	Shards     []tenantShardWire `json:"shards"`
	StripeSize wire.Field[int]   `json:"stripe_size"`
	Policy     Placement         `json:"policy"`
	Config     json.RawMessage   `json:"config"`
}

var tenantFields = []string{"tenant_id", "shards", "stripe_size", "policy", "config"}

func (w tenantWire) tenant() (Tenant, error) {
	shards, err := wire.Convert(w.Shards, tenantShardWire.shard)
	switch {
	case err != nil:
		return Tenant{}, err
	case w.Shards == nil:
		return Tenant{}, wire.Missing("shards")
	}
	return w.with(shards)
}

func (w tenantWire) with(shards []TenantShard) (Tenant, error) {
	switch {
	case w.ID == "":
		return Tenant{}, wire.Missing("tenant_id")
	case w.Policy.Raw == nil:
		return Tenant{}, wire.Missing("policy")
	}
	t := Tenant{
		ID:         TenantID(Clean(string(w.ID))),
		Shards:     shards,
		StripeSize: w.StripeSize.Value,
		Policy:     w.Policy,
		Config:     wire.CleanJSON(w.Config),
	}
	keepNull(&t.Extra, "stripe_size", w.StripeSize)
	return t, nil
}

// UnmarshalJSON fails when a required field is missing and keeps unknown ones.
func (t *Tenant) UnmarshalJSON(raw []byte) error {
	var w struct {
		tenantWire
		Shards json.RawMessage `json:"shards"` // shadows the quick way's
	}
	extra, err := wire.Object(raw, &w, tenantFields)
	switch {
	case err != nil:
		return err
	case w.Shards == nil:
		return wire.Missing("shards")
	}
	shards, err := wire.DecodeList[TenantShard](w.Shards, "shard")
	if err != nil {
		return fmt.Errorf("shards: %w", err)
	}
	if *t, err = w.with(shards); err != nil {
		return err
	}
	t.Extra = merge(extra, t.Extra)
	return nil
}

// MarshalJSON writes the unknown fields as well, and no shards as an empty
// list.
func (t Tenant) MarshalJSON() ([]byte, error) {
	type named Tenant
	if t.Shards == nil {
		t.Shards = []TenantShard{}
	}
	return wire.Encode(named(t), t.Extra)
}

func decodeTenants(body []byte) ([]Tenant, error) {
	var wires []tenantWire
	if wire.Quick(body, &wires) && wires != nil {
		if tenants, err := wire.Convert(wires, tenantWire.tenant); err == nil {
			return tenants, ascending(tenants)
		}
	}
	tenants, err := wire.DecodeList[Tenant](body, "tenant")
	if err != nil {
		return nil, err
	}
	return tenants, ascending(tenants)
}

// ascending guards the page cursor, which is the last tenant's id.
func ascending(tenants []Tenant) error {
	for i := 1; i < len(tenants); i++ {
		if tenants[i].ID <= tenants[i-1].ID {
			return fmt.Errorf("tenant %s follows %s: the list is not in order", tenants[i].ID, tenants[i-1].ID)
		}
	}
	return nil
}

// UnmarshalJSON accepts any value; one that is not {"Attached":N} is kept as
// it was sent.
func (p *Placement) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return errors.New("policy is null")
	}
	*p = Placement{Raw: wire.CleanJSON(raw), Secondaries: -1}
	var attached struct {
		Attached *int `json:"Attached"`
	}
	if json.Unmarshal(raw, &attached) == nil && attached.Attached != nil && *attached.Attached >= 0 {
		p.Secondaries = *attached.Attached
	}
	return nil
}

// MarshalJSON writes what the server sent, or {"Attached":N} when nothing was.
func (p Placement) MarshalJSON() ([]byte, error) {
	switch {
	case p.Raw != nil:
		return p.Raw, nil
	case p.Secondaries < 0:
		return nil, errors.New("a placement without a value")
	}
	return json.Marshal(map[string]int{"Attached": p.Secondaries})
}

// UnmarshalJSON fails when a field is missing and keeps unknown ones.
func (l *Leader) UnmarshalJSON(raw []byte) error {
	var w struct {
		Address   string     `json:"address"`
		StartedAt *time.Time `json:"started_at"`
	}
	extra, err := wire.Object(raw, &w, []string{"address", "started_at"})
	switch {
	case err != nil:
		return err
	case w.Address == "":
		return wire.Missing("address")
	case w.StartedAt == nil:
		return wire.Missing("started_at")
	}
	*l = Leader{Address: Clean(w.Address), StartedAt: *w.StartedAt, Extra: extra}
	return nil
}

// MarshalJSON writes the unknown fields as well.
func (l Leader) MarshalJSON() ([]byte, error) {
	type named Leader
	return wire.Encode(named(l), l.Extra)
}
