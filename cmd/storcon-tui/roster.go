package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// roster is which computes the cluster has: those of the configuration, and those that
// its command lists. A list that cannot be had leaves the last one in place. It is
// safe for use by several goroutines.
type roster struct {
	dial func(config.Compute) (*compute.Client, error)

	fixed []config.Compute
	list  func(context.Context) ([]config.Compute, error) // nil = fixed are all

	mu      sync.Mutex
	now     []rosterEntry
	retired []*compute.Client // of computes that are not listed any more
}

type rosterEntry struct {
	config.Compute
	client *compute.Client
}

// begin takes the configured computes in; nothing is listed yet.
func (r *roster) begin(c config.Cluster) error {
	r.fixed = c.Computes
	if c.ListsComputes() {
		r.list = c.ListComputes
	}
	return r.take(nil)
}

// refresh lists anew.
func (r *roster) refresh(ctx context.Context) error {
	if r.list == nil {
		return nil
	}
	listed, err := r.list(ctx)
	if listed != nil { // with an error too: some that it has could not be read
		err = errors.Join(err, r.take(listed))
	}
	return err
}

// take makes those of the configuration and the listed ones the present ones. The
// configuration's word stands where both name a compute. Who stays the same keeps its
// client, with its connections and its token.
func (r *roster) take(listed []config.Compute) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	had := map[string]rosterEntry{}
	for _, one := range r.now {
		had[one.Name] = one
	}
	var now []rosterEntry
	for _, one := range slices.Concat(r.fixed, listed) {
		if slices.ContainsFunc(now, func(e rosterEntry) bool { return e.Name == one.Name }) {
			continue
		}
		entry, ok := had[one.Name]
		if !ok || !reflect.DeepEqual(entry.Compute, one) {
			made, err := r.dial(one)
			if err != nil {
				return fmt.Errorf("compute %s: %w", one.Name, err)
			}
			entry = rosterEntry{Compute: one, client: made}
		}
		now = append(now, entry)
	}
	r.now = now
	r.retire(had)
	return nil
}

// retire lets go of the clients that are not in use any more. An answer may still be
// under way to one, so that its connections are closed again at the end.
func (r *roster) retire(had map[string]rosterEntry) {
	for _, one := range r.now {
		if had[one.Name].client == one.client {
			delete(had, one.Name)
		}
	}
	for _, one := range had {
		one.client.CloseIdle()
		r.retired = append(r.retired, one.client)
	}
}

// entries are the present computes, those of the configuration first.
func (r *roster) entries() []rosterEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// sources are the present computes as the poller asks them.
func (r *roster) sources() []cluster.ComputeSource {
	entries := r.entries()
	sources := make([]cluster.ComputeSource, len(entries))
	for i, one := range entries {
		sources[i] = cluster.ComputeSource{
			Name: one.Name, URL: one.URL, Spec: one.Spec.String(), Fetch: one.client.Status, Startup: one.client.Startup,
		}
	}
	return sources
}

// discover lists anew for the poller; nil where the configuration has all of them.
func (r *roster) discover() func(context.Context) ([]cluster.ComputeSource, error) {
	if r.list == nil {
		return nil
	}
	return func(ctx context.Context) ([]cluster.ComputeSource, error) {
		err := r.refresh(ctx)
		if err != nil {
			err = errors.New(client.Clean(strings.ReplaceAll(err.Error(), "\n", "; "))) // it stands on one line of a screen
		}
		return r.sources(), err
	}
}

func (r *roster) closeIdle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.now {
		one.client.CloseIdle()
	}
	for _, one := range r.retired {
		one.CloseIdle()
	}
}
