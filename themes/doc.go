// Package themes turns a TOML palette into the styles that screens draw with.
//
// All colour of the program comes from here. A Style is a pair of ready-made
// escape sequences, taken once per theme, so that drawing a cell costs two
// string writes; under NO_COLOR they hold no colour, and reverse or bold stay.
package themes
