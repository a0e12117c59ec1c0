// Package goldentest compares drawn frames with those kept in testdata: every
// size of terminal that is promised to work, on dark, light and without colour.
//
// go test ./ui/... -update writes them anew; look at them before committing.
package goldentest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/themes"
)

// Sizes are the terminals of the frames, in cells.
var Sizes = [][2]int{{80, 24}, {120, 40}, {200, 50}}

// Look is a theme on a terminal.
type Look struct {
	Name    string
	Theme   string
	Options themes.Options
}

// Looks are what every frame is drawn in.
var Looks = []Look{
	{"dark", "dark", themes.Options{Profile: termenv.TrueColor}},
	{"light", "light", themes.Options{Profile: termenv.TrueColor}},
	{"no-color", "dark", themes.Options{Profile: termenv.TrueColor, NoColor: true}},
}

// Styles loads a look's styles.
func Styles(t testing.TB, l Look) *themes.Styles {
	t.Helper()
	s, err := themes.Load(l.Theme, l.Options)
	require.NoError(t, err)
	return s
}

// Frames draws a frame in every look and size, requires it to be exactly so
// many cells and compares it with testdata/TEST/LOOK/WxH.golden. The screen
// must give the same frame whenever it is drawn again.
func Frames(t *testing.T, draw func(s *themes.Styles, w, h int) []string) {
	t.Helper()
	for _, look := range Looks {
		for _, size := range Sizes {
			w, h := size[0], size[1]
			t.Run(fmt.Sprintf("%s/%dx%d", look.Name, w, h), func(t *testing.T) {
				lines := draw(Styles(t, look), w, h)
				Exact(t, lines, w, h)
				golden.RequireEqual(t, []byte(strings.Join(lines, "\n")+"\n"))
			})
		}
	}
}

// Exact requires exactly h lines of exactly w cells.
func Exact(t require.TestingT, lines []string, w, h int) {
	require.Len(t, lines, h)
	for i, line := range lines {
		require.Equal(t, w, ansi.StringWidth(line), "line %d: %q", i, line)
	}
}
