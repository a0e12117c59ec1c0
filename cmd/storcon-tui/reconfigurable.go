package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/StorconTUI/storcon-tui/client/postgres"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
)

// reconfigurable are the present computes with all that a new spec needs.
func (c *connection) reconfigurable() []reconfigure.Compute {
	entries := c.computes.entries()
	computes := make([]reconfigure.Compute, len(entries))
	for i, one := range entries {
		computes[i] = reconfigure.Compute{Name: one.Name, URL: one.URL, Client: one.client, From: one.Spec.String()}
		if !one.Spec.None() {
			computes[i].LastKnown = one.Spec.Read
		}
		if !one.Connection.None() {
			computes[i].Settings = func(ctx context.Context, names []string) (map[string]postgres.Setting, error) {
				return c.settingsOf(ctx, one, names)
			}
		}
	}
	return computes
}

// settingsOf asks a compute's Postgres for settings that it has in use.
func (c *connection) settingsOf(ctx context.Context, one rosterEntry, names []string) (map[string]postgres.Setting, error) {
	line, err := one.Connection.ReadLine(ctx)
	if err != nil {
		return nil, err
	}
	c.secrets.Add(line)
	return postgres.Settings(ctx, line, names)
}

// list lists the computes anew. A list that cannot be had matters where it would have
// had one of those that are named; else what it may lack is said.
func (c *connection) list(ctx context.Context, names []string) error {
	err := c.computes.refresh(ctx)
	if err == nil {
		return nil
	}
	entries := c.computes.entries()
	for _, name := range names {
		if !slices.ContainsFunc(entries, func(e rosterEntry) bool { return e.Name == name }) {
			return err
		}
	}
	fmt.Fprintln(c.stderr, message(fmt.Errorf("not all computes may be known: %w", err)))
	return nil
}
