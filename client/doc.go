// Package client speaks the storage controller's HTTP API.
//
// It knows the wire and nothing else: which request exists, what an answer
// means, which requests may be repeated. It must not know of plans, screens or
// clusters by name, and imports nothing else of ours.
//
// Reads are retried with full jitter inside the caller's context. Mutating
// calls (drain, fill, their cancels, configure) are sent once; one Client never
// has two of them in flight, because two overlapping starts end the controller
// process. A read-only Client refuses them before a byte is written.
//
// Every error from a request is an *Error, whose Kind says what a caller may
// conclude. All text that a server sent has its control characters neutralised
// here, once, so that the rest of the program may print it.
package client
