// Package sim is a model of a Neon cluster: pageserver nodes in availability
// zones, tenants cut into shards, and the storage controller that places them.
//
// The model is pure. It has no goroutine, no I/O and no clock: Advance moves
// its time forward and runs what falls due, everything random comes from the
// seed, and the same calls at the same simulated times give the same history.
// It must not know of HTTP, of wall-clock time or of speed; package server
// translates those. A World is not safe for concurrent use.
//
// Two worlds live in it and are kept apart: what the controller intends and
// remembers (lost or reloaded when its process ends) and what the pageserver
// processes really hold (observed). Intent changes at once; observation follows
// when a reconcile ends.
package sim
