package compute

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// PageserverSource says which of a spec's three descriptions of the pageservers counts
// (contract B.11): the first that is there. The others may be stale.
type PageserverSource string

// The sources, in the order in which compute_ctl looks; "" = none is there.
const (
	SourceInfo       PageserverSource = "pageserver_connection_info"
	SourceConnstring PageserverSource = "pageserver_connstring"
	SourceSetting    PageserverSource = "neon.pageserver_connstring"
)

// PageserverInfo is where a tenant's shards are served, as a spec or the controller
// says. It has addresses only: no user and no password.
type PageserverInfo struct {
	Source PageserverSource // "" of what the controller says
	Count  int              // of shards, from 0 to 255; 0 is a tenant that was never sharded
	Stripe int64            // in pages of 8 KiB; 0 = not said, as of a tenant with one shard
	GRPC   bool             // gRPC is preferred to libpq
	Shards []ShardPlace     // by number, one for each that Count counts
}

// ShardPlace is the pageserver of one shard: the first that is named. What is not
// said is 0 or "".
type ShardPlace struct {
	Index string // as 0102: number, then count, in hex
	Node  uint64 // its id
	Libpq string // host:port
	GRPC  string // host:port
}

// shardIndexOf is the name of shard number of count.
func shardIndexOf(number, count int) string { return fmt.Sprintf("%02x%02x", number, count) }

// Pageservers is what s says, read as compute_ctl reads it; false when it says nothing
// that could be followed, of which Validate tells the reasons.
func (s Spec) Pageservers() (PageserverInfo, bool) {
	c := &checker{}
	info := c.pageservers(s.members())
	return info, len(c.faults) == 0 && info.gap() == ""
}

// gap is a shard without a pageserver; "" = each has one.
func (p PageserverInfo) gap() string {
	for number := range max(1, p.Count) {
		index := shardIndexOf(number, p.Count)
		if number >= len(p.Shards) || p.Shards[number].Index != index || p.Shards[number].address(p.GRPC) == "" {
			return index
		}
	}
	return ""
}

// Same tells whether both say that each shard is served by the same pageserver. Where
// both know a node's id that decides, since the addresses of one node may be
// written in several ways; else its address does. The old forms of a spec do not tell
// a tenant of one shard from one that was never sharded.
func (p PageserverInfo) Same(other PageserverInfo) bool {
	old := p.Source.old() || other.Source.old()
	switch {
	case len(p.Shards) != len(other.Shards), p.Count > 1 && p.Stripe != other.Stripe:
		return false
	case old && max(p.Count, other.Count) <= 1:
	case p.Count != other.Count:
		return false
	}
	for i, shard := range p.Shards {
		if !shard.same(other.Shards[i]) {
			return false
		}
	}
	return true
}

func (s PageserverSource) old() bool { return s == SourceConnstring || s == SourceSetting }

func (s ShardPlace) same(other ShardPlace) bool {
	switch {
	case s.Node != 0 && other.Node != 0:
		return s.Node == other.Node
	case s.Libpq != "" && other.Libpq != "":
		return strings.EqualFold(s.Libpq, other.Libpq)
	}
	return s.GRPC != "" && strings.EqualFold(s.GRPC, other.GRPC)
}

func (s ShardPlace) address(grpc bool) string {
	if grpc {
		return s.GRPC
	}
	return s.Libpq
}

// pageservers reads the source that counts, and finds what is wrong with it. A spec
// whose shards have no pageserver is never sent: it leaves the compute failed, or
// wedged (contract B.13).
func (c *checker) pageservers(tree map[string]any) PageserverInfo {
	at := spot{}.member(string(SourceInfo))
	if value := tree[string(SourceInfo)]; value != nil {
		info, _ := value.(map[string]any)
		return c.connectionInfo(at, info)
	}
	if value := tree[string(SourceConnstring)]; value != nil {
		said, ok := value.(string)
		if !ok {
			return PageserverInfo{} // told of
		}
		return c.connstrings(SourceConnstring, spot{}.member(string(SourceConnstring)), said, tree["shard_stripe_size"], spot{}.member("shard_stripe_size"))
	}
	if said, where, ok := setting(tree, string(SourceSetting)); ok {
		size, sizeAt, there := setting(tree, SettingStripe)
		if !there {
			return c.connstrings(SourceSetting, where, said, nil, where)
		}
		if _, err := strconv.ParseUint(size, 10, 32); err != nil {
			c.fault(sizeAt, "is no size of a stripe", "write a whole number of pages")
		}
		return c.connstrings(SourceSetting, where, said, json.Number(size), sizeAt)
	}
	c.fault(at, "is missing, and there is no pageserver_connstring either", "write where the tenant's shards are, or re-point the compute")
	return PageserverInfo{}
}

// connectionInfo reads today's form. What has no type that would do is told of
// elsewhere, and passed over here.
func (c *checker) connectionInfo(at spot, said map[string]any) PageserverInfo {
	n, _ := said["shard_count"].(json.Number)
	count, err := strconv.ParseUint(n.String(), 10, 8)
	shards, ok := said["shards"].(map[string]any)
	if err != nil || !ok {
		return PageserverInfo{}
	}
	info := PageserverInfo{Source: SourceInfo, Count: int(count), GRPC: said["prefer_protocol"] == "grpc"}
	info.Stripe = c.stripe(at.member("stripe_size"), said["stripe_size"], info.Count)
	names := map[string]string{}
	for name := range shards {
		if !shardIndex.MatchString(name) {
			c.fault(at.member("shards").member(name), "has a name that no shard has", "name it by 4 hex digits, number and then count; 0000 of a tenant that is not sharded")
		}
		names[strings.ToLower(name)] = name
	}
	var missing []string
	for number := range max(1, info.Count) {
		index := shardIndexOf(number, info.Count)
		name, there := names[index]
		if !there {
			missing = append(missing, index)
			continue
		}
		shard, ok := shards[name].(map[string]any)
		if !ok {
			continue
		}
		info.Shards = append(info.Shards, c.shard(at.member("shards").member(name), shard, index, info.GRPC))
	}
	if len(missing) > 0 {
		c.fault(at.member("shards"), "lacks "+few(missing), "write a pageserver for each shard, or re-point the compute")
	}
	return info
}

// shard reads the first pageserver of a shard, which is the one that compute_ctl takes.
func (c *checker) shard(at spot, said map[string]any, index string, grpc bool) ShardPlace {
	place := ShardPlace{Index: index}
	list, ok := said["pageservers"].([]any)
	if !ok {
		return place
	}
	if len(list) == 0 {
		c.fault(at.member("pageservers"), "is empty, which wedges the compute", "write the shard's pageserver, or re-point the compute")
		return place
	}
	first, ok := list[0].(map[string]any)
	if !ok {
		return place
	}
	at = at.member("pageservers").entry(0, "0")
	id, _ := first["id"].(json.Number)
	place.Node, _ = strconv.ParseUint(id.String(), 10, 64) // 0 of what is none
	place.Libpq = c.address(at.member("libpq_url"), first["libpq_url"], !grpc, "postgres", "postgresql")
	place.GRPC = c.address(at.member("grpc_url"), first["grpc_url"], grpc, "grpc")
	return place
}

// connstrings reads the old forms: one connection string for each shard.
func (c *checker) connstrings(source PageserverSource, at spot, said string, stripe any, stripeAt spot) PageserverInfo {
	all := strings.Split(said, ",")
	info := PageserverInfo{Source: source}
	if len(all) > 255 {
		c.fault(at, fmt.Sprintf("has %d shards", len(all)), "write one connection string for each shard, of which there are 255 at most")
		return info
	}
	if len(all) > 1 {
		info.Count = len(all)
	}
	info.Stripe = c.stripe(stripeAt, stripe, info.Count)
	for number, one := range all {
		info.Shards = append(info.Shards, ShardPlace{
			Index: shardIndexOf(number, info.Count), Libpq: c.address(at, one, true, "postgres", "postgresql"),
		})
	}
	return info
}

// stripe is the size of a stripe; several shards need one.
func (c *checker) stripe(at spot, said any, count int) int64 {
	n, _ := said.(json.Number)
	size, err := strconv.ParseUint(n.String(), 10, 32)
	switch {
	case count <= 1:
	case said == nil:
		c.fault(at, fmt.Sprintf("says no stripe size, and there are %d shards", count), "write the tenant's stripe size, or re-point the compute")
	case err == nil && size == 0:
		c.fault(at, "is 0", "write the tenant's stripe size, or re-point the compute")
	}
	return int64(size)
}

// pageserverURL has the parts scheme, user, host, port and the rest. It is looser than
// url.Parse, which does not take every password that Postgres takes.
var pageserverURL = regexp.MustCompile(`(?is)^([a-z]+)://([^@]*@)?(\[[^\]@]+\]|[^:/?#@,\[\]\s]+)(?::([0-9]{1,5}))?([/?#].*)?$`)

// dsnPart is the host or the port of a connection string that is no URL.
var dsnPart = regexp.MustCompile(`(?i)(?:^|\s)(host|port)\s*=\s*'?([^\s',]+)'?`)

// address is the host:port of a pageserver's connection string; "" where there is none.
func (c *checker) address(at spot, value any, needed bool, schemes ...string) string {
	said, ok := value.(string)
	parts := pageserverURL.FindStringSubmatch(strings.TrimSpace(said))
	switch {
	case value != nil && !ok:
		return "" // told of
	case strings.TrimSpace(said) == "":
		if needed {
			c.fault(at, "is empty", "write the pageserver's URL, or re-point the compute")
		}
		return ""
	case parts != nil && slices.Contains(schemes, strings.ToLower(parts[1])):
		return hostAndPort(parts[3], parts[4])
	}
	found := map[string]string{}
	for _, part := range dsnPart.FindAllStringSubmatch(password.ReplaceAllString(said, ""), -1) {
		found[strings.ToLower(part[1])] = part[2]
	}
	if parts == nil && found["host"] != "" {
		return hostAndPort(found["host"], found["port"])
	}
	c.fault(at, "is no "+schemes[0]+" URL", "write "+schemes[0]+"://no_user@HOST:PORT, or re-point the compute")
	return ""
}

func hostAndPort(host, port string) string {
	if port == "" {
		port = "5432" // libpq's own
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}

// few names the first of some shards.
func few(shards []string) string {
	const most = 4
	said := "shard " + strings.Join(shards[:min(most, len(shards))], ", ")
	if more := len(shards) - most; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
}
