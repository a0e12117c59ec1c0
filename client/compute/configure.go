package compute

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/StorconTUI/storcon-tui/client"
)

// Form is the shape of the body that /configure takes.
type Form int

// The forms.
const (
	FormToday Form = iota // {"spec", "compute_ctl_config"}; older servers ignore the second member
	Form2023              // {"spec"} alone; today's answer 422 to it
)

// configureBody of both forms. What stands in compute_ctl_config is not used by
// the server, which never rotates its keys; it must be there.
type configureBody struct {
	Spec   json.RawMessage `json:"spec"`
	Config *ctlConfig      `json:"compute_ctl_config,omitempty"`
}

type ctlConfig struct {
	JWKS struct {
		Keys []json.RawMessage `json:"keys"`
	} `json:"jwks"`
	TLS *struct{} `json:"tls"`
}

func bodyOf(spec json.RawMessage, form Form) configureBody {
	body := configureBody{Spec: spec}
	if form == FormToday {
		body.Config = &ctlConfig{}
		body.Config.JWKS.Keys = []json.RawMessage{}
	}
	return body
}

// Configure hands the compute a new spec, a JSON object, and waits until it is
// applied or limit is over (contract B.4). The server has no limit of its own: it
// sometimes never answers after a failure that /status tells at once, so that whoever
// calls polls Status beside it. Ending ctx ends the wait and nothing else: the compute
// goes on. Of an error VerdictOf says what is known.
//
// The server may quote the spec when it refuses it; its secrets are blanked in the error.
//
// A 200 does not mean that Postgres took every setting (contract B.13).
func (c *Client) Configure(ctx context.Context, spec json.RawMessage, form Form, limit time.Duration) (Status, error) {
	var got Status
	err := c.conn.Do(ctx, client.Request{
		Method: http.MethodPost, Path: "/configure", Body: bodyOf(spec, form), Want: http.StatusOK, Timeout: limit, MayLeave: true,
		Hide:   func(said []byte) []byte { return hideSecrets(spec, said) },
		Decode: func(answer []byte) error { return got.UnmarshalJSON(answer) },
	})
	if err != nil {
		return Status{}, err
	}
	return got, nil
}

// Verdict is what is known of a Configure.
type Verdict int

// The verdicts.
const (
	// Unknown: no answer, or one that tells nothing; the status has to tell.
	Unknown Verdict = iota
	// Applied: 200.
	Applied
	// Busy: the compute is in a state that takes no spec (412); nothing was done.
	Busy
	// BadSpec: the compute refuses this spec (400, 413, 422); nothing was done.
	BadSpec
	// Failed: it tried and could not (500). The compute takes no spec any more; its
	// Postgres may still serve.
	Failed
	// NotSent: it could not be asked, or does not take the token; nothing was done.
	NotSent
)

func (v Verdict) String() string {
	switch v {
	case Applied:
		return "applied"
	case Busy:
		return "busy"
	case BadSpec:
		return "spec refused"
	case Failed:
		return "failed"
	case NotSent:
		return "not sent"
	}
	return "unknown"
}

// The words by which answers are told apart (contract B.4).
const (
	textConfigureFailed = "compute configuration failed"
	textInvalidStatus   = "invalid compute status"
)

// VerdictOf reads the error of a Configure.
func VerdictOf(err error) Verdict {
	var e *client.Error
	switch {
	case err == nil:
		return Applied
	case !errors.As(err, &e):
		return Unknown
	}
	switch e.Status {
	case http.StatusPreconditionFailed:
		if strings.HasPrefix(e.Msg, textInvalidStatus) {
			return Busy
		}
		return BadSpec // before 2023-12-01 a spec that makes no sense was a 412 too
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		if e.Kind == client.Refused {
			return BadSpec
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return NotSent // no compute_ctl, or the port of another one
	case http.StatusInternalServerError:
		if strings.HasPrefix(e.Msg, textConfigureFailed) {
			return Failed
		}
	}
	switch e.Kind {
	case client.Unauthorized, client.Unreachable, client.ReadOnly, client.Refused:
		return NotSent
	}
	return Unknown
}

// BusyState is the state that a 412 names, in the spelling of /status; "" when
// err names none. The texts have it with hyphens, those of 2023 in CamelCase.
func BusyState(err error) State {
	var e *client.Error
	if !errors.As(err, &e) || e.Status != http.StatusPreconditionFailed || !strings.HasPrefix(e.Msg, textInvalidStatus) {
		return ""
	}
	word := e.Msg[strings.LastIndexByte(e.Msg, ' ')+1:]
	var b strings.Builder
	for i, r := range word {
		switch {
		case r == '-':
			b.WriteByte('_')
		case unicode.IsUpper(r):
			if i > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return State(b.String())
}
