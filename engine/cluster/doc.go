// Package cluster is the one picture of a cluster that the rest of the program
// looks at: Snapshot, and the Poller that makes one.
//
// A Snapshot is immutable, numbered, and made of parts; each part knows when it was
// last read well, why the newest try failed and, where the token's scope does
// not allow it, why it is off. A failed or doubtful read leaves the last good
// value where it is; a list is empty only when the controller said so.
//
// The Poller has one loop for each part and at most one request in flight for each
// endpoint. What was read goes through the builder, which is pure: the
// snapshot before, a reading and a moment give the next snapshot and the events
// between the two. Subscribers are pinged and ask Latest; nothing is pushed.
//
// The package decides nothing about restarts, sends nothing that changes a
// cluster and knows no screen. The cost of watching follows the number of
// nodes and computes, never the number of shards.
package cluster
