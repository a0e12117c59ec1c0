// Package ui is the Bubble Tea program: it routes keys to screens, carries out
// what they ask for, and draws the header above and the hints below them.
//
// The root keeps the finished frame and draws a new one only when something
// that it shows has changed. Producers do not send what happened: one goroutine
// listens to the poller, the run and a clock, and sends a single "look again",
// however many pings there were. Nothing in here does I/O outside a command,
// and every goroutine is waited for before Run returns.
//
// The package knows no HTTP and no demo; what it needs comes in as Deps.
package ui
