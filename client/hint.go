package client

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	hintUseHTTPS = "the server speaks TLS: use https:// in the url"
	hintUseHTTP  = "the server does not speak TLS: use http:// in the url"
	hintCA       = "name the authority that signed the server's certificate with ca_file or --ca-file"
)

// schemeMismatch reports an answer that shows the other of http and https, so
// that no request was understood.
func schemeMismatch(err error) bool { return schemeHint(err) != "" }

func schemeHint(err error) string {
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return hintUseHTTP
	case err != nil && strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`):
		return hintUseHTTPS
	}
	return ""
}

// hint is what a person can do about the failure; "" when nothing general can
// be said.
func (c *Conn) hint(e *Error, out outcome, body []byte, location, token string) string {
	if out.status == 0 {
		return connectHint(e.Err)
	}
	switch {
	case e.Kind == Unauthorized:
		return c.tokenHint(out.status, token)
	case out.status >= 300 && out.status < 400:
		return redirectHint(location)
	case out.status == http.StatusBadRequest && strings.Contains(out.msg, "HTTPS") && strings.Contains(out.msg, "HTTP request"):
		return hintUseHTTPS
	case e.Kind == BadAnswer:
		return c.strangerHint(e, body)
	}
	return ""
}

func connectHint(err error) string {
	if hint := schemeHint(err); hint != "" {
		return hint
	}
	var (
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &unknown):
		return hintCA
	case errors.As(err, &hostname):
		return "the certificate is for another name: use one of its names in the url"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the server's certificate, or this machine's clock, is out of date"
	case errors.As(err, &invalid):
		return hintCA
	}
	return ""
}

func redirectHint(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Host == "" {
		return "redirects are not followed"
	}
	return fmt.Sprintf("redirects are not followed; it points to %s", Clean(u.Scheme+"://"+u.Host))
}

func (c *Conn) tokenHint(status int, token string) string {
	if c.cfg.Token == nil {
		return "no token is configured: token_file, token_env or token_command"
	}
	source := c.cfg.Token.Describe()
	claims, err := Claims(token)
	switch {
	case err != nil:
		return "the token of " + source + " is not a JWT"
	case !claims.Expires.IsZero() && time.Now().After(claims.Expires):
		return fmt.Sprintf("the token of %s expired at %s", source, claims.Expires.UTC().Format(time.RFC3339))
	case status == http.StatusForbidden && claims.Scope != "" && claims.Scope != ScopeAdmin:
		return fmt.Sprintf("the token of %s has scope %s", source, claims.Scope)
	}
	return "the server does not accept the token of " + source
}

// strangerHint guesses what answered instead of the server we wanted.
func (c *Conn) strangerHint(e *Error, body []byte) string {
	var stranger *strangerError
	switch {
	case errors.As(e.Err, &stranger):
		return answersLike(stranger.what, c.dialect.Server)
	case strings.EqualFold(e.Msg, textPageNotFound):
		return answersLike("a pageserver", c.dialect.Server)
	case isHTML(body):
		return answersLike("a web page", c.dialect.Server)
	case e.Status == http.StatusNotFound:
		return "this does not answer like " + c.dialect.Server + ": is the port right?"
	}
	return ""
}

func answersLike(what, wanted string) string {
	return "this answers like " + what + ", not " + wanted + ": is the port right?"
}

func isHTML(body []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 512)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// strangerError is a decoding failure that shows who answered.
type strangerError struct {
	what string // "a pageserver"
	err  error
}

func (s *strangerError) Error() string { return s.err.Error() }
func (s *strangerError) Unwrap() error { return s.err }
