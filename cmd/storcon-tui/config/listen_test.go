package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhereMetricsAreServed(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:9464": "127.0.0.1:9464",
		"9464":           "127.0.0.1:9464",
		"0":              "127.0.0.1:0",
		":9464":          ":9464",
		"[::1]:9464":     "[::1]:9464",
		"off":            "",
	} {
		got, err := parseListen(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", ":", "localhost", "localhost:", "::1", "127.0.0.1:70000", "http://127.0.0.1:1", "a:b:1"} {
		_, err := parseListen(text)
		require.ErrorContains(t, err, "expected HOST:PORT", text)
	}
}

func TestMetricsFlagWinsOverTheFile(t *testing.T) {
	path := write(t, "metrics_addr = \"9464\"\n[clusters.one]\nurl = \"http://one:1\"\n")
	for flag, want := range map[string]string{"": "127.0.0.1:9464", ":1": ":1", "off": ""} {
		s, err := Resolve(Flags{Config: path, Metrics: flag})
		require.NoError(t, err)
		require.Equal(t, want, s.Metrics)
	}
	_, err := Resolve(Flags{Config: path, Metrics: "nowhere"})
	require.ErrorContains(t, err, `--metrics-addr: expected HOST:PORT such as "127.0.0.1:9464"`)
	_, err = Load(write(t, "metrics_addr = \"nowhere\"\n"))
	require.ErrorContains(t, err, ":1: key metrics_addr: expected HOST:PORT")
}
