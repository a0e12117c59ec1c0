package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// specComputes gives every compute that has a tenant a complete spec, with the
// pageservers of the beginning. It is called before anything is served.
func (s *Server) specComputes() error {
	for i, c := range s.world.Computes() {
		if c.Tenant == "" {
			continue
		}
		raw, err := s.firstSpec(c)
		if err != nil {
			return err
		}
		spec, complaint := senseOf(raw)
		if complaint != "" {
			return fmt.Errorf("spec of %s: %s", c.Name, complaint)
		}
		s.world.SetSpec(i, spec)
		s.known = append(s.known, knownSpec{c.Name, raw})
	}
	return nil
}

// knownSpec is a compute's last known spec, which no configure changes: a control plane
// would.
type knownSpec struct {
	name string
	raw  json.RawMessage
}

// ComputeSpec is the last known spec of a compute; false for one that has had none.
func (s *Server) ComputeSpec(name string) (json.RawMessage, bool) {
	for _, k := range s.known {
		if k.name == name {
			return k.raw, true
		}
	}
	return nil, false
}

// demoVerifier looks as a password's verifier does, and verifies none.
var demoVerifier = "SCRAM-SHA-256$4096:" + strings.Repeat("ZGVtbw==:", 2)

// firstSpec is a plausible spec of a compute. Its passwords and tokens are made up.
func (s *Server) firstSpec(c sim.Compute) (json.RawMessage, error) {
	tenant, err := s.world.Tenant(c.Tenant)
	if err != nil {
		return nil, fmt.Errorf("tenant of %s: %w", c.Name, err)
	}
	shards := map[string]any{}
	for _, shard := range tenant.Shards {
		_, index, sharded := strings.Cut(string(shard.ID), "-")
		if !sharded {
			index = "0000"
		}
		host := fmt.Sprintf("127.0.0.1:%d", pgPort(shard.Attached))
		shards[index] = map[string]any{"pageservers": []any{map[string]any{
			"id": shard.Attached, "libpq_url": "postgres://no_user@" + host, "grpc_url": nil,
		}}}
	}
	var stripe any
	if tenant.Count > 1 {
		stripe = stripeSize
	}
	setting := func(name, value, vartype string) map[string]any {
		return map[string]any{"name": name, "value": value, "vartype": vartype}
	}
	return json.Marshal(map[string]any{
		"format_version": json.Number("1.0"), "suspend_timeout_seconds": 300, "endpoint_id": c.Name,
		"cluster": map[string]any{
			"cluster_id": "demo", "name": c.Name, "state": "restarted",
			"roles":     []any{map[string]any{"name": "app", "encrypted_password": demoVerifier, "options": nil}},
			"databases": []any{map[string]any{"name": "appdb", "owner": "app", "options": nil}},
			"settings": []any{
				setting("max_connections", "100", "integer"), setting("shared_buffers", "128MB", "string"),
				setting("shared_preload_libraries", "neon", "string"), setting("work_mem", "4MB", "string"),
			},
		},
		"delta_operations": []any{}, "skip_pg_catalog_updates": false, "tenant_id": c.Tenant, "timeline_id": c.Timeline,
		"pageserver_connection_info": map[string]any{
			"shard_count": tenant.Count, "stripe_size": stripe, "shards": shards, "prefer_protocol": "libpq",
		},
		"shard_stripe_size": stripe, "safekeepers_generation": 1,
		"safekeeper_connstrings": []string{"127.0.0.1:5454", "127.0.0.1:5455", "127.0.0.1:5456"},
		"mode":                   "Primary", "storage_auth_token": s.Token("tenant"),
	})
}

// pgPort is where a node takes computes; nobody listens there.
func pgPort(id client.NodeID) int { return 6400 + int(id) }

// compute finds a compute by name.
func (s *Server) compute(name string) (index int, err error) {
	for i, c := range s.Computes() {
		if c.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no compute %q", name)
}

// ScriptCompute changes how a compute behaves from now on.
func (s *Server) ScriptCompute(name string, change func(*sim.Script)) error {
	index, err := s.compute(name)
	if err == nil {
		s.with(func(w *sim.World) { w.Scripted(index, change) })
	}
	return err
}

// MuteCompute has a compute take connections and answer nothing, or answer again.
func (s *Server) MuteCompute(name string, mute bool) error {
	index, err := s.compute(name)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.mutes[index] = mute
	}
	return err
}

func (s *Server) muted(index int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mutes[index]
}

// KillPostgres ends a compute's Postgres from outside.
func (s *Server) KillPostgres(name string) error {
	index, err := s.compute(name)
	if err == nil {
		s.with(func(w *sim.World) { w.KillPostgres(index) })
	}
	return err
}

// EndCompute ends a compute's process.
func (s *Server) EndCompute(name string) error {
	index, err := s.compute(name)
	if err == nil {
		s.with(func(w *sim.World) { w.EndCompute(index) })
	}
	return err
}

// ComputeSettings are the settings that a compute's Postgres has in use, and those of
// which another value waits for a restart.
func (s *Server) ComputeSettings(name string) (inUse map[string]string, waits map[string]bool, err error) {
	index, err := s.compute(name)
	if err != nil {
		return nil, nil, err
	}
	c := s.ctl(index)
	return c.Settings, c.Waits, nil
}

// ComputeInternalURL is where the internal port of a compute answers; it is opened by
// the first question.
func (s *Server) ComputeInternalURL(name string) (string, error) {
	index, err := s.compute(name)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.internal[index].open(); err != nil {
		return "", err
	}
	return s.internal[index].url(), nil
}

// ComputeToken is a token that only the compute of that name accepts.
func (s *Server) ComputeToken(name string) string {
	return s.keys.computeToken(computeClaims{ComputeID: name})
}

// adminCompute is POST /demo/computes/NAME/WHAT.
func (s *Server) adminCompute(r *http.Request, query url.Values) (any, error) {
	name := r.PathValue("name")
	switch what := r.PathValue("what"); what {
	case "end":
		return nil, s.EndCompute(name)
	case "kill-postgres":
		return nil, s.KillPostgres(name)
	case "mute", "answer":
		return nil, s.MuteCompute(name, what == "mute")
	case "script":
		change, err := scriptOf(query)
		if err != nil {
			return nil, err
		}
		return nil, s.ScriptCompute(name, change)
	default:
		return nil, fmt.Errorf("%q is none of end, kill-postgres, mute, answer, script", what)
	}
}

var scriptParameters = []string{"start", "apply", "start_error", "fails", "silent", "wedge", "no_effect"}

// scriptOf reads how a compute is to behave.
func scriptOf(query url.Values) (func(*sim.Script), error) {
	var flags [4]*bool
	for i, name := range []string{"fails", "silent", "wedge", "no_effect"} {
		if query.Has(name) {
			on, err := strconv.ParseBool(query.Get(name))
			if err != nil {
				return nil, fmt.Errorf("%s: %q is neither true nor false", name, query.Get(name))
			}
			flags[i] = &on
		}
	}
	start, err := duration(query, "start", 0)
	if err != nil {
		return nil, err
	}
	apply, err := duration(query, "apply", 0)
	if err != nil {
		return nil, err
	}
	return func(s *sim.Script) {
		for i, to := range []*bool{&s.ApplyFails, &s.Silent, &s.Wedge, &s.NoEffect} {
			if flags[i] != nil {
				*to = *flags[i]
			}
		}
		if query.Has("start") {
			s.Start = start
		}
		if query.Has("apply") {
			s.Apply = apply
		}
		if query.Has("start_error") {
			s.StartError = query.Get("start_error")
		}
	}, nil
}
