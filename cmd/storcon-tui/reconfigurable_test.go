package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// rostered is a connection that knows these computes.
func rostered(t *testing.T, computes ...config.Compute) (*connection, *bytes.Buffer) {
	t.Helper()
	var said bytes.Buffer
	c := &connection{secrets: &journal.Redactor{}, stderr: &said}
	c.computes.dial = func(one config.Compute) (*compute.Client, error) {
		return compute.New(client.Config{BaseURL: one.URL})
	}
	c.computes.fixed = computes
	require.NoError(t, c.computes.take(nil))
	return c, &said
}

// A connection string is read when settings are asked for and stays out of what is said.
func TestSettingsThroughSQL(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	connection := "postgres://ann:hunter2-marked@" + address + "/app?sslmode=disable"
	t.Setenv("STORCON_TUI_CONNECTION", connection+"\n")
	c, _ := rostered(
		t,
		config.Compute{Name: "a", URL: "http://a:1", Connection: config.Source{Env: "STORCON_TUI_CONNECTION"}},
		config.Compute{Name: "b", URL: "http://b:1", Spec: config.Source{File: "b.json"}},
	)
	computes := c.reconfigurable()
	require.NotNil(t, computes[0].Settings)
	require.Nil(t, computes[0].LastKnown)
	require.Nil(t, computes[1].Settings, "no connection is configured")
	require.NotNil(t, computes[1].LastKnown)
	require.Equal(t, "file b.json", computes[1].From)

	_, err = computes[0].Settings(t.Context(), []string{"work_mem"})
	require.ErrorContains(t, err, "connect to Postgres")
	require.NotContains(t, err.Error(), "hunter2")
	require.Equal(t, journal.Redacted, c.secrets.Redact(connection))
}

// A list that cannot be had is no reason to leave those alone that are known without it.
func TestListThatCannotBeHad(t *testing.T) {
	c, said := rostered(t, config.Compute{Name: "a", URL: "http://a:1"})
	c.computes.list = func(context.Context) ([]config.Compute, error) { return nil, errors.New("exit status 1") }
	require.NoError(t, c.list(t.Context(), []string{"a"}))
	require.Equal(t, "storcon-tui: not all computes may be known: exit status 1\n", said.String())
	require.EqualError(t, c.list(t.Context(), []string{"a", "b"}), "exit status 1")
	c.computes.list = func(context.Context) ([]config.Compute, error) { return nil, nil }
	require.NoError(t, c.list(t.Context(), []string{"b"}), "the engine names those that there are")
}
