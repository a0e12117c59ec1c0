package compute

import (
	"strconv"
	"strings"
)

// SettingPageservers and SettingStripe are what compute_ctl makes of a spec's
// pageservers for Postgres.
const (
	SettingPageservers = string(SourceSetting)
	SettingStripe      = "neon.stripe_size"
)

// PageserverSettings says by name what Postgres has in use once s is in effect: of
// SettingPageservers the addresses alone, as Addresses gives them. It is nil where that
// is not known, as of a spec that prefers gRPC.
func (s Spec) PageserverSettings() map[string]string {
	info, ok := s.Pageservers()
	if !ok || info.GRPC {
		return nil
	}
	all := make([]string, len(info.Shards))
	for i, shard := range info.Shards {
		all[i] = shard.Libpq
	}
	out := map[string]string{SettingPageservers: strings.Join(all, ",")}
	if info.Count > 1 {
		out[SettingStripe] = strconv.FormatInt(info.Stripe, 10)
	}
	return out
}

// Addresses is the value of SettingPageservers with the address of each shard's
// pageserver, and without its user and password. What is no connection string is "?".
func Addresses(connstrings string) string {
	var all []string
	for one := range strings.SplitSeq(connstrings, ",") {
		address := (&checker{}).address(spot{}, one, true, "postgres", "postgresql")
		if address == "" {
			address = "?"
		}
		all = append(all, address)
	}
	return strings.Join(all, ",")
}
