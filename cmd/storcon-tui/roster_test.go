package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
)

// Who stays the same keeps its client, whatever comes and goes beside it; a list that
// cannot be had changes nothing; one that could be read in part is taken.
func TestRoster(t *testing.T) {
	dialled := 0
	var listed []config.Compute
	var broken error
	r := roster{
		dial: func(one config.Compute) (*compute.Client, error) {
			dialled++
			return compute.New(client.Config{BaseURL: one.URL})
		},
		fixed: []config.Compute{{Name: "a", URL: "http://a:1", Spec: config.Source{File: "a.json"}}},
		list:  func(context.Context) ([]config.Compute, error) { return listed, broken },
	}
	addresses := func() []string {
		var all []string
		for _, s := range r.sources() {
			all = append(all, s.Name+" "+s.URL)
		}
		return all
	}
	require.NoError(t, r.take(nil))
	require.Equal(t, []string{"a http://a:1"}, addresses())

	listed = []config.Compute{{Name: "b", URL: "http://b:1"}, {Name: "a", URL: "http://elsewhere:1"}}
	require.NoError(t, r.refresh(t.Context()))
	require.Equal(t, []string{"a http://a:1", "b http://b:1"}, addresses(), "the configuration's word stands")
	require.Equal(t, 2, dialled)
	kept := r.entries()

	listed = []config.Compute{{Name: "c", URL: "http://c:1"}, {Name: "b", URL: "http://b:1"}}
	require.NoError(t, r.refresh(t.Context()))
	require.Equal(t, []string{"a http://a:1", "c http://c:1", "b http://b:1"}, addresses())
	require.Equal(t, 3, dialled)
	require.Same(t, kept[1].client, r.entries()[2].client)

	listed, broken = nil, errors.New("exit status 1")
	_, err := r.discover()(t.Context())
	require.EqualError(t, err, "exit status 1")
	require.Len(t, r.entries(), 3)

	listed, broken = []config.Compute{{Name: "b", URL: "http://moved:1"}}, errors.New("c.json:\nno JSON\x1b")
	_, err = r.discover()(t.Context())
	require.EqualError(t, err, `c.json:; no JSON\x1b`)
	require.Equal(t, []string{"a http://a:1", "b http://moved:1"}, addresses())
	require.Equal(t, 4, dialled)
	require.Len(t, r.retired, 2)
	r.closeIdle()
}
