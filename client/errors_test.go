package client

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*Error{
		"PUT /x: 412 Precondition failed: busy":                {Kind: Refused, Method: "PUT", Path: "/x", Status: 412, Msg: "Precondition failed: busy"},
		"GET /live: 503":                                       {Kind: Unreachable, Method: "GET", Path: "/live", Status: 503},
		"GET /x: connection refused":                           {Kind: Unreachable, Method: "GET", Path: "/x", Err: errors.New("connection refused")},
		"GET /x: 200: id is missing":                           {Kind: BadAnswer, Method: "GET", Path: "/x", Status: 200, Err: errors.New("id is missing")},
		"GET /x: 404 Not Found (is the port right?)":           {Kind: BadAnswer, Method: "GET", Path: "/x", Status: 404, Msg: "Not Found", Hint: "is the port right?"},
		"DELETE /x: not sent: this client is read-only":        {Kind: ReadOnly, Method: "DELETE", Path: "/x"},
		"PUT /x: not sent: context canceled (try again later)": {Kind: Unreachable, Method: "PUT", Path: "/x", Err: errors.New("not sent: context canceled"), Hint: "try again later"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
		wrapped := fmt.Errorf("drain node 3: %w", e)
		if KindOf(wrapped) != e.Kind || StatusOf(wrapped) != e.Status || !errors.Is(wrapped, e) {
			t.Errorf("%v: %v %d", wrapped, KindOf(wrapped), StatusOf(wrapped))
		}
	}
	if KindOf(nil) != 0 || KindOf(io.EOF) != 0 || StatusOf(io.EOF) != 0 {
		t.Error("a kind for another error")
	}
}

func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for k := Refused; k <= ReadOnly; k++ {
		if seen[k.String()] || k.String() == Kind(0).String() {
			t.Errorf("kind %d is called %q", k, k)
		}
		seen[k.String()] = true
	}
}

// blanks never ends.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestAnswersAreBounded(t *testing.T) {
	if _, err := readBody(blanks{}, true); err == nil || !strings.Contains(err.Error(), "longer than 64 MiB") {
		t.Error(err)
	}
	if body, err := readBody(blanks{}, false); err != nil || len(body) != maxErrorBody {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}
