package sim

import "fmt"

// ErrorKind is a class of refusal; the wire gives each its status and prefix.
type ErrorKind int

// The refusals that the model knows.
const (
	BadRequest ErrorKind = iota + 1
	NotFound
	Conflict
	Precondition
	Unavailable
	Internal
	Timeout
)

// Error is a refusal of the controller with its own words, without the prefix
// that the wire adds.
type Error struct {
	Kind ErrorKind
	Text string
}

func (e *Error) Error() string { return e.Text }

func refuse(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}
