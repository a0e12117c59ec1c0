// Package client speaks the storage controller's HTTP API.
//
// It knows the wire and nothing else: which request exists, what an answer
// means, which requests may be repeated. It must not know of plans, screens or
// clusters by name, and imports nothing else of ours.
//
// # Requests
//
// Reads are retried with full jitter inside the caller's context, each attempt
// with a deadline of its own. Mutating calls (drain, fill, their cancels,
// configure) are sent once; one Client never has two of them in flight, because
// two overlapping starts end the controller process. Once sent, such a call is
// waited for even when the caller's context ends: a start that is given up early
// can leave a policy without its operation. A read-only Client refuses them before
// a byte is written. Redirects are never followed.
//
// # What a failure means
//
// Every error from a request is an *Error, whose Kind says what a caller may
// conclude. A probe changes nothing, and counts as a read here.
//
//	What came                                     read          mutating call
//	no connection (refused, DNS, TLS)             Unreachable   Unreachable
//	connected, no answer (timeout, reset)         Unreachable   Ambiguous
//	success that is cut, odd or another 2xx       BadAnswer     Ambiguous
//	redirect                                      BadAnswer     BadAnswer
//	401, 403; a compute's 400 for no token        Unauthorized  Unauthorized
//	400, 404, 409, 412, ... in the API's words    Refused       Refused
//	4xx in other words ("Not Found", HTML)        BadAnswer     BadAnswer
//	408 while the controller starts               Unreachable   Unreachable
//	408 otherwise                                 Unreachable   Ambiguous
//	429                                           Unreachable   Unreachable
//	503 "Node N is currently unavailable"         Refused       Refused
//	503 otherwise (starting, stopping, no leader) Unreachable   Unreachable
//	500 "Node node_id not found for update"       Refused       Refused
//	500 of a stepped-down instance, not forwarded Unreachable   Unreachable
//	500 otherwise                                 Refused       Ambiguous
//	502, 504                                      Unreachable   Ambiguous
//	any other 5xx                                 BadAnswer     Ambiguous
//
// A token that cannot be read is Unauthorized, and nothing is sent. After
// Ambiguous only the cluster's state tells. After every other kind a mutating
// call was not carried out, save that a controller which says "Shutting down"
// may have written the node's policy before (D9): read it before the next act.
// RunningOperation, PolicyRefusal and the like read a refusal's words.
//
// # Answers
//
// A required field that is missing or null makes a BadAnswer that names it:
// missing never means none, zero or done. Unknown enum values and unknown
// fields are kept, and encoding an answer again writes them. All text that a
// server sent has its control characters neutralised here, once (Clean), so
// that the rest of the program may print it.
package client
