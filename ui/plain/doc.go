// Package plain is the line-by-line face of a run: for scripts, for screen
// readers and for terminals that cannot show the console.
//
// It prints one line per change and none per poll, puts each question on a
// line of its own that begins with "? " and lists the words which it accepts,
// and reads one answer a line. It decides nothing: a line becomes an answer to
// the question that was last printed, or it does nothing and says so. End of
// input is never an answer. It knows no colours and no keys.
package plain
