// Package rollout restarts pageservers one after another.
//
// It has three parts. A Plan says what will be done, in which order, with which
// literal calls, and what cannot be moved. A Machine decides: it is a pure value,
// Apply(event) gives the next Machine and the effects to carry out, and time
// reaches it as events. A Driver carries effects out: it writes the journal
// before the effect, sends one request at a time, runs the hook at most once,
// and feeds what happened back.
//
// Nothing is started without an operator's answer. "Drained" is policy
// PauseForRestart and a list of what stayed; no value alone is proof. The
// package formats nothing for a screen: a Status is data, and ui words it.
package rollout
