package server

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The scopes that the controller's tokens may have; any other string makes a
// token invalid.
const (
	scopeNone        = "" // the route is open
	scopeAdmin       = "admin"
	scopeInfra       = "infra"
	scopeScrubber    = "scrubber"
	scopeGenerations = "generations_api"
)

var knownScopes = []string{
	scopeAdmin, scopeInfra, scopeScrubber, scopeGenerations,
	"pageserverapi", "controller_peer", "safekeeperdata", "tenant", "tenantendpoint",
}

// authority signs and checks the tokens of one cluster. Its key follows from
// the seed, so that a token file outlives a restart of the demo. It guards
// nothing real.
type authority struct {
	key ed25519.PrivateKey
}

func newAuthority(seed int64) *authority {
	sum := sha256.Sum256(fmt.Appendf(nil, "storcon-tui demo %d", seed))
	return &authority{key: ed25519.NewKeyFromSeed(sum[:])}
}

type claims struct {
	Scope string `json:"scope"`
	jwt.RegisteredClaims
}

func (a *authority) token(scope string, exp time.Time) string {
	c := claims{Scope: scope}
	if !exp.IsZero() {
		c.ExpiresAt = jwt.NewNumericDate(exp)
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c).SignedString(a.key)
	if err != nil {
		panic("sign with an Ed25519 key that we made: " + err.Error())
	}
	return signed
}

// allow checks a request against the scope that its route wants; nil lets it
// pass.
func (a *authority) allow(r *http.Request, want string) *reply {
	token, refusal := bearer(r)
	if refusal != nil {
		return refusal
	}
	var c claims
	_, err := jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return a.key.Public(), nil },
		jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithLeeway(time.Minute))
	valid := err == nil && slices.Contains(knownScopes, c.Scope) && len(c.Audience) == 0
	if !valid || (c.Scope != scopeAdmin && c.Scope != want) {
		return message(http.StatusForbidden, "Forbidden: JWT authentication error")
	}
	return nil
}

// computeClaims are those of a compute's token (contract B.1).
type computeClaims struct {
	Scope     string `json:"scope,omitempty"`
	ComputeID string `json:"compute_id,omitempty"`
	jwt.RegisteredClaims
}

// scopeComputeAdmin may do everything with every compute.
const scopeComputeAdmin = "compute_ctl:admin"

func (a *authority) computeToken(c computeClaims) string {
	signed, err := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c).SignedString(a.key)
	if err != nil {
		panic("sign with an Ed25519 key that we made: " + err.Error())
	}
	return signed
}

// allowCompute checks a request to the compute of that name; nil lets it pass.
func (a *authority) allowCompute(r *http.Request, name string) *reply {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "bearer") || strings.TrimSpace(token) == "" {
		return computeError(http.StatusBadRequest, "invalid authorization token")
	}
	var c computeClaims
	_, err := jwt.ParseWithClaims(strings.TrimSpace(token), &c, func(*jwt.Token) (any, error) { return a.key.Public(), nil },
		jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithLeeway(time.Minute))
	switch {
	case err != nil, c.Scope != "" && c.Scope != scopeComputeAdmin:
		return computeError(http.StatusUnauthorized, "failed to verify authorization token")
	case c.Scope != "" && len(c.Audience) == 0:
		return computeError(http.StatusUnauthorized, "missing audience in authorization token claims")
	case c.Scope != "" && !slices.Contains(c.Audience, "compute"):
		return computeError(http.StatusUnauthorized, "invalid audience in authorization token claims")
	case c.Scope != "":
		return nil
	case c.ComputeID == "":
		return computeError(http.StatusForbidden, "missing compute_id in authorization token claims")
	case c.ComputeID != name:
		return computeError(http.StatusForbidden, "invalid compute ID in authorization token claims")
	}
	return nil
}

func bearer(r *http.Request) (string, *reply) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return "", message(http.StatusUnauthorized, "Unauthorized: missing authorization header")
	}
	token, ok := strings.CutPrefix(header, "Bearer ")
	if !ok || token == "" {
		return "", message(http.StatusUnauthorized, "Unauthorized: malformed authorization header")
	}
	return token, nil
}
