// Package view holds the screens: one file or a few for each.
//
// A screen draws from a Context (the newest Snapshot and run Status) and keeps
// only what a person did to it: cursor, filter, sort, scroll. It sends nothing
// and starts nothing: a key gives back an Intent, which the root carries out.
// Words for engine facts come from ui/prose, parts that know no cluster from
// ui/component, colour from themes.
package view
