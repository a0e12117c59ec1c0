// Package history keeps on the disk what was seen of a cluster, so that a console
// that is opened late shows a release from its start, and so that a release can be
// played again.
//
// What is kept are observations (package release), and of these only what changed.
// The package knows no controller, no screen and no clock: the time is that of the
// observations, and for a [Player] that of whoever asks.
//
// # Layout
//
// The files of a cluster are in one directory, which only its owner may read:
//
//	lock                            held by the one process that records
//	000017-20261201T055811Z.jsonl   a number that grows, and when the file begins
//	000016-20261130T000000Z.jsonl.gz
//
// A line is a JSON object that ends with its checksum (package jsonline). Each file
// begins with a whole observation and can be read without the others; no file is
// ever appended to by a second process. A file is finished at midnight UTC or when
// it is full, and is then compressed. The oldest are removed when they are too old or too
// many, but none that somebody reads just now.
//
// # What can be lost
//
// Nothing waits for the disk: the last seconds before a power failure may be
// missing. A line that is torn or damaged is passed over together with what follows
// up to the next whole observation, and counted (see [Damage]). When the disk takes
// nothing more the recorder switches itself off and says so once; watching goes on.
package history
