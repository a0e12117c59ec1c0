package compute

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// What some strings have to look like (contract 0.1, B.11).
var (
	hexID      = regexp.MustCompile(`^[0-9A-Fa-f]{32}$`)
	shardIndex = regexp.MustCompile(`^[0-9A-Fa-f]{4}$`)
	lsn        = regexp.MustCompile(`^[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}$`)
	hostPort   = regexp.MustCompile(`^[^\s,]+:[0-9]{1,5}$`)
)

// kind is what compute_ctl takes as a value. It refuses the whole spec otherwise.
type kind struct {
	noun string                               // what is to be written: "a string"
	fits func(value any) bool                 // looks at the value alone
	into func(c *checker, at spot, value any) // looks at what is under one that fits; nil of scalars
}

// member is a member of an object.
type member struct {
	name string
	kind kind
	need need
}

type need int

const (
	optional  need = iota // absent or null
	defaulted             // absent, but not null
	required
)

// specKind is a spec (contract B.11). What is known here of today's compute_ctl holds
// for the older ones, which know fewer fields and ignore the others.
var specKind = object(
	member{"format_version", number, required},
	member{"cluster", object(
		member{"cluster_id", text, optional}, member{"name", text, optional}, member{"state", text, optional},
		member{"roles", list(object(member{"name", text, required}, member{"encrypted_password", text, optional}, member{"options", options, optional})), required},
		member{"databases", list(object(member{"name", text, required}, member{"owner", text, required}, member{"options", options, optional})), required},
		member{"postgresql_conf", text, optional},
		member{"settings", options, optional},
	), required},
	member{"suspend_timeout_seconds", signed, required},
	member{"operation_uuid", text, optional},
	member{"features", list(text), defaulted},
	member{"delta_operations", list(object(member{"action", text, required}, member{"name", text, required}, member{"new_name", text, optional})), optional},
	member{"skip_pg_catalog_updates", boolean, defaulted},
	member{"tenant_id", matching("32 hex digits", hexID), optional},
	member{"timeline_id", matching("32 hex digits", hexID), optional},
	member{"pageserver_connection_info", object(
		member{"shard_count", unsigned(8), required},
		member{"stripe_size", unsigned(32), optional},
		member{"shards", dict(object(member{"pageservers", list(object(
			member{"id", unsigned(64), optional}, member{"libpq_url", text, optional}, member{"grpc_url", text, optional},
		)), required})), required},
		member{"prefer_protocol", oneOf("libpq", "grpc"), defaulted},
	), optional},
	member{"pageserver_connstring", text, optional},
	member{"shard_stripe_size", unsigned(32), optional},
	member{"safekeeper_connstrings", list(text), defaulted},
	member{"safekeepers_generation", unsigned(32), optional},
	member{"mode", mode, defaulted},
	member{"storage_auth_token", text, optional},
	member{"endpoint_storage_addr", text, optional},
	member{"endpoint_storage_token", text, optional},
	member{"project_id", text, optional}, member{"branch_id", text, optional}, member{"endpoint_id", text, optional},
	member{"remote_extensions", object(), optional},
	member{"pgbouncer_settings", dict(text), optional},
	member{"local_proxy_config", object(), optional},
	member{"reconfigure_concurrency", positive, defaulted}, // with 0 it would wait for ever
	member{"drop_subscriptions_before_start", boolean, defaulted},
	member{"audit_log_level", oneOf("Disabled", "Log", "Base", "Hipaa", "Extended", "Full"), defaulted},
	member{"logs_export_host", text, optional},
	member{"autoprewarm", boolean, defaulted},
	member{"offload_lfc_interval_seconds", positive, optional},
	member{"swap_size_bytes", unsigned(64), optional}, member{"disk_quota_bytes", unsigned(64), optional},
	member{"disable_lfc_resizing", boolean, optional},
	member{"databricks_settings", object(), optional},
)

var (
	text    = kind{noun: "a string", fits: func(value any) bool { _, ok := value.(string); return ok }}
	boolean = kind{noun: "true or false", fits: func(value any) bool { _, ok := value.(bool); return ok }}
	number  = kind{noun: "a number", fits: func(value any) bool {
		n, ok := value.(json.Number)
		_, err := strconv.ParseFloat(n.String(), 32)
		return ok && err == nil
	}}
	signed = kind{noun: "a whole number", fits: func(value any) bool {
		n, ok := value.(json.Number)
		_, err := strconv.ParseInt(n.String(), 10, 64)
		return ok && err == nil
	}}
	positive = kind{noun: "a whole number above 0", fits: func(value any) bool {
		return unsigned(64).fits(value) && value != json.Number("0")
	}}
	// mode has a position in it where it stands still.
	mode = kind{noun: `"Primary", "Replica" or {"Static": "0/169F0A0"}`, fits: func(value any) bool {
		static, ok := value.(map[string]any)
		at, _ := static["Static"].(string)
		return value == "Primary" || value == "Replica" || ok && len(static) == 1 && lsn.MatchString(at)
	}}
	options = list(object(member{"name", text, required}, member{"value", text, optional}, member{"vartype", text, required}))
)

func unsigned(bits int) kind {
	return kind{
		noun: fmt.Sprintf("a whole number from 0 to %d", ^uint64(0)>>(64-bits)),
		fits: func(value any) bool {
			n, ok := value.(json.Number)
			_, err := strconv.ParseUint(n.String(), 10, bits)
			return ok && err == nil
		},
	}
}

func matching(noun string, pattern *regexp.Regexp) kind {
	return kind{noun: noun, fits: func(value any) bool {
		said, ok := value.(string)
		return ok && pattern.MatchString(said)
	}}
}

func oneOf(words ...string) kind {
	return kind{noun: fmt.Sprintf("one of %q", words), fits: func(value any) bool {
		said, ok := value.(string)
		return ok && slices.Contains(words, said)
	}}
}

func list(of kind) kind {
	return kind{
		noun: "a list",
		fits: func(value any) bool { _, ok := value.([]any); return ok },
		into: func(c *checker, at spot, value any) {
			byName := named(value)
			for i, entry := range value.([]any) {
				name := strconv.Itoa(i)
				if byName {
					name = entryName(entry)
				}
				c.is(at.entry(i, name), entry, of)
			}
		},
	}
}

// dict is an object whose names are data.
func dict(of kind) kind {
	return kind{
		noun: "an object",
		fits: isObject,
		into: func(c *checker, at spot, value any) {
			members := value.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(members)) {
				c.is(at.member(name), members[name], of)
			}
		},
	}
}

func isObject(value any) bool { _, ok := value.(map[string]any); return ok }

// object may have other members than those, which pass.
func object(members ...member) kind {
	return kind{
		noun: "an object",
		fits: isObject,
		into: func(c *checker, at spot, value any) {
			of := value.(map[string]any)
			for _, m := range members {
				inner, there := of[m.name]
				switch {
				case !there && m.need == required:
					c.fault(at.member(m.name), "is missing", "write "+m.kind.noun)
				case !there, inner == nil && m.need == optional:
				default:
					c.is(at.member(m.name), inner, m.kind)
				}
			}
		},
	}
}

// is checks that value is of a kind.
func (c *checker) is(at spot, value any, of kind) {
	switch {
	case !of.fits(value):
		c.fault(at, "is "+nounOf(value), "write "+of.noun)
	case of.into != nil:
		of.into(c, at, value)
	}
}

func nounOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	}
	return "an object"
}
