package probe

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestWhoIsBelieved(t *testing.T) {
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	light := map[string]string{"COLORFGBG": "0;15", "TERM": "xterm"}
	cases := map[string]struct {
		o    Options
		want Answer
	}{
		"nothing known":               {Options{}, Answer{Dark: true, Source: Assumed}},
		"configured light":            {Options{Stated: []string{"light"}}, Answer{Source: Stated}},
		"configuration before flag":   {Options{Stated: []string{"light", "dark"}}, Answer{Source: Stated}},
		"flag when config says auto":  {Options{Stated: []string{"auto", "Dark "}, Env: env(light)}, Answer{Dark: true, Source: Stated}},
		"name of a theme is no side":  {Options{Stated: []string{"solar"}, Env: env(light)}, Answer{Source: ColorFGBG}},
		"environment":                 {Options{Env: env(light)}, Answer{Source: ColorFGBG}},
		"environment is nonsense":     {Options{Env: env(map[string]string{"COLORFGBG": "x"})}, Answer{Dark: true, Source: Assumed}},
		"stated before environment":   {Options{Stated: []string{"dark"}, Env: env(light)}, Answer{Dark: true, Source: Stated}},
		"terminal that does not talk": {Options{Env: env(map[string]string{"TERM": "dumb"}), TTY: os.Stdin}, Answer{Dark: true, Source: Assumed}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Detect(c.o); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestColorFGBG(t *testing.T) {
	cases := map[string]struct{ dark, ok bool }{
		"15;0": {true, true}, "0;15": {false, true}, "0;default;7": {false, true},
		"12;8": {true, true}, "0;6": {true, true}, "": {}, "15": {}, "0;": {}, "0;16": {}, "0;-1": {},
	}
	for in, want := range cases {
		dark, ok := fromColorFGBG(in)
		if dark != want.dark || ok != want.ok {
			t.Errorf("%q: got dark %t, known %t", in, dark, ok)
		}
	}
}

func TestParseReply(t *testing.T) {
	cases := map[string]struct{ dark, ok bool }{
		"\x1b]11;rgb:0000/0000/0000\x1b\\":         {true, true},
		"\x1b]11;rgb:ffff/ffff/ffff\x07":           {false, true},
		"\x1b]11;rgb:f/f/f\x07":                    {false, true},
		"\x1b]11;rgb:28/2c/34\x07":                 {true, true},
		"q\x1b]11;rgb:fd/f6/e3\x1b\\\x1b[?62;4c":   {false, true},
		"\x1b]11;rgb:0000/0000\x1b\\":              {},
		"\x1b]11;rgb:00000/0000/0000\x1b\\":        {},
		"\x1b]11;rgb:0000/0000/0000":               {}, // not finished
		"\x1b]11;rgb:gggg/0000/0000\x07":           {},
		"\x1b[?62;4c":                              {},
		"":                                         {},
		"\x1b]10;rgb:0000/0000/0000\x1b\\anything": {},
	}
	for in, want := range cases {
		dark, ok := parseReply([]byte(in))
		if dark != want.dark || ok != want.ok {
			t.Errorf("%q: got dark %t, known %t", in, dark, ok)
		}
	}
}

// terminal is the far side of a pseudo terminal: it reads until the whole
// question has come and then types the answer.
func terminal(t *testing.T, answer string) *os.File {
	t.Helper()
	far, near, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var seen []byte
		buf := make([]byte, 256)
		for !bytes.Contains(seen, []byte(askDevice)) {
			n, err := far.Read(buf)
			if err != nil {
				return
			}
			seen = append(seen, buf[:n]...)
		}
		_, _ = far.WriteString(answer)
	}()
	t.Cleanup(func() {
		_ = near.Close()
		_ = far.Close()
		<-done
	})
	return near
}

func TestAskTerminal(t *testing.T) {
	cases := map[string]struct {
		answer string
		want   Answer
	}{
		"light":        {"\x1b]11;rgb:ffff/ffff/dddd\x1b\\\x1b[?65;1;9c", Answer{Dark: false, Source: Terminal}},
		"dark":         {"\x1b]11;rgb:1111/1111/1111\x07\x1b[?65;1;9c", Answer{Dark: true, Source: Terminal}},
		"does not say": {"\x1b[?6c", Answer{Dark: true, Source: Assumed}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tty := terminal(t, c.answer)
			began := time.Now()
			got := Detect(Options{Env: func(string) string { return "" }, TTY: tty, Wait: 20 * time.Second})
			// An empty TERM is mute; the next one is not.
			if got != (Answer{Dark: true, Source: Assumed}) {
				t.Errorf("without TERM got %+v", got)
			}
			got = Detect(Options{Env: xterm, TTY: tty, Wait: 20 * time.Second})
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("waited %s although the terminal answered", took)
			}
		})
	}
}

func xterm(name string) string {
	if name == "TERM" {
		return "xterm-256color"
	}
	return ""
}

func TestMuteTerminalCostsTheWaitAndNoMore(t *testing.T) {
	tty := terminal(t, "")
	began := time.Now()
	got := Detect(Options{Env: xterm, TTY: tty})
	took := time.Since(began)
	if want := (Answer{Dark: true, Source: Assumed, Unanswered: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if took < DefaultWait || took > 2*time.Second {
		t.Errorf("took %s, want a little over %s", took, DefaultWait)
	}
	t.Logf("took %s", took.Round(time.Millisecond))
}

func TestWhatIsNoTerminalIsNotAsked(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	defer func() { _ = r.Close() }()
	if got := Detect(Options{Env: xterm, TTY: w}); got != (Answer{Dark: true, Source: Assumed}) {
		t.Errorf("got %+v", got)
	}
}
