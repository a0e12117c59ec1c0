package server

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// FaultKind is what goes wrong with a request to the controller.
type FaultKind string

// The faults.
const (
	faultDropBefore FaultKind = "drop-before"
	faultDropAfter  FaultKind = "drop-after"
	faultStatus     FaultKind = "status"
	faultBody       FaultKind = "body"
	faultDelay      FaultKind = "delay"
)

// Fault spoils the next Count requests whose path matches.
//
//   - drop-before: the connection ends and the request never arrives: it is
//     neither carried out nor in the list of calls.
//   - drop-after: it is carried out, and the connection ends without an answer.
//   - status: it is not carried out; Value is the status to answer and, after a
//     space or colon, the msg: "412 Precondition failed: ...".
//   - body: it is carried out; Value is the body to send instead of the true
//     one, or "cut" (also when empty) for the first half of the true one.
//   - delay: it is carried out and the answer is held back for Value, a
//     duration of the network that Speed does not divide.
type Fault struct {
	Path   string // regular expression, found anywhere in the path
	Method string // "" = any
	Count  int    // 0 = 1
	Kind   FaultKind
	Value  string
}

type armedFault struct {
	Fault
	path   *regexp.Regexp
	status int
	text   string
	delay  time.Duration
	left   int
}

type faultSet struct {
	mu    sync.Mutex
	armed []*armedFault
}

// AddFault arms a fault; several that match are used up in order.
func (s *Server) AddFault(f Fault) error {
	armed, err := arm(f)
	if err != nil {
		return err
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.armed = append(s.faults.armed, armed)
	return nil
}

// ClearFaults disarms all faults.
func (s *Server) ClearFaults() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.armed = nil
}

func arm(f Fault) (*armedFault, error) {
	a := &armedFault{Fault: f, left: max(f.Count, 1)}
	var err error
	if f.Path == "" {
		return nil, fmt.Errorf("path: a regular expression is required")
	}
	if a.path, err = regexp.Compile(f.Path); err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	if f.Count < 0 {
		return nil, fmt.Errorf("count: must be at least 1")
	}
	switch f.Kind {
	case faultDropBefore, faultDropAfter, faultBody:
	case faultStatus:
		end := strings.IndexAny(f.Value+" ", " :")
		if a.status, err = strconv.Atoi(f.Value[:end]); err != nil || a.status < 200 || a.status > 599 {
			return nil, fmt.Errorf("value: %q does not begin with a status between 200 and 599", f.Value)
		}
		a.text = strings.TrimLeft(f.Value[end:], " :")
	case faultDelay:
		if a.delay, err = time.ParseDuration(f.Value); err != nil || a.delay < 0 {
			return nil, fmt.Errorf("value: %q is not a duration such as 900ms", f.Value)
		}
	default:
		return nil, fmt.Errorf("kind: %q is none of drop-before, drop-after, status, body, delay", f.Kind)
	}
	return a, nil
}

// take uses up the first fault that matches; nil when none does.
func (fs *faultSet) take(r *http.Request) *armedFault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for i, a := range fs.armed {
		if (a.Method != "" && !strings.EqualFold(a.Method, r.Method)) || !a.path.MatchString(r.URL.Path) {
			continue
		}
		if a.left--; a.left == 0 {
			fs.armed = append(fs.armed[:i:i], fs.armed[i+1:]...)
		}
		return a
	}
	return nil
}

// instead is the answer of a request that is not carried out; nil when it is.
func (a *armedFault) instead() *reply {
	if a == nil || a.Kind != faultStatus {
		return nil
	}
	text := a.text
	if text == "" {
		text = http.StatusText(a.status)
	}
	return message(a.status, text)
}

// deliver sends the answer, or what the fault makes of it.
func (a *armedFault) deliver(ctx context.Context, rw http.ResponseWriter, answer *reply) {
	if a == nil {
		answer.send(rw)
		return
	}
	switch a.Kind {
	case faultDropAfter:
		hangUp(rw)
	case faultDelay:
		timer := time.NewTimer(a.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			answer.send(rw)
		case <-ctx.Done():
		}
	case faultBody:
		if a.Value == "" || a.Value == "cut" {
			sendCut(rw, answer)
			return
		}
		(&reply{status: answer.status, contentType: answer.contentType, body: []byte(a.Value)}).send(rw)
	default:
		answer.send(rw)
	}
}

// sendCut announces the whole body and breaks off in its middle.
func sendCut(rw http.ResponseWriter, answer *reply) {
	rw.Header().Set("Content-Type", answer.contentType)
	rw.Header().Set("Content-Length", strconv.Itoa(len(answer.body)))
	rw.WriteHeader(answer.status)
	_, _ = rw.Write(answer.body[:len(answer.body)/2]) // the caller has gone away if this fails
	_ = http.NewResponseController(rw).Flush()
	panic(http.ErrAbortHandler)
}
