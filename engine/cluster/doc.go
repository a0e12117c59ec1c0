// Package cluster is the one picture of a cluster that the rest of the program
// looks at: Snapshot, and the Poller that makes one.
//
// A Snapshot is immutable, numbered, and made of parts; each part knows when it was
// last read well, why the newest try failed and, where the token's scope does
// not allow it, why it is off. The package decides nothing about restarts and
// knows no screen. The cost of watching follows the number of nodes, never the
// number of shards.
package cluster
