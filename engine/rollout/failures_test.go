package rollout_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updatePage = flag.Bool("update", false, "write docs/failures.md anew")

// open are the rows that have no test, and why. A row that gets one must leave
// this list: the page says nothing that is not so.
var open = map[string]string{}

// partly are the rows whose test shows less than the reaction says.
var partly = map[string]string{
	"E16": "by the lock file of this host; the lease between hosts comes later",
	"E15": "by policies and counters; the lease comes later",
	"R12": "the dashboard and its attention line say it; the watch mode comes later",
}

const (
	repository   = "../.."
	matrixPage   = repository + "/docs/engine.md"
	failuresPage = repository + "/docs/failures.md"
)

// matrixRow is one row of the failure matrix.
type matrixRow struct{ id, fault, reaction string }

// TestFailuresPage holds the failure matrix against the tests: every row has a
// test that names it or is known to be open, and docs/failures.md says just that.
// With -update it writes the page.
func TestFailuresPage(t *testing.T) {
	rows, tests := readMatrix(t), rowTests(t)
	known := map[string]bool{}
	for _, r := range rows {
		known[r.id] = true
		why, isOpen := open[r.id]
		switch n := len(tests[r.id]); {
		case n == 0 && !isOpen:
			t.Errorf("row %s (%s) has no test", r.id, r.fault)
		case n > 0 && isOpen:
			t.Errorf("row %s has tests and is listed as open (%s)", r.id, why)
		}
	}
	for id := range tests {
		require.True(t, known[id], "tests name row %s, which the matrix has not: %v", id, tests[id])
	}
	page := failures(rows, tests)
	if *updatePage {
		require.NoError(t, os.WriteFile(failuresPage, []byte(page), 0o600))
		return
	}
	have, err := os.ReadFile(failuresPage)
	require.NoError(t, err)
	require.Equal(t, page, string(have), "stale: go test ./engine/rollout -run TestFailuresPage -update")
}

var rowLine = regexp.MustCompile(`^\| ([DRLAEXK]\d+) \| (.*) \|$`)

func readMatrix(t *testing.T) []matrixRow {
	t.Helper()
	b, err := os.ReadFile(matrixPage)
	require.NoError(t, err)
	var out []matrixRow
	for _, line := range strings.Split(string(b), "\n") {
		if m := rowLine.FindStringSubmatch(line); m != nil {
			cells := strings.Split(m[2], " | ")
			out = append(out, matrixRow{id: m[1], fault: strings.TrimSpace(cells[0]), reaction: strings.TrimSpace(cells[len(cells)-1])})
		}
	}
	require.Len(t, out, 24+15+10+8+28+14+11, "every row of the matrix was read")
	return out
}

var (
	rowsInName = regexp.MustCompile(`^TestRow((?:_[DRLAEXK]\d+)+)_`)
	rowsInDoc  = regexp.MustCompile(`(?m)^Rows: ([DRLAEXK0-9, ]+)\.$`)
)

// rowTests are the tests of the repository that name a row, in their own name
// (TestRow_D9_...) or, where they were there before for a case of the field, in a
// line "Rows: D9." of their comment.
func rowTests(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != repository && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse %s: %w", path, err)
		}
		rel, _ := filepath.Rel(repository, path)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			for _, id := range rowsOf(f) {
				out[id] = append(out[id], filepath.ToSlash(filepath.Dir(rel))+" `"+f.Name.Name+"`")
			}
		}
		return nil
	})
	require.NoError(t, err)
	for id := range out {
		slices.Sort(out[id])
	}
	return out
}

func rowsOf(f *ast.FuncDecl) []string {
	var ids []string
	if m := rowsInName.FindStringSubmatch(f.Name.Name); m != nil {
		ids = strings.Split(m[1][1:], "_")
	}
	if m := rowsInDoc.FindStringSubmatch(f.Doc.Text()); m != nil {
		ids = append(ids, strings.Split(strings.ReplaceAll(m[1], " ", ""), ",")...)
	}
	return ids
}

func failures(rows []matrixRow, tests map[string][]string) string {
	var b strings.Builder
	tested := 0
	for _, r := range rows {
		if len(tests[r.id]) > 0 {
			tested++
		}
	}
	fmt.Fprintf(&b, "# The failure matrix and its tests\n\n"+
		"Made from the matrix in [engine.md](engine.md) and from the names of the tests; `go test ./engine/rollout -run TestFailuresPage -update`\n"+
		"writes it anew, and the same test fails when a row has no test or this page is stale.\n\n"+
		"%d of %d rows have a test, and where it shows less than the whole reaction that is said.\n"+
		"The others are named with what they wait for.\n", tested, len(rows))
	title := map[byte]string{
		'D': "Drain", 'R': "Restart", 'L': "Fill", 'A': "Cancel, abort, clean-up",
		'E': "Engine, operator, host", 'X': "Events of the cluster", 'K': "Computes",
	}
	was := byte(0)
	for _, r := range rows {
		if r.id[0] != was {
			was = r.id[0]
			fmt.Fprintf(&b, "\n## %s\n\n| Row | Fault | Reaction | Tests |\n|---|---|---|---|\n", title[was])
		}
		proof := strings.Join(tests[r.id], "<br>")
		if proof == "" {
			proof = "*open: " + open[r.id] + "*"
		}
		if less := partly[r.id]; less != "" {
			proof += "<br>*partly: " + less + "*"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.id, r.fault, r.reaction, proof)
	}
	return b.String()
}
