package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// reply is an answer before it is sent.
type reply struct {
	status      int
	contentType string
	body        []byte
}

const (
	typeJSON = "application/json"
	typeText = "text/plain"
)

// jsonReply encodes a success. The types that are given to it always encode.
func jsonReply(status int, v any) *reply {
	body, err := json.Marshal(v)
	if err != nil {
		panic("encode an answer of the demo: " + err.Error())
	}
	return &reply{status: status, contentType: typeJSON, body: body}
}

// null is the controller's answer when it has nothing to say.
func null(status int) *reply {
	return &reply{status: status, contentType: typeJSON, body: []byte("null")}
}

// message is the controller's error body.
func message(status int, text string) *reply {
	return jsonReply(status, struct {
		Msg string `json:"msg"`
	}{text})
}

// badRequest quotes its text once more than other errors, as the wire does.
func badRequest(text string) *reply {
	return message(http.StatusBadRequest, strconv.Quote(text))
}

func notFoundPage() *reply {
	return &reply{status: http.StatusNotFound, contentType: typeText, body: []byte("Not Found")}
}

// failure gives a refusal of the model its status and prefix.
func failure(err error) *reply {
	var e *sim.Error
	if !errors.As(err, &e) {
		return message(http.StatusInternalServerError, err.Error())
	}
	switch e.Kind {
	case sim.BadRequest:
		return badRequest(e.Text)
	case sim.NotFound:
		return message(http.StatusNotFound, "NotFound: "+e.Text)
	case sim.Conflict:
		return message(http.StatusConflict, "Conflict: "+e.Text)
	case sim.Precondition:
		return message(http.StatusPreconditionFailed, "Precondition failed: "+e.Text)
	case sim.Unavailable:
		return message(http.StatusServiceUnavailable, e.Text)
	case sim.Timeout:
		return message(http.StatusRequestTimeout, e.Text)
	default:
		return message(http.StatusInternalServerError, e.Text)
	}
}

// done is the answer to a request that changes something.
func done(status int, err error) *reply {
	if err != nil {
		return failure(err)
	}
	return null(status)
}

func (p *reply) send(rw http.ResponseWriter) {
	h := rw.Header()
	if p.contentType != "" {
		h.Set("Content-Type", p.contentType)
	}
	if p.status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(p.body)))
	}
	rw.WriteHeader(p.status)
	_, _ = rw.Write(p.body) // the caller has gone away if this fails
}
