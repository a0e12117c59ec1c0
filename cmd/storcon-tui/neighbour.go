package main

import (
	"os"
	"sync"

	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// logKept is how many lines of another console's run are kept.
const logKept = 200

// neighbour is what another console of this host does. It is safe for use by several
// goroutines.
type neighbour struct {
	store *journal.Store

	mu       sync.Mutex
	run      string // whose journal is followed
	follower *journal.Follower
	log      []string // newest last
}

// Elsewhere says who else drives; with log also what was done lately.
func (r *consoleRuns) Elsewhere(log bool) view.Elsewhere {
	n := &r.neighbour
	owner, driven := n.store.Driver()
	if !driven || owner.PID == os.Getpid() {
		n.close()
		return view.Elsewhere{Journal: r.unfinishedJournal(log)}
	}
	e := view.Elsewhere{Driver: makeDriver(owner, true).words(), Run: owner.Run}
	if log && owner.Run != "" {
		e.Journal, e.Log = n.store.Path(owner.Run), n.read(owner.Run)
	}
	return e
}

// unfinishedJournal is the path of the journal that the run was left with.
func (r *consoleRuns) unfinishedJournal(wanted bool) string {
	if !wanted {
		return ""
	}
	open, err := r.open()
	if err != nil || len(open) == 0 {
		return "" // Unfinished says what is wrong
	}
	return open[0].Path
}

// read is what the journal said lately. What cannot be read is a line of it.
func (n *neighbour) read(run string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.run != run {
		n.drop()
		follower, err := n.store.Follow(run)
		if err != nil {
			return []string{err.Error()}
		}
		n.run, n.follower = run, follower
	}
	records, err := n.follower.Next()
	for _, r := range records {
		if line := recordLine(r); line != "" {
			n.log = append(n.log, line)
		}
	}
	n.log = n.log[max(0, len(n.log)-logKept):]
	lines := append([]string(nil), n.log...)
	if err != nil {
		lines = append(lines, err.Error())
	}
	return lines
}

func (n *neighbour) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop()
}

func (n *neighbour) drop() {
	if n.follower != nil {
		_ = n.follower.Close() // it was only read
	}
	n.run, n.follower, n.log = "", nil, nil
}
