package themes

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"
)

// colourSGR finds a parameter that sets a foreground or background colour.
var colourSGR = regexp.MustCompile(`\x1b\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7]|2)(;[0-9;]*)?m`)

func all(s *Styles) map[string]Style {
	m := map[string]Style{}
	for name, at := range tokens {
		m[name] = *at(s)
	}
	return m
}

func TestEveryBuiltInThemeSetsEveryStyle(t *testing.T) {
	require.Equal(t, []string{"dark", "light", "mono"}, Names())
	for _, name := range Names() {
		f, err := builtin(name)
		require.NoError(t, err)
		require.Len(t, f.Styles, len(tokens), name)
	}
}

func TestNoColorKeepsReverseAndBold(t *testing.T) {
	for _, name := range Names() {
		for _, o := range []Options{
			{Profile: termenv.TrueColor, NoColor: true},
			{Profile: termenv.Ascii},
		} {
			s, err := Load(name, o)
			require.NoError(t, err)
			for token, st := range all(s) {
				require.NotRegexp(t, colourSGR, st.on, "%s %s", name, token)
			}
			require.Equal(t, "\x1b[7m", s.Selected.on)
			require.Contains(t, s.Badge.on, "7")
			require.Contains(t, s.Strong.on, "1")
		}
	}
}

func TestBodyKeepsTheTerminalsForeground(t *testing.T) {
	for _, name := range Names() {
		s, err := Load(name, Options{Profile: termenv.TrueColor})
		require.NoError(t, err)
		require.Equal(t, Style{}, s.Text, name)
		require.Equal(t, "plain", s.Text.Render("plain"))
	}
}

// T20: a white background swallows these of the sixteen colours, a black one
// those; terminals with sixteen colours must get neither.
func TestSixteenColoursAreLegible(t *testing.T) {
	swallowed := map[string][]string{
		"light": {"3", "6", "7", "10", "11", "12", "13", "14", "15"},
		"dark":  {"0", "1", "4"},
	}
	for name, bad := range swallowed {
		f, err := builtin(name)
		require.NoError(t, err)
		for token, s := range f.Styles {
			require.False(t, slices.Contains(bad, s.FG16), "%s: %s uses colour %s", name, token, s.FG16)
			require.Empty(t, s.BG, "%s: %s sets a background", name, token)
		}
	}
}

func TestSixteenColourTerminalGetsItsOwnColours(t *testing.T) {
	s, err := Load("light", Options{Profile: termenv.ANSI})
	require.NoError(t, err)
	require.Equal(t, "\x1b[1;31m", s.Bad.on)
}

func TestUserTheme(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.toml")
	require.NoError(t, os.WriteFile(path, []byte("background = \"light\"\n[styles]\nbad = { fg = \"#ff0000\" }\n"), 0o600))

	byPath, err := Load(path, Options{Profile: termenv.TrueColor})
	require.NoError(t, err)
	byName, err := Load("mine", Options{Profile: termenv.TrueColor, Dirs: []string{dir}})
	require.NoError(t, err)
	require.Equal(t, byPath, byName)
	require.Equal(t, "mine", byPath.Name)
	require.Contains(t, byPath.Bad.on, "38;2;255;0;0")
	light, err := Load("light", Options{Profile: termenv.TrueColor})
	require.NoError(t, err)
	require.Equal(t, light.Warn, byPath.Warn, "what a theme leaves out comes from the built-in one")
}

func TestMistakesAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":        {"name = \"x\"\ncolour = 1\n", "t.toml:2: colour: no such key"},
		"unknown style":      {"[styles]\ntext = {}\nbda = { bold = true }\n", "t.toml:3: styles.bda: no such style; there are accent, bad"},
		"unknown attribute":  {"[styles]\ntext = {}\nbad = { blink = true }\n", "t.toml:3: styles.bad.blink: no such key"},
		"sub-table":          {"[styles.bad]\nbold = true\nblink = true\n", "t.toml:3: styles.bad.blink: no such key"},
		"wrong type":         {"name = \"x\"\n\n[styles]\nbad = { bold = 3 }\n", "t.toml:4: styles.bad.bold: expected boolean, got int64"},
		"wrong colour":       {"[styles]\nbad = { fg = \"red\" }\n", "t.toml:2: styles.bad.fg: \"red\" is no colour; expected #rrggbb or 0 to 255"},
		"wrong small colour": {"[styles]\nbad = { fg16 = \"16\" }\n", "t.toml:2: styles.bad.fg16: \"16\" is no colour; expected 0 to 15"},
		"wrong background":   {"background = \"pink\"\n", "t.toml:1: background: \"pink\" is neither"},
		"not toml":           {"name = \n", "t.toml:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "t.toml")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := Load(path, Options{})
			require.ErrorContains(t, err, c.want)
			require.True(t, strings.HasPrefix(err.Error(), path))
		})
	}
	_, err := Load("drak", Options{})
	require.ErrorContains(t, err, `no theme named "drak"; there are dark, light, mono`)
	_, err = Load("/no/such.toml", Options{})
	require.ErrorContains(t, err, "read theme")
}
