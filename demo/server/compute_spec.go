package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// compute_ctl reads a body with serde, whose complaints carry the path of the field and
// what was expected; it then puts the whole text into lower case. kind is as much of that
// as the body of /configure can provoke: it gives the complaint of a value, and where
// in it the fault is.
type kind func(raw json.RawMessage) (path, complaint string)

// complaintAt puts the path before a complaint.
func (k kind) at(name string, raw json.RawMessage) (path, complaint string) {
	path, complaint = k(raw)
	if complaint == "" {
		return "", ""
	}
	if path != "" && path[0] != '[' {
		path = "." + path
	}
	return name + path, complaint
}

func wrongType(raw json.RawMessage, expected string) (path, complaint string) {
	return "", fmt.Sprintf("invalid type: %s, expected %s", kindOf(raw), expected)
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// optionalOf takes null as well.
func optionalOf(k kind) kind {
	return func(raw json.RawMessage) (path, complaint string) {
		if isNull(raw) {
			return "", ""
		}
		return k(raw)
	}
}

func anything(json.RawMessage) (path, complaint string) { return "", "" }

func textOf(check func(string) string) kind {
	return func(raw json.RawMessage) (path, complaint string) {
		var s string
		if isNull(raw) || json.Unmarshal(raw, &s) != nil {
			return wrongType(raw, "a string")
		}
		if check == nil {
			return "", ""
		}
		return "", check(s)
	}
}

// numberOf is a whole number between two bounds, named as Rust does.
func numberOf(low, high float64, name string) kind {
	return func(raw json.RawMessage) (path, complaint string) {
		var n float64
		if isNull(raw) || json.Unmarshal(raw, &n) != nil || name != "f32" && n != math.Trunc(n) {
			return wrongType(raw, name)
		}
		if n < low || n > high {
			return "", fmt.Sprintf("invalid value: integer `%s`, expected %s", bytes.TrimSpace(raw), name)
		}
		return "", ""
	}
}

func listOf(k kind) kind {
	return func(raw json.RawMessage) (path, complaint string) {
		var list []json.RawMessage
		if isNull(raw) || json.Unmarshal(raw, &list) != nil {
			return wrongType(raw, "a sequence")
		}
		for i, one := range list {
			if path, complaint := k.at("["+strconv.Itoa(i)+"]", one); complaint != "" {
				return path, complaint
			}
		}
		return "", ""
	}
}

func mapOf(key func(string) string, k kind) kind {
	return func(raw json.RawMessage) (path, complaint string) {
		var m map[string]json.RawMessage
		if isNull(raw) || json.Unmarshal(raw, &m) != nil {
			return wrongType(raw, "a map")
		}
		for name, one := range m {
			if wrong := key(name); wrong != "" {
				return name, wrong
			}
			if path, complaint := k.at(name, one); complaint != "" {
				return path, complaint
			}
		}
		return "", ""
	}
}

// member is a field of a struct, in the order of its declaration.
type member struct {
	name     string
	kind     kind
	required bool
}

// structOf reads the fields in the order of the text, as serde does, and then looks for
// those that are missing.
func structOf(name string, members ...member) kind {
	return func(raw json.RawMessage) (path, complaint string) {
		if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
			if len(trimmed) > 0 && trimmed[0] == '[' {
				return "", fmt.Sprintf("invalid length 0, expected struct %s with %d elements", name, len(members))
			}
			return wrongType(raw, "struct "+name)
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		_, _ = d.Token() // the brace: the text was read as JSON before
		seen := map[string]bool{}
		for d.More() {
			key, _ := d.Token()
			var value json.RawMessage
			_ = d.Decode(&value)
			field := fmt.Sprint(key)
			seen[field] = true
			for _, m := range members {
				if m.name != field {
					continue
				}
				if path, complaint := m.kind.at(field, value); complaint != "" {
					return path, complaint
				}
			}
		}
		for _, m := range members {
			if m.required && !seen[m.name] {
				return "", "missing field `" + m.name + "`"
			}
		}
		return "", ""
	}
}

func variants(known ...string) kind {
	return textOf(func(s string) string {
		if slices.Contains(known, s) {
			return ""
		}
		names := make([]string, len(known))
		for i, k := range known {
			names[i] = "`" + k + "`"
		}
		return fmt.Sprintf("unknown variant `%s`, expected one of %s", s, strings.Join(names, ", "))
	})
}

func hexText(s string) string {
	switch {
	case len(s)%2 == 1:
		return "Odd number of digits"
	case len(s) != 32:
		return "Invalid string length"
	}
	return ""
}

func shardIndex(s string) string {
	if len(s) != 4 {
		return "Invalid string length"
	}
	return ""
}

var lsnForm = regexp.MustCompile(`^[0-9A-Fa-f]+/[0-9A-Fa-f]+$`)

// modeKind is "Primary", "Replica" or {"Static": LSN}.
func modeKind(raw json.RawMessage) (path, complaint string) {
	var static map[string]string
	if json.Unmarshal(raw, &static) == nil && len(static) == 1 {
		if lsn, ok := static["Static"]; ok && !lsnForm.MatchString(lsn) {
			return "Static", "LsnParseError"
		}
		return "", ""
	}
	return variants("Primary", "Static", "Replica")(raw)
}

func need(name string, k kind) member  { return member{name, k, true} }
func maybe(name string, k kind) member { return member{name, optionalOf(k), false} }

// given is a member that may be missing, but is not null.
func given(name string, k kind) member { return member{name, k, false} }

var (
	anyText      = textOf(nil)
	settingKind  = structOf("GenericOption", need("name", anyText), maybe("value", anyText), need("vartype", anyText))
	roleKind     = structOf("Role", need("name", anyText), maybe("encrypted_password", anyText), maybe("options", anything))
	databaseKind = structOf("Database", need("name", anyText), need("owner", anyText), maybe("options", anything))
	deltaKind    = structOf("DeltaOp", need("action", anyText), need("name", anyText), maybe("new_name", anyText))
	serverKind   = structOf("PageserverShardConnectionInfo", maybe("id", numberOf(0, math.MaxInt64, "u64")), maybe("libpq_url", anyText), maybe("grpc_url", anyText))
	shardKind    = structOf("PageserverShardInfo", need("pageservers", listOf(serverKind)))

	infoKind = structOf("PageserverConnectionInfo",
		need("shard_count", numberOf(0, 255, "u8")), maybe("stripe_size", numberOf(0, math.MaxUint32, "u32")),
		need("shards", mapOf(shardIndex, shardKind)), given("prefer_protocol", variants("libpq", "grpc")))

	clusterKind = structOf("Cluster",
		maybe("cluster_id", anyText), maybe("name", anyText), maybe("state", anyText), need("roles", listOf(roleKind)),
		need("databases", listOf(databaseKind)), maybe("postgresql_conf", anyText), maybe("settings", listOf(settingKind)))

	specKind = structOf("ComputeSpec",
		need("format_version", numberOf(-math.MaxFloat32, math.MaxFloat32, "f32")), maybe("operation_uuid", anyText),
		given("features", listOf(anything)), need("cluster", clusterKind), maybe("delta_operations", listOf(deltaKind)),
		need("suspend_timeout_seconds", numberOf(math.MinInt64, math.MaxInt64, "i64")),
		maybe("tenant_id", textOf(hexText)), maybe("timeline_id", textOf(hexText)),
		maybe("pageserver_connection_info", infoKind), maybe("pageserver_connstring", anyText),
		maybe("shard_stripe_size", numberOf(0, math.MaxUint32, "u32")),
		maybe("safekeepers_generation", numberOf(0, math.MaxUint32, "u32")), given("safekeeper_connstrings", listOf(anyText)),
		given("mode", modeKind), given("audit_log_level", variants("Disabled", "Log", "Base", "Hipaa", "Extended", "Full")),
		maybe("offload_lfc_interval_seconds", func(raw json.RawMessage) (string, string) { return numberOf(1, math.MaxInt64, "a nonzero u64")(raw) }))

	jwk = kind(func(raw json.RawMessage) (path, complaint string) {
		var key struct {
			Kty string `json:"kty"`
		}
		if json.Unmarshal(raw, &key) != nil || key.Kty == "" {
			return "", "data did not match any variant of untagged enum AlgorithmParameters"
		}
		return "", ""
	})

	configureKind = structOf("ConfigurationRequest",
		need("spec", specKind),
		need("compute_ctl_config", structOf("ComputeCtlConfig", need("jwks", structOf("JwkSet", need("keys", listOf(jwk)))), maybe("tls", anything))))
)

// bodyLimit is what compute_ctl takes as a body.
const bodyLimit = 2 << 20

// computeError is compute_ctl's error body.
func computeError(status int, text string) *reply {
	return jsonReply(status, struct {
		Error string `json:"error"`
	}{text})
}

// readConfigure reads the body of /configure; the checks come in the recorded order.
func readConfigure(r *http.Request) (spec sim.ComputeSpec, refusal *reply) {
	if media := r.Header.Get("Content-Type"); !jsonMedia(media) {
		return spec, computeError(http.StatusUnsupportedMediaType, "expected request with `content-type: application/json`")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit+1))
	if err != nil || len(body) > bodyLimit {
		return spec, computeError(http.StatusRequestEntityTooLarge, "failed to buffer the request body: length limit exceeded")
	}
	if complaint := syntaxOf(body); complaint != "" {
		return spec, computeError(http.StatusBadRequest, "failed to parse the request body as json: "+complaint)
	}
	if path, complaint := configureKind(body); complaint != "" {
		if path != "" {
			path += ": "
		}
		text := "Failed to deserialize the JSON body into the target type: " + path + complaint + " at line 1 column " + strconv.Itoa(len(body))
		return spec, computeError(http.StatusUnprocessableEntity, strings.ToLower(text))
	}
	var request struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return spec, computeError(http.StatusBadRequest, strings.ToLower(err.Error()))
	}
	spec, complaint := senseOf(request.Spec)
	if complaint != "" {
		return spec, computeError(http.StatusBadRequest, complaint)
	}
	return spec, nil
}

func jsonMedia(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.TrimSpace(media)
	return media == typeJSON || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

// syntaxOf is serde's complaint of a text that is no JSON, in lower case; "" = it is.
func syntaxOf(body []byte) string {
	if json.Valid(body) {
		return ""
	}
	place := " at line 1 column " + strconv.Itoa(len(body))
	d := json.NewDecoder(bytes.NewReader(body))
	within, key := "", ""
	open := false
	for {
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			if open && key == "" {
				return "eof while parsing an object" + place
			}
			if key != "" {
				within = key + ": "
			}
			return within + "eof while parsing a value" + place
		case err != nil:
			return "expected ident at line 1 column 2"
		}
		switch v := t.(type) {
		case json.Delim:
			open = v == '{'
			key = ""
		case string:
			if open && key == "" {
				key = strings.ToLower(v)
				continue
			}
			key = ""
		default:
			key = ""
		}
	}
}
