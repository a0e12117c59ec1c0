// Package reconfigure hands new specs to computes that run, one after another or in
// waves.
//
// It has the three parts of a rolling restart. A Plan says which compute gets what,
// with the differences, and in which waves. A Machine decides: it is a pure value,
// Apply(event) gives the next Machine and the effects to carry out, and time reaches
// it as events. A Driver carries effects out: it writes the journal before the
// effect and feeds what happened back.
//
// Nothing is sent without an operator's answer, and never two specs to one compute at
// once. An answer of 200 is no proof (contract B.13), no answer is no failure: what a
// compute says of itself afterwards decides. Specs hold secrets: they stay in memory;
// plan and journal have their checksums and redacted differences. The package formats
// nothing for a screen, and it does not know the storage controller.
package reconfigure
