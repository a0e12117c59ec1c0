package ui

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/themes"
)

var pictures = flag.Bool("pictures", false, "write docs/*.svg from real frames")

// TestPictures draws the frames of the README. Without -pictures it only
// requires that they can be drawn.
func TestPictures(t *testing.T) {
	styles, err := themes.Load("dark", themes.Options{Profile: termenv.TrueColor})
	require.NoError(t, err)
	for name, keys := range map[string][]string{
		"dashboard": {" ", " "},
		"node":      {"down", "enter"},
		"help":      {"?"},
	} {
		k := newConsole(t, styles, 120, 26)
		k.source.set(withShards(crew()))
		k.feed(changedMsg{})
		k.View()
		k.press(keys...)
		svg := picture(k.View(), k.w, k.h)
		require.Contains(t, svg, "prod-eu-1")
		require.NotContains(t, svg, "\x1b")
		if *pictures {
			require.NoError(t, os.WriteFile(filepath.Join("..", "docs", name+".svg"), []byte(svg), 0o644))
		}
	}
}

// Cells of the picture, in pixels.
const (
	cellW, cellH = 8.4, 18
	margin       = 12
	paper, ink   = "#16181d", "#d7dae0"
)

// pen is the style that is on at a place of a frame.
type pen struct {
	fg                       string
	bold, reverse, underline bool
}

// picture makes an SVG of a frame: one text element for each stretch in one
// style, at the very cell where it begins.
func picture(frame string, w, h int) string {
	var b strings.Builder
	width, height := float64(w)*cellW+2*margin, h*cellH+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", paper)
	b.WriteString(`<g font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14" xml:space="preserve">` + "\n")
	for y, line := range strings.Split(frame, "\n") {
		x := 0
		for _, s := range segments(line) {
			s.draw(&b, x, y)
			x += ansi.StringWidth(s.text)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// segment is text in one style.
type segment struct {
	pen
	text string
}

// segments splits a line at its escape sequences, which are all SGR.
func segments(line string) []segment {
	var list []segment
	var p pen
	for line != "" {
		before, rest, found := strings.Cut(line, "\x1b[")
		if before != "" {
			list = append(list, segment{p, before})
		}
		if !found {
			break
		}
		codes, after, _ := strings.Cut(rest, "m")
		p = p.apply(strings.Split(codes, ";"))
		line = after
	}
	return list
}

func (p pen) apply(codes []string) pen {
	for i := 0; i < len(codes); i++ {
		switch codes[i] {
		case "", "0":
			p = pen{}
		case "1":
			p.bold = true
		case "4":
			p.underline = true
		case "7":
			p.reverse = true
		case "38":
			if i+4 < len(codes) && codes[i+1] == "2" {
				p.fg = "#"
				for _, c := range codes[i+2 : i+5] {
					n, _ := strconv.Atoi(c)
					p.fg += fmt.Sprintf("%02x", n)
				}
				i += 4
			}
		}
	}
	return p
}

func (s segment) draw(b *strings.Builder, x, y int) {
	fg := s.fg
	if fg == "" {
		fg = ink
	}
	left, top := margin+float64(x)*cellW, margin+y*cellH
	wide := float64(ansi.StringWidth(s.text)) * cellW
	if s.reverse {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, wide, cellH, fg)
		fg = paper
	}
	if strings.TrimSpace(s.text) == "" {
		return
	}
	attrs := ""
	if s.bold {
		attrs += ` font-weight="bold"`
	}
	if s.underline {
		attrs += ` text-decoration="underline"`
	}
	for _, p := range phrases(s.text) {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s>%s</text>`+"\n",
			left+float64(p.at)*cellW, top+13, float64(ansi.StringWidth(p.text))*cellW, fg, attrs, html.EscapeString(p.text))
	}
}

// phrase is a part of a text without two blanks in a row, and its cell.
type phrase struct {
	at   int
	text string
}

// phrases splits a text at wide gaps, so that a viewer with another font's
// widths still puts each column in its place.
func phrases(text string) []phrase {
	var list []phrase
	at := 0
	for _, part := range strings.SplitAfter(text, "  ") {
		if word := strings.TrimSpace(part); word != "" {
			list = append(list, phrase{at + ansi.StringWidth(part[:strings.Index(part, word)]), word})
		}
		at += ansi.StringWidth(part)
	}
	return list
}
