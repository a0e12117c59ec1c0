// Package hook runs the operator's restart command and judges whether a node
// was really restarted.
//
// The command is the only effect that cannot be repeated safely, so it is run
// once and never again by this package: whoever calls it journals first, and
// decides what an exit means. The package knows no journal, no controller and
// no screen.
//
// The command gets a session of its own. It therefore has no terminal to draw
// on or to ask for a password, is not hung up with ours, and can be ended
// together with what it started. Its standard input is empty. Its output is
// bounded, freed of secrets and control characters, and handed over line by
// line.
//
// The command writes to a file and not to a pipe, so that it lives on when this
// program ends before it: a restart that breaks off half-way is the worst of all.
// What a process prints that the command leaves behind, such as a daemon, is not
// read any more once the command itself has ended.
package hook
