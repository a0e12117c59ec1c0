package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// Load reads and checks a file. A file that does not exist is an error that
// errors.Is fs.ErrNotExist; one that is wrong is a Problems.
func Load(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; expected a configuration in TOML: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return parse(path, string(text))
}

func parse(path, text string) (*File, error) {
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return nil, syntax(path, err)
	}
	r := &reader{path: path, directory: filepath.Dir(path), lines: locate(text)}
	f := readFile(&section{file: r, values: values})
	if len(r.problems) > 0 {
		return nil, r.sorted()
	}
	f.Path, f.lines = path, r.lines
	return f, nil
}

func syntax(path string, err error) error {
	var parseError toml.ParseError
	if errors.As(err, &parseError) {
		return Problems{{
			Path: path, Line: parseError.Position.Line, Key: parseError.LastKey,
			Text: "not TOML: " + parseError.Message,
		}}
	}
	return Problems{{Path: path, Text: "not TOML: " + err.Error()}}
}

func readFile(s *section) *File {
	f := &File{
		DefaultCluster: s.text("default_cluster"),
		Theme:          s.text("theme"),
		StateDir:       s.path("state_dir"),
		Notify:         readNotify(s.table("notify")),
		History:        readHistory(s.table("history")),
		Metrics:        s.parsed("metrics_addr", parseListen),
	}
	names, tables := s.named("clusters")
	for i, table := range tables {
		f.Clusters = append(f.Clusters, readCluster(names[i], table))
	}
	if f.DefaultCluster != "" && !slices.Contains(names, f.DefaultCluster) {
		s.wrong("default_cluster", "%s", noSuchCluster(f.DefaultCluster, names))
	}
	s.done()
	return f
}

func readHistory(s *section) History {
	h := History{Off: s.flag("off"), MaxDays: s.count("max_days"), MaxMB: s.count("max_mb")}
	s.done()
	return h
}

func readCluster(name string, s *section) Cluster {
	if err := checkName(name); err != nil {
		s.wrong("", "%v", err)
	}
	c := Cluster{
		Name:         name,
		URL:          s.url("url"),
		Token:        readToken(s),
		CAFile:       s.path("ca_file"),
		Demo:         s.flag("demo"),
		PageserverCA: readPageserver(s.table("pageserver")),
		Pace:         readPace(s.table("pace")),
		Watch:        readWatch(s.table("watch")),
		Window:       s.window("window"),
		Alerts:       readAlerts(s.table("alerts")),
		directory:    s.file.directory,
	}
	c.Restart, c.Revision = readRestart(s.table("restart"))
	c.Computes, c.ComputesCommand = readComputes(s.tables("computes")), s.argv("computes_command")
	if s.values != nil && !s.has("url") {
		s.wrong("", `expected key "url", the controller's http(s)://host:port`)
	}
	s.done()
	return c
}

func readToken(s *section) Token { return readSecret(s, "token") }

// readRestart is how a node is restarted, and the build that it should run then.
func readRestart(s *section) (spec hook.Spec, revision string) {
	revision = s.text("revision")
	spec = hook.Spec{
		Argv: s.argv("command"), Shell: s.text("shell"), Manual: s.flag("manual"),
		Timeout: s.duration("timeout"),
	}
	s.done()
	if s.values == nil {
		return byHand, ""
	}
	var given []string
	for _, key := range []string{"command", "shell", "manual"} {
		if s.has(key) {
			given = append(given, key)
		}
	}
	switch {
	case len(given) > 1:
		s.wrong(given[len(given)-1], "expected one way to restart a node, got %s", strings.Join(given, " and "))
	case len(given) == 0:
		s.wrong("", "expected command, shell or manual = true")
	case s.values["manual"] == false:
		s.wrong("manual", "expected true, or command or shell instead")
	case len(spec.Argv) > 0 || spec.Shell != "":
		if err := spec.Validate(); err != nil {
			s.wrong(given[0], "%v", err)
		}
	}
	return spec, revision
}

func readAlerts(s *section) *Alerts {
	a := Alerts{URL: s.address("url"), Query: s.text("query"), Token: readToken(s), CAFile: s.path("ca_file")}
	s.done()
	if s.values == nil {
		return nil
	}
	for _, key := range []string{"url", "query"} {
		if !s.has(key) {
			s.wrong("", "expected key %q", key)
		}
	}
	return &a
}

func readPageserver(s *section) (caFile string) {
	caFile = s.path("ca_file")
	s.done()
	return caFile
}

func readPace(s *section) Pace {
	p := Pace{
		Drain: s.duration("drain"), Fill: s.duration("fill"), NoProgress: s.duration("no_progress"),
		Cancel: s.duration("cancel"), Ready: s.duration("ready"), Proof: s.duration("proof"),
		Answer: s.duration("answer"),
		Verify: s.count("verify"), VerifyEvery: s.duration("verify_every"),
		Bake: s.duration("bake"), CanaryBake: s.duration("canary_bake"),
	}
	s.done()
	return p
}

func readWatch(s *section) release.Settings {
	w := release.Settings{
		Offline: s.duration("offline"), FillAsked: s.duration("fill_asked"), MixedBuilds: s.duration("mixed_builds"),
		LeftOver: s.duration("left_over"), Stalled: s.duration("stalled"), Unreachable: s.duration("unreachable"),
		Growing: s.duration("growing"), Quiet: s.duration("quiet"), Settled: s.duration("settled"),
		Moment: s.duration("moment"), Confirm: s.duration("confirm"),
	}
	s.done()
	return w
}

// parseAddress is parseURL for a server that may live below a path.
func parseAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return parseURL(text)
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	u.Path, u.RawPath = "", ""
	base, err := parseURL(u.String())
	return base + path, err
}

// parseURL checks a controller's or compute's address. It never repeats what
// stands before an @: that would be a password.
func parseURL(text string) (string, error) {
	const expected = "expected http(s)://host:port"
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New(expected + ", got something that is no URL")
	case u.User != nil:
		return "", errors.New(expected + " without a user or password; use token_file, token_env or token_command")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", fmt.Errorf("%s, got %q", expected, showable(text))
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%s without path or query, got %q", expected, showable(text))
	}
	return u.Scheme + "://" + u.Host, nil
}

// showable also holds back a password where the scheme is missing, and a query,
// which may be a token.
func showable(text string) string {
	text, _, _ = strings.Cut(text, "?")
	return text[strings.LastIndexByte(text, '@')+1:]
}

// checkName: the name of a cluster is also that of a directory.
func checkName(name string) error {
	bad := func(r rune) bool { return r == '/' || r == '\\' || !unicode.IsPrint(r) }
	if name == "" || name[0] == '.' || strings.ContainsFunc(name, bad) {
		return fmt.Errorf("expected a name of printable characters without / or \\ and without a leading dot, got %q", name)
	}
	return nil
}

func noSuchCluster(name string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("no cluster %q: there is no [clusters.NAME] table", name)
	}
	text := fmt.Sprintf("no cluster %q; expected one of %s", name, strings.Join(names, ", "))
	if near := nearest(name, names); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}
