package compute

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// Located is what the controller says of a tenant's shards, as what a spec says.
func Located(said client.Locations) (PageserverInfo, error) {
	info := PageserverInfo{Count: said.Count, Shards: make([]ShardPlace, max(1, said.Count))}
	if said.StripeSize != nil {
		info.Stripe = int64(*said.StripeSize)
	}
	for _, one := range said.Shards {
		_, index, sharded := strings.Cut(string(one.Shard), "-")
		if !sharded {
			index = shardIndexOf(0, 0)
		}
		place := ShardPlace{Index: strings.ToLower(index), Node: uint64(one.Node), Libpq: net.JoinHostPort(one.PgHost, strconv.Itoa(one.PgPort))}
		if one.GRPCHost != nil && one.GRPCPort != nil {
			place.GRPC = net.JoinHostPort(*one.GRPCHost, strconv.Itoa(*one.GRPCPort))
		}
		number, err := strconv.ParseUint(place.Index[:min(2, len(place.Index))], 16, 8)
		if err != nil || int(number) >= len(info.Shards) || place.Index != shardIndexOf(int(number), said.Count) {
			return PageserverInfo{}, fmt.Errorf("the controller's answer for shard %s is not of a tenant with shard count %d", one.Shard, said.Count)
		}
		info.Shards[number] = place
	}
	switch gap := info.gap(); {
	case gap != "":
		return PageserverInfo{}, fmt.Errorf("the controller's answer has no pageserver for shard %s", gap)
	case info.Count > 1 && info.Stripe <= 0:
		return PageserverInfo{}, fmt.Errorf("the controller's answer has no stripe size for %d shards", info.Count)
	}
	return info, nil
}

// Repoint is s with the pageservers that the controller says (contract B.12): always as
// pageserver_connection_info, which older compute_ctl ignore, and in the old forms where
// s has them, so that none is stale. What stands around an address in a URL stays, such
// as the user, and so does the protocol that is preferred.
func (s Spec) Repoint(said client.Locations) (Spec, error) {
	now, err := Located(said)
	if err != nil {
		return Spec{}, fmt.Errorf("re-point: %w", err)
	}
	was, _ := s.members()[string(SourceInfo)].(map[string]any)
	now.GRPC = was["prefer_protocol"] == "grpc"
	if gap := now.gap(); gap != "" {
		return Spec{}, fmt.Errorf("re-point: the spec prefers gRPC, and the pageserver of shard %s has no gRPC address", gap)
	}
	libpq, grpc, err := s.wrappings()
	if err != nil {
		return Spec{}, fmt.Errorf("re-point: %w", err)
	}
	out := maps.Clone(s.members())
	var stripe any
	if now.Count > 0 && now.Stripe > 0 {
		stripe = json.Number(strconv.FormatInt(now.Stripe, 10))
	}
	out[string(SourceInfo)] = connectionInfoOf(was, now, stripe, libpq, grpc)
	set := map[string]string{SettingPageservers: connstringsOf(now, libpq)}
	if now.Count > 1 {
		set[SettingStripe] = strconv.FormatInt(now.Stripe, 10)
	}
	_, sized := out["shard_stripe_size"]
	if out[string(SourceConnstring)] != nil {
		out[string(SourceConnstring)], sized = set[SettingPageservers], true
	}
	if sized {
		put(out, "shard_stripe_size", stripe)
	}
	replaceSettings(out, set)
	return specOf(out, nil), nil
}

// put writes a member, but no null where nothing stands: that is the same to compute_ctl
// and a difference to whoever compares.
func put(in map[string]any, name string, value any) {
	if _, there := in[name]; there || value != nil {
		in[name] = value
	}
}

// wrapping is what stands around the address in a URL.
type wrapping struct {
	before, after string
	taken         bool // from the spec
}

func (w wrapping) around(address string) string { return w.before + address + w.after }

// around any, or null.
func (w wrapping) orNull(address string) any {
	if address == "" {
		return nil
	}
	return w.around(address)
}

// wrappings are those of the first pageservers that s names now.
func (s Spec) wrappings() (libpq, grpc wrapping, err error) {
	libpq, grpc = wrapping{before: "postgres://no_user@"}, wrapping{before: "grpc://no_user@"}
	if info, ok := s.members()[string(SourceInfo)].(map[string]any); ok {
		shards, _ := info["shards"].(map[string]any)
		for _, index := range slices.Sorted(maps.Keys(shards)) {
			shard, _ := shards[index].(map[string]any)
			list, _ := shard["pageservers"].([]any)
			for _, one := range list {
				pageserver, _ := one.(map[string]any)
				if err := errors.Join(libpq.take(pageserver["libpq_url"]), grpc.take(pageserver["grpc_url"])); err != nil {
					return libpq, grpc, err
				}
			}
		}
		return libpq, grpc, nil
	}
	said, _ := s.members()[string(SourceConnstring)].(string)
	if said == "" {
		said, _, _ = setting(s.members(), SettingPageservers)
	}
	for one := range strings.SplitSeq(said, ",") {
		if err := libpq.take(one); err != nil {
			return libpq, grpc, err
		}
	}
	return libpq, grpc, nil
}

// take takes over what stands around the address in a connection string.
func (w *wrapping) take(value any) error {
	said, _ := value.(string)
	said = strings.TrimSpace(said)
	if parts := pageserverURL.FindStringSubmatch(said); parts != nil {
		if !w.taken {
			*w = wrapping{before: parts[1] + "://" + parts[2], after: parts[5], taken: true}
		}
	} else if strings.TrimSpace(dsnPart.ReplaceAllString(said, "")) != "" {
		return errors.New("a pageserver's connection string is no URL and has more than host and port: write the new addresses as a patch")
	}
	return nil
}

// connectionInfoOf is now in today's form; members of was that are not known here stay,
// and so do the shards that have not moved.
func connectionInfoOf(was map[string]any, now PageserverInfo, stripe any, libpq, grpc wrapping) map[string]any {
	info := maps.Clone(was)
	if info == nil {
		info = map[string]any{"prefer_protocol": "libpq"}
	}
	before, _ := was["shards"].(map[string]any)
	shards := map[string]any{}
	for _, shard := range now.Shards {
		old, _ := before[shard.Index].(map[string]any)
		if stands := (&checker{}).shard(spot{}, old, shard.Index, now.GRPC); stands.Node == shard.Node &&
			strings.EqualFold(stands.Libpq, shard.Libpq) && strings.EqualFold(stands.GRPC, shard.GRPC) {
			shards[shard.Index] = old
			continue
		}
		one := map[string]any{"id": nil, "libpq_url": libpq.orNull(shard.Libpq), "grpc_url": grpc.orNull(shard.GRPC)}
		if shard.Node != 0 {
			one["id"] = json.Number(strconv.FormatUint(shard.Node, 10))
		}
		shards[shard.Index] = map[string]any{"pageservers": []any{one}}
	}
	info["shard_count"] = json.Number(strconv.Itoa(now.Count))
	put(info, "stripe_size", stripe)
	info["shards"] = shards
	return info
}

func connstringsOf(now PageserverInfo, libpq wrapping) string {
	all := make([]string, len(now.Shards))
	for i, shard := range now.Shards {
		all[i] = libpq.around(shard.Libpq)
	}
	return strings.Join(all, ",")
}

// replaceSettings gives the settings that are there new values.
func replaceSettings(tree map[string]any, set map[string]string) {
	cluster, _ := tree["cluster"].(map[string]any)
	settings, _ := cluster["settings"].([]any)
	out := slices.Clone(settings)
	changed := false
	for i, entry := range out {
		if value, ok := set[entryName(entry)]; ok {
			one := maps.Clone(entry.(map[string]any))
			one["value"] = value
			out[i], changed = one, true
		}
	}
	if changed {
		cluster = maps.Clone(cluster)
		cluster["settings"] = out
		tree["cluster"] = cluster
	}
}
