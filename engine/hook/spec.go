package hook

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Defaults for what a Spec leaves open.
const (
	DefaultTimeout   = 10 * time.Minute
	DefaultKillGrace = 10 * time.Second
)

// Spec is a restart command as configured: exactly one of Argv, Shell and
// Manual.
type Spec struct {
	// Argv is a program and its arguments. Each is a text/template with the
	// fields of the node; no shell sees them.
	Argv []string
	// Shell is one template for sh -c.
	Shell string
	// Manual says that a person restarts the node; there is nothing to run.
	Manual bool
	// Timeout is when the command is ended; 0 means DefaultTimeout.
	Timeout time.Duration
	// KillGrace is what it gets between SIGTERM and SIGKILL; 0 means
	// DefaultKillGrace.
	KillGrace time.Duration
}

// fields are what a template may refer to.
type fields struct {
	ID      client.NodeID
	Host    string
	AZ      string
	Attempt int
}

var fieldNames = []string{"ID", "Host", "AZ", "Attempt"}

// Validate says what is wrong with a specification, before anything is run.
func (s Spec) Validate() error {
	given := 0
	for _, is := range []bool{len(s.Argv) > 0, s.Shell != "", s.Manual} {
		if is {
			given++
		}
	}
	switch {
	case given == 0 && s.Argv != nil:
		return errors.New("command is empty: it needs at least the program's name")
	case given == 0:
		return errors.New("one of command, shell and manual is needed")
	case given > 1:
		return errors.New("only one of command, shell and manual may be given")
	case s.Timeout < 0:
		return fmt.Errorf("timeout %s is negative", s.Timeout)
	case s.KillGrace < 0:
		return fmt.Errorf("grace %s is negative", s.KillGrace)
	case len(s.Argv) > 0 && strings.TrimSpace(s.Argv[0]) == "":
		return errors.New("command is empty: its first element is the program's name")
	case s.Shell != "" && strings.TrimSpace(s.Shell) == "":
		return errors.New("shell is empty")
	case s.Manual:
		return nil
	}
	// A template may also fail when it runs, by comparing text with a number
	// for example; an ordinary node shows it.
	_, err := s.Render(Env{ID: 1, Host: "host", AZ: "az", Attempt: 1})
	return err
}

// templates lists the templates with a name for each in errors.
func (s Spec) templates() (texts, names []string) {
	if s.Shell != "" {
		return []string{s.Shell}, []string{"shell"}
	}
	for i, a := range s.Argv {
		texts = append(texts, a)
		names = append(names, "command["+strconv.Itoa(i)+"]")
	}
	return texts, names
}

// Render gives the literal command for a node: program and arguments. It is nil
// for a manual restart.
//
// Host and AZ come from the cluster, so one that a shell or a program could take
// for something else (a space, a quote, a leading dash) is refused where the
// command refers to it.
func (s Spec) Render(e Env) ([]string, error) {
	if s.Manual {
		return nil, nil
	}
	texts, names := s.templates()
	out := make([]string, 0, len(texts))
	for i, text := range texts {
		arg, err := render(names[i], text, fields{e.ID, e.Host, e.AZ, e.Attempt})
		if err != nil {
			return nil, err
		}
		if strings.IndexByte(arg, 0) >= 0 {
			return nil, fmt.Errorf("%s holds a NUL byte", names[i])
		}
		out = append(out, arg)
	}
	if s.Shell != "" {
		return []string{"sh", "-c", out[0]}, nil
	}
	if len(out) == 0 || out[0] == "" {
		return nil, errors.New("command is empty: its first element is the program's name")
	}
	return out, nil
}

// Display is the literal command quoted for a shell, on one line that is safe to
// print; "" for a manual restart.
func (s Spec) Display(e Env) (string, error) {
	argv, err := s.Render(e)
	if err != nil {
		return "", err
	}
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = quote(a)
	}
	return client.Clean(strings.Join(quoted, " ")), nil
}

func render(name, text string, f fields) (string, error) {
	t, err := template.New(name).Parse(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	for field := range referred(t.Root) {
		if !slices.Contains(fieldNames, field) {
			return "", fmt.Errorf("%s: unknown field .%s; known are .%s", name, field, strings.Join(fieldNames, " ."))
		}
		if err := checkValue(field, f); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	var b strings.Builder
	if err := t.Execute(&limitedWriter{w: &b, left: maxArg}, f); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return b.String(), nil
}

// maxArg bounds one rendered argument in bytes, below what the kernel takes.
const maxArg = 64 << 10

type limitedWriter struct {
	w    io.Writer
	left int
}

func (l *limitedWriter) Write(b []byte) (int, error) {
	if len(b) > l.left {
		return 0, fmt.Errorf("longer than %d bytes", maxArg)
	}
	l.left -= len(b)
	return l.w.Write(b)
}

// plainValue is what a host name, an address or the name of a zone is made of.
// None of it means anything to a shell.
var plainValue = regexp.MustCompile(`^[A-Za-z0-9_.:\[\]%][A-Za-z0-9_.:\[\]%/+-]*$`)

func checkValue(field string, f fields) error {
	v := map[string]string{"Host": f.Host, "AZ": f.AZ}[field]
	switch {
	case field != "Host" && field != "AZ", plainValue.MatchString(v):
		return nil
	case v == "":
		return fmt.Errorf("node %s has no .%s", f.ID, field)
	default:
		return fmt.Errorf("node %s: .%s is %s, which is not safe in a command", f.ID, field, client.Clean(strconv.Quote(v)))
	}
}

// referred collects the fields of the node that a template names, at the top
// and through $.
func referred(n parse.Node) map[string]bool {
	found := map[string]bool{}
	walk(n, found)
	return found
}

func walk(n parse.Node, found map[string]bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, c := range n.Nodes {
				walk(c, found)
			}
		}
	case *parse.PipeNode:
		if n != nil {
			for _, c := range n.Cmds {
				for _, a := range c.Args {
					walk(a, found)
				}
			}
		}
	case *parse.ActionNode:
		walk(n.Pipe, found)
	case *parse.IfNode:
		walkBranch(&n.BranchNode, found)
	case *parse.RangeNode:
		walkBranch(&n.BranchNode, found)
	case *parse.WithNode:
		walkBranch(&n.BranchNode, found)
	case *parse.ChainNode:
		walk(n.Node, found)
	default:
		note(n, found)
	}
}

// note is walk for the nodes that hold no others.
func note(n parse.Node, found map[string]bool) {
	switch n := n.(type) {
	case *parse.FieldNode:
		found[n.Ident[0]] = true
	case *parse.VariableNode:
		switch {
		case n.Ident[0] != "$":
		case len(n.Ident) > 1:
			found[n.Ident[1]] = true
		default:
			found["Host"], found["AZ"] = true, true
		}
	case *parse.DotNode, *parse.TemplateNode:
		// All of the node's values may come out.
		found["Host"], found["AZ"] = true, true
	}
}

func walkBranch(n *parse.BranchNode, found map[string]bool) {
	walk(n.Pipe, found)
	walk(n.List, found)
	walk(n.ElseList, found)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote makes one word of a POSIX shell.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
