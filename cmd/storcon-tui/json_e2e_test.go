package main

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

func TestStatusAndPlanInJSON(t *testing.T) {
	t.Parallel()
	demo := startDemo(t, server.Options{Nodes: 4, Tenants: 400, Seed: 7})
	c, err := client.New(client.Config{BaseURL: demo.ControllerURL()})
	require.NoError(t, err)
	defer c.CloseIdle()
	pause := client.PolicyPause
	require.NoError(t, c.ConfigureNode(t.Context(), client.NodeConfig{NodeID: 3, Scheduling: &pause}))

	var status statusReport
	got := execute(t, "status", "-o", "json", "--url", demo.ControllerURL())
	require.Equal(t, 0, got.code, got.errors)
	require.NoError(t, json.Unmarshal([]byte(got.out), &status))
	require.Equal(t, statusVersion, status.Version)
	require.Len(t, status.Nodes, 4)
	require.Positive(t, *status.Nodes[0].Attached)
	require.NotNil(t, status.Nodes[0].Build)
	require.NotNil(t, status.Controller.StartedAt)
	require.Len(t, status.LeftOver, 1)
	require.Equal(t, client.NodeID(3), status.LeftOver[0].Node)
	require.NotContains(t, got.out, `[]null`)

	var plan planReport
	got = execute(t, "plan", "-o", "json", "--url", demo.ControllerURL(), "1", "3")
	require.NoError(t, json.Unmarshal([]byte(got.out), &plan), got.out+got.errors)
	require.Equal(t, planVersion, plan.Version)
	require.Len(t, plan.Steps, 1)
	require.Equal(t, []string{"PUT /control/v1/node/1/drain", "PUT /control/v1/node/1/fill"}, plan.Steps[0].Calls)
	require.Nil(t, plan.Steps[0].Restart, "no restart command is configured")
	require.NotEmpty(t, plan.Steps[0].Landing)
	require.NotEmpty(t, plan.Steps[0].Stay)
	require.Equal(t, client.NodeID(3), plan.LeftOut[0].Node)
	require.NotEmpty(t, plan.Gates)

	for _, call := range demo.Calls() {
		if call.Method != http.MethodGet {
			require.Equal(t, "/control/v1/node/3/config", call.Path, "the test's own call is the only one that is no read")
		}
	}
}

// Figures that are not known are null: with no /metrics there are no counts,
// and no zeros (T7).
func TestUnknownFiguresAreNull(t *testing.T) {
	t.Parallel()
	demo := startDemo(t, server.Options{Nodes: 2, Tenants: 2})
	require.NoError(t, demo.AddFault(server.Fault{Path: "^/metrics", Method: http.MethodGet, Count: 100, Kind: "status", Value: "500"}))
	got := execute(t, "status", "-o", "json", "--url", demo.ControllerURL())
	require.Equal(t, 0, got.code, got.errors)
	var status statusReport
	require.NoError(t, json.Unmarshal([]byte(got.out), &status))
	require.Nil(t, status.Controller.Attached)
	require.Nil(t, status.Nodes[0].Attached)
	require.Equal(t, "metrics", status.Problems[0].Part)
}

// docs/json.md names every field.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/json.md")
	require.NoError(t, err)
	for _, report := range []any{statusReport{}, planReport{}, exportReport{}, watchLine{}} {
		for _, name := range fieldsOf(reflect.TypeOf(report)) {
			require.Regexp(t, `[\x60.]`+name+`(\[\])?[\x60.]`, string(text), name)
		}
	}
}

// fieldsOf are the JSON names in a type, those of nested types included.
func fieldsOf(of reflect.Type) []string {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[statusReport]().PkgPath() {
		return nil
	}
	var names []string
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		names = append(append(names, name), fieldsOf(of.Field(i).Type)...)
	}
	return names
}
