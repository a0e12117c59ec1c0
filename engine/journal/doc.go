// Package journal is the durable record of a run: who decided what, what was
// about to be done, and what came of it.
//
// A run is a directory with a plan and one append-only file of JSON lines. The
// journal explains intent and authority. It never is the reason to believe that
// something is done (the cluster says that), and it knows neither the
// controller nor a screen.
//
// # Layout
//
//	STATE/storcon-tui/CLUSTER/lock               held by the one process that drives
//	STATE/storcon-tui/CLUSTER/current            symbolic link to the newest run
//	STATE/storcon-tui/CLUSTER/runs/ULID/plan.json
//	STATE/storcon-tui/CLUSTER/runs/ULID/journal.jsonl
//	STATE/storcon-tui/CLUSTER/runs/ULID/hooks/NODE-ATTEMPT.log
//	STATE/storcon-tui/CLUSTER/runs/ULID/side/SEQ.json   records too long for a line
//	STATE/storcon-tui/CLUSTER/runs/ULID/report.*
//
// Files are 0600 and directories 0700.
//
// # Durability
//
// A record is one write(2) of at most 4 KiB. [Journal.Append] returns after
// fdatasync for the kinds that authorise or precede an effect (see
// [Kind.Durable]); others reach the disk with the next of those or within a
// second. After a failed write or sync nothing is known about the file: the
// journal goes on in journal.2.jsonl and so on, beside it or in a spare directory,
// with whatever was not known to be on the disk. When no file takes it, it
// refuses everything from then on with [ErrBroken]: a caller that appends the
// intent before it sends can then send nothing.
//
// # Concurrency
//
// A Journal may be used from several goroutines; records get their numbers in
// the order in which Append is entered. A Store has no state but its lock.
// Reading takes no lock and never changes a file that somebody may be writing.
package journal
