package client

import "context"

// TokenSource yields the bearer token to send. A source that can change under
// us (a file, a command) is read again after a 401 or 403 only when the token in use has
// expired or its source has changed, and once a minute at most.
type TokenSource interface {
	// Token is the token to send now. It must never appear in an error.
	Token(ctx context.Context) (string, error)
	// Refresh reads the source again if that can help and reports whether the
	// token changed.
	Refresh(ctx context.Context) (changed bool, err error)
	// Describe names the source for people: "file ~/x.jwt", never the token.
	Describe() string
}
