package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// wireSpec is what the fake reads of a spec that decodes.
type wireSpec struct {
	Tenant   *string  `json:"tenant_id"`
	Timeline *string  `json:"timeline_id"`
	SkipCat  bool     `json:"skip_pg_catalog_updates"`
	Connstr  *string  `json:"pageserver_connstring"`
	Stripe   *int     `json:"shard_stripe_size"`
	Mode     any      `json:"mode"`
	Keepers  []string `json:"safekeeper_connstrings"`
	Cluster  struct {
		Roles     []struct{ Name string }  `json:"roles"`
		Databases []struct{ Owner string } `json:"databases"`
		Settings  []struct {
			Name  string  `json:"name"`
			Value *string `json:"value"`
		} `json:"settings"`
	} `json:"cluster"`
	Info *struct {
		Count  int  `json:"shard_count"`
		Stripe *int `json:"stripe_size"`
		Shards map[string]struct {
			Pageservers []struct {
				Libpq *string `json:"libpq_url"`
				GRPC  *string `json:"grpc_url"`
			} `json:"pageservers"`
		} `json:"shards"`
	} `json:"pageserver_connection_info"`
}

// senseOf reads what a spec asks for; complaint is why it makes no sense, in
// compute_ctl's words (contract B.4).
func senseOf(raw json.RawMessage) (spec sim.ComputeSpec, complaint string) {
	var w wireSpec
	if err := json.Unmarshal(raw, &w); err != nil {
		return spec, strings.ToLower(err.Error())
	}
	spec = sim.ComputeSpec{Raw: raw, Settings: map[string]string{}, Catalog: !w.SkipCat}
	for _, s := range w.Cluster.Settings {
		if s.Value != nil {
			spec.Settings[s.Name] = *s.Value
		}
	}
	for _, check := range []func(*sim.ComputeSpec) string{w.pageservers, w.safekeepers, w.identity} {
		if complaint := check(&spec); complaint != "" {
			return spec, complaint
		}
	}
	spec.UnknownOwner = w.unknownOwner()
	return spec, ""
}

func (w *wireSpec) pageservers(spec *sim.ComputeSpec) string {
	if w.Info != nil {
		return w.connectionInfo(spec)
	}
	connstr, stripe := "", w.Stripe
	switch {
	case w.Connstr != nil:
		connstr = *w.Connstr
	case spec.Settings["neon.pageserver_connstring"] != "":
		connstr = spec.Settings["neon.pageserver_connstring"]
		if text, ok := spec.Settings["neon.stripe_size"]; ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				return "invalid digit found in string"
			}
			stripe = &n
		}
	default:
		return "pageserver connection information should be provided"
	}
	parts := strings.Split(connstr, ",")
	switch {
	case slices.Contains(parts, ""):
		return "empty connection string"
	case len(parts) > 1 && stripe == nil:
		return fmt.Sprintf("%d shards but no stripe_size", len(parts))
	case len(parts) > 255:
		return "out of range integral type conversion attempted"
	}
	spec.Pageservers = connstr
	return ""
}

// connectionInfo joins the first pageserver of each shard, as Postgres's setting has them.
func (w *wireSpec) connectionInfo(spec *sim.ComputeSpec) string {
	var urls []string
	for number := range max(1, w.Info.Count) {
		index := fmt.Sprintf("%02x%02x", number, w.Info.Count)
		shard, ok := w.Info.Shards[index]
		switch {
		case !ok:
			spec.MissingShard = index
			return ""
		case len(shard.Pageservers) == 0:
			spec.EmptyShard = true
			return ""
		}
		first := shard.Pageservers[0]
		if first.Libpq != nil {
			urls = append(urls, *first.Libpq)
		}
	}
	spec.Pageservers = strings.Join(urls, ",")
	return ""
}

func (w *wireSpec) safekeepers(spec *sim.ComputeSpec) string {
	if w.Mode != nil && w.Mode != "Primary" {
		return ""
	}
	keepers := w.Keepers
	if len(keepers) == 0 {
		text, ok := spec.Settings["neon.safekeepers"]
		if !ok {
			return "safekeeper connstrings should be provided"
		}
		keepers = strings.Split(text, ",")
	}
	for i, k := range keepers {
		if slices.Contains(keepers[:i], k) {
			return "duplicate entry in safekeeper_connstrings: " + k + "!"
		}
	}
	return ""
}

func (w *wireSpec) identity(spec *sim.ComputeSpec) string {
	for _, id := range []struct {
		kind  string
		field *string
		into  *string
	}{{"tenant", w.Tenant, &spec.Tenant}, {"timeline", w.Timeline, &spec.Timeline}} {
		text, ok := spec.Settings["neon."+id.kind+"_id"]
		switch {
		case id.field != nil:
			text = *id.field
		case !ok:
			return id.kind + " id should be provided"
		case hexText(text) != "":
			return "invalid " + id.kind + " id"
		}
		*id.into = strings.ToLower(text)
	}
	return ""
}

// unknownOwner is a database's owner that the spec does not name as a role.
func (w *wireSpec) unknownOwner() string {
	for _, d := range w.Cluster.Databases {
		if d.Owner != "cloud_admin" && !slices.ContainsFunc(w.Cluster.Roles, func(r struct{ Name string }) bool { return r.Name == d.Owner }) {
			return d.Owner
		}
	}
	return ""
}
