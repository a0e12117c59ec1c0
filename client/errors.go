package client

import (
	"errors"
	"fmt"
)

// Kind tells what may be concluded from a failed request. It is the one place
// where the difference is made.
type Kind int

const (
	// Refused: the server answered and did not do it. Msg has its words.
	Refused Kind = iota + 1
	// Ambiguous: a mutating request may have been carried out; only the
	// cluster's state tells.
	Ambiguous
	// Unreachable: nothing was carried out, the server could not be asked or
	// says that it cannot serve now (connection refused, name resolution, TLS, 503 of
	// a controller that is starting, stopping or not the leader).
	Unreachable
	// Unauthorized: 401 or 403; nothing was carried out.
	Unauthorized
	// BadAnswer: the answer is not what this API sends (not JSON, cut short, a
	// required field missing, another program's words).
	BadAnswer
	// ReadOnly: this client may only read; nothing was sent.
	ReadOnly
)

func (k Kind) String() string {
	switch k {
	case Refused:
		return "refused"
	case Ambiguous:
		return "ambiguous"
	case Unreachable:
		return "unreachable"
	case Unauthorized:
		return "unauthorised"
	case BadAnswer:
		return "bad answer"
	case ReadOnly:
		return "read-only"
	}
	return "unknown"
}

// Error is every failure of a request.
type Error struct {
	Kind   Kind
	Method string
	Path   string // with query, without host
	Status int    // 0 when no answer came
	Msg    string // the server's words, neutralised; "" when there were none
	Hint   string // what a person can do about it; "" when nothing general can be said
	Err    error  // cause below HTTP; nil when the server answered
}

func (e *Error) Error() string {
	s := e.Method + " " + e.Path + ": "
	switch {
	case e.Msg != "" && e.Status != 0:
		s += fmt.Sprintf("%d %s", e.Status, e.Msg)
	case e.Status != 0:
		s += fmt.Sprintf("%d", e.Status)
	}
	if e.Err != nil {
		if e.Status != 0 {
			s += ": "
		}
		s += e.Err.Error()
	}
	if e.Kind == ReadOnly {
		s += "not sent: this client is read-only"
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf is the Kind of an error of this package, 0 for any other.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// StatusOf is the HTTP status of an error of this package, 0 without one.
func StatusOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}
