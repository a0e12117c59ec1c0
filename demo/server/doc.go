// Package server puts a simulated cluster (package sim) behind real HTTP
// servers on loopback: the storage controller, each pageserver's /metrics, each
// compute's /status, and an admin API that does what happens to clusters.
//
// It owns the simulation: one mutex guards it, and one goroutine, the driver,
// maps wall-clock time times Options.Speed to simulated time and sleeps until
// the next thing is due, so that an idle cluster costs nothing. Every request
// first brings the simulation up to the present.
//
// No answer is canned: handlers translate what the model says to the wire and
// spell the wire's fields themselves, independently of the client's decoders.
// The package must not know of the console; of client it uses the names of
// things only.
package server
