// Package postgres reads the settings of a compute's Postgres through SQL: what it has
// in use, whatever compute_ctl answered (contract B.13). It changes nothing, and it knows
// neither specs nor compute_ctl.
package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/StorconTUI/storcon-tui/client"
)

// timeout bounds connecting and asking together.
const timeout = 5 * time.Second

// Setting is a setting as Postgres has it in use.
type Setting struct {
	Value   string // with its unit, as SHOW prints it
	Raw     string // in the setting's own unit
	Unit    string // "" = none
	Restart bool   // another value waits for a restart
}

// Settings reads the settings that are named; one that Postgres does not know is missing
// in the answer. The connection string is libpq's, and no error has a word of it.
func Settings(ctx context.Context, connection string, names []string) (map[string]Setting, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cfg, err := pgx.ParseConfig(connection)
	if err != nil {
		return nil, fmt.Errorf("ask Postgres: the connection string is none that can be read") // what pgx says may quote it
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // a pooler may stand in between
	cfg.RuntimeParams["application_name"] = "storcon-tui"
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, failed("connect to Postgres", err, cfg.Password)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // it was only read
	rows, err := conn.Query(ctx, `select name, current_setting(name), coalesce(setting, ''), coalesce(unit, ''), pending_restart
 from pg_settings where name = any(string_to_array($1, chr(10)))`, strings.Join(names, "\n"))
	if err != nil {
		return nil, failed("read pg_settings", err, cfg.Password)
	}
	out := map[string]Setting{}
	var name string
	var s Setting
	_, err = pgx.ForEachRow(rows, []any{&name, &s.Value, &s.Raw, &s.Unit, &s.Restart}, func() error {
		out[name] = Setting{Value: client.Clean(s.Value), Raw: client.Clean(s.Raw), Unit: client.Clean(s.Unit), Restart: s.Restart}
		return nil
	})
	if err != nil {
		return nil, failed("read pg_settings", err, cfg.Password)
	}
	return out, nil
}

// failed says what went wrong in words that may be shown.
func failed(doing string, err error, password string) error {
	text := client.Clean(err.Error())
	if password != "" {
		text = strings.ReplaceAll(text, password, "(secret)")
	}
	return fmt.Errorf("%s: %s", doing, text)
}

// Equals compares a setting with what was asked for: 64MB is 65536kB, and on is true.
func (s Setting) Equals(want string) bool {
	for _, have := range []string{s.Value, s.Raw} {
		if strings.EqualFold(have, want) {
			return true
		}
	}
	if a, ok := boolean(want); ok {
		b, ok := boolean(s.Raw)
		if ok {
			return a == b
		}
	}
	a, ok := amount(want, s.Unit)
	b, ok2 := amount(s.Raw, s.Unit)
	return ok && ok2 && a == b
}

func boolean(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "on", "true", "yes", "1":
		return true, true
	case "off", "false", "no", "0":
		return false, true
	}
	return false, false
}

// units are Postgres's, in bytes and in microseconds; "" is a plain number.
var units = map[string]float64{
	"":  1,
	"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40,
	"us": 1, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6, "d": 86400e6,
}

// amount reads "64MB", "16384" of a setting whose own unit is 8kB, or "0.5".
func amount(s, own string) (float64, bool) {
	s = strings.TrimSpace(s)
	unit := own
	if end := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.-+eE", r) }); end >= 0 {
		s, unit = s[:end], strings.TrimSpace(s[end:])
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return 0, false
	}
	if digits := strings.IndexFunc(unit, func(r rune) bool { return r < '0' || r > '9' }); digits > 0 {
		many, err := strconv.ParseFloat(unit[:digits], 64)
		if err != nil {
			return 0, false
		}
		n, unit = n*many, unit[digits:]
	}
	times, ok := units[unit]
	return n * times, ok
}
