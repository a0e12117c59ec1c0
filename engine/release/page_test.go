package release

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	pagePath = "../../docs/watching.md"
	tableHas = "| Anomaly | What it means | What is usually done |\n|---|---|---|\n"
)

var updatePage = flag.Bool("update", false, "write the table of docs/watching.md anew")

// TestWatchingPage: the page has what a screen says of each anomaly. With -update its
// table, which is the last thing in it, is written anew.
func TestWatchingPage(t *testing.T) {
	have, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	text, _, ok := strings.Cut(string(have), tableHas)
	require.True(t, ok, "%s has no table", pagePath)
	want := text + tableHas
	for _, k := range Kinds() {
		want += fmt.Sprintf("| %s | %s | %s |\n", k, k.Means(), k.Usually())
	}
	if *updatePage {
		require.NoError(t, os.WriteFile(pagePath, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(have), "stale: go test ./engine/release -run TestWatchingPage -update")
}
