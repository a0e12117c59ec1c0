// Package release reads a release out of what a cluster shows: which node is being
// drained, restarted, warmed up or filled, how far all of it is, how long it may take
// and what looks wrong. Whoever drives the release is not asked, and nothing is sent.
//
// An Observation is one look at a cluster, made of a cluster.Snapshot or read back
// from a recording. A Watch takes observations in order and keeps the Release.
//
// The package has no clock, no I/O and no goroutine: time comes with the
// observations, so that a recording plays back to what was seen live. It knows no
// screen; what an operator reads of an anomaly is a sentence, not a layout.
package release
