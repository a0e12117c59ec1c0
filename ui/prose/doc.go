// Package prose words engine facts for people: questions and what each answer
// does, phases, gates, plans, outcomes.
//
// The screens and plain mode say the same thing because both ask this package.
// It is pure: it takes values of the engine and gives back text, without
// colour, without layout for a given width, and without a clock of its own. It
// writes Unicode; who prints it rewrites it for a locale that shows none.
package prose
