package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

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

// The scopes that matter here. ScopeAdmin is accepted on every route of the
// controller; ScopeInfra may list nodes and start and cancel drains and fills.
const (
	ScopeAdmin = "admin"
	ScopeInfra = "infra"
)

// TokenClaims are what a token says of itself. They are not verified: only
// the server can do that.
type TokenClaims struct {
	Scope   string    // "" when missing
	Subject string    // "" when missing
	Expires time.Time // zero when the token does not expire
}

// Claims reads a token's claims without verifying them. The error never quotes
// the token.
func Claims(token string) (TokenClaims, error) {
	var claims struct {
		Scope string `json:"scope"`
		jwt.RegisteredClaims
	}
	if _, _, err := jwt.NewParser().ParseUnverified(token, &claims); err != nil {
		return TokenClaims{}, errors.New("not a readable JWT")
	}
	read := TokenClaims{Scope: Clean(claims.Scope), Subject: Clean(claims.Subject)}
	if claims.ExpiresAt != nil {
		read.Expires = claims.ExpiresAt.Time
	}
	return read, nil
}

// StaticToken never changes.
func StaticToken(token string) TokenSource { return staticToken(token) }

type staticToken string

func (t staticToken) Token(context.Context) (string, error) { return string(t), nil }
func (t staticToken) Refresh(context.Context) (bool, error) { return false, nil }
func (t staticToken) Describe() string                      { return "the program itself" }

// normalToken is what a source said, without the space around it.
func normalToken(raw string) (string, error) {
	token := strings.TrimSpace(raw)
	return token, checkToken(token)
}

// checkToken refuses what cannot stand in a header, by position only.
func checkToken(token string) error {
	if token == "" {
		return errors.New("it is empty")
	}
	for i, r := range token {
		switch {
		case r == '\n', r == '\r':
			return fmt.Errorf("it has more than one line (line break at byte %d)", i)
		case r <= ' ' || r > '~':
			return fmt.Errorf("it has a character that no token has (at byte %d)", i)
		}
	}
	return nil
}
