package themes

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

//go:embed *.toml
var embedded embed.FS

// Options is what the terminal can do.
type Options struct {
	// Profile is the terminal's range of colours. Ascii stands for a terminal
	// without colour; bold, underline and reverse are used all the same, for
	// without them no selection would be visible.
	Profile termenv.Profile
	// NoColor is set when the NO_COLOR variable is: no colour, nor grey by way
	// of faint text; bold, underline and reverse stay.
	NoColor bool
	// Dirs are looked through for NAME.toml before the built-in themes.
	Dirs []string
}

// Names lists the built-in themes in alphabetical order.
func Names() []string {
	entries, err := embedded.ReadDir(".")
	if err != nil {
		return nil // an embedded directory can always be read
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	slices.Sort(names)
	return names
}

// Load reads a theme by the name of a built-in one, by the name of NAME.toml in one
// of Options.Dirs, or by a path (anything with a slash or ending in .toml). A
// theme states only what differs: a style that it leaves out is taken
// from the built-in theme of its background.
func Load(name string, o Options) (*Styles, error) {
	path, text, err := read(name, o.Dirs)
	if err != nil {
		return nil, err
	}
	f, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	base := f.Background
	if base == "" {
		base = "mono"
	}
	def, err := builtin(base)
	if err != nil {
		return nil, err
	}
	for token, s := range def.Styles {
		if _, set := f.Styles[token]; !set {
			if f.Styles == nil {
				f.Styles = map[string]spec{}
			}
			f.Styles[token] = s
		}
	}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(path), ".toml")
	}
	return build(f, o), nil
}

func builtin(name string) (file, error) {
	text, err := embedded.ReadFile(name + ".toml")
	if err != nil {
		return file{}, fmt.Errorf("theme %q: not built in", name)
	}
	return parse(name+".toml", text)
}

func read(name string, dirs []string) (path string, text []byte, err error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".toml") {
		text, err = os.ReadFile(name)
		if err != nil {
			return "", nil, fmt.Errorf("read theme: %w", err)
		}
		return name, text, nil
	}
	for _, dir := range dirs {
		path = filepath.Join(dir, name+".toml")
		if text, err = os.ReadFile(path); err == nil {
			return path, text, nil
		}
		if !os.IsNotExist(err) {
			return "", nil, fmt.Errorf("read theme: %w", err)
		}
	}
	text, err = embedded.ReadFile(name + ".toml")
	if err != nil {
		return "", nil, fmt.Errorf("no theme named %q; there are %s, or give the path of a .toml file",
			name, strings.Join(Names(), ", "))
	}
	return name + ".toml", text, nil
}

// tokens maps the names of a theme file to the styles that screens use.
var tokens = map[string]func(*Styles) *Style{
	"text":     func(s *Styles) *Style { return &s.Text },
	"dim":      func(s *Styles) *Style { return &s.Dim },
	"strong":   func(s *Styles) *Style { return &s.Strong },
	"title":    func(s *Styles) *Style { return &s.Title },
	"rule":     func(s *Styles) *Style { return &s.Rule },
	"good":     func(s *Styles) *Style { return &s.Good },
	"warn":     func(s *Styles) *Style { return &s.Warn },
	"bad":      func(s *Styles) *Style { return &s.Bad },
	"busy":     func(s *Styles) *Style { return &s.Busy },
	"accent":   func(s *Styles) *Style { return &s.Accent },
	"selected": func(s *Styles) *Style { return &s.Selected },
	"marked":   func(s *Styles) *Style { return &s.Marked },
	"bar":      func(s *Styles) *Style { return &s.Bar },
	"key":      func(s *Styles) *Style { return &s.Key },
	"danger":   func(s *Styles) *Style { return &s.Danger },
	"badge":    func(s *Styles) *Style { return &s.Badge },
}

func tokenNames() []string {
	names := make([]string, 0, len(tokens))
	for name := range tokens {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// build makes the styles with a renderer of its own, so that neither tests nor
// a second theme touch lipgloss's global one.
func build(f file, o Options) *Styles {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(o.Profile)
	noColor := o.NoColor || o.Profile == termenv.Ascii
	if noColor {
		r.SetColorProfile(termenv.ANSI) // Ascii would drop reverse and bold too
	}
	styles := &Styles{Name: f.Name}
	for name, at := range tokens {
		*at(styles) = take(r, f.Styles[name], noColor, o.Profile)
	}
	return styles
}

// take renders a marker once and keeps what stands around it.
func take(r *lipgloss.Renderer, s spec, noColor bool, p termenv.Profile) Style {
	const marker = "x"
	st := r.NewStyle().Bold(s.Bold).Underline(s.Underline).Reverse(s.Reverse)
	if !noColor {
		st = st.Faint(s.Faint)
		if c := pick(s.FG, s.FG16, p); c != "" {
			st = st.Foreground(lipgloss.Color(c))
		}
		if c := pick(s.BG, s.BG16, p); c != "" {
			st = st.Background(lipgloss.Color(c))
		}
	}
	on, off, _ := strings.Cut(st.Render(marker), marker)
	return Style{on: on, off: off}
}

func pick(full, sixteen string, p termenv.Profile) string {
	if sixteen != "" && (p == termenv.ANSI || full == "") {
		return sixteen
	}
	return full
}
