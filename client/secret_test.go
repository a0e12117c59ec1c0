package client

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Case T28: a server, or a proxy before it, may say the token back.
func TestTokenSaidBackIsNotShown(t *testing.T) {
	const token = "eyJhbGciOiJFZERTQSJ9.eyJzY29wZSI6ImFkbWluIn0.c2lnbmF0dXJl"
	echo := map[string]http.HandlerFunc{
		"in the words of a refusal": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(map[string]string{"msg": "Unauthorized: bad " + r.Header.Get("Authorization")})
		},
		"in a page": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "you sent "+r.Header.Get("Authorization")+strings.Repeat(" and more", 100))
		},
		"cut in a page": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, strings.Repeat("x", 100)+r.Header.Get("Authorization"))
		},
		"in a list that is none": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.Header.Get("Authorization"))
		},
		"in what is no HTTP": func(w http.ResponseWriter, r *http.Request) {
			cutShort(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+"\r\n\r\n")(w, r)
		},
	}
	for name, handler := range echo {
		t.Run(name, func(t *testing.T) {
			c := serve(t, Config{Token: StaticToken(token), ReadRetries: -1}, handler)
			_, err := c.Nodes(t.Context())
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			for _, part := range strings.Split(token, ".") {
				if shown := err.Error() + e.Msg + e.Hint; strings.Contains(shown, part[:len(part)/2]) {
					t.Errorf("shows %q of the token: %s", part, shown)
				}
			}
		})
	}
}
