package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
)

const (
	maxBody      = 64 << 20 // bytes; 100 000 tenants are about 40 MB
	maxErrorBody = 8 << 10
	dialTimeout  = 5 * time.Second
)

// newTransport honours the proxy of the environment and stays with HTTP/1.1,
// whose requests a transport never repeats behind our back.
func newTransport(cfg Config, keepAlive bool) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		IdleConnTimeout:       30 * time.Second,
		MaxIdleConnsPerHost:   4,
		DisableKeepAlives:     !keepAlive,
		ExpectContinueTimeout: time.Second,
		Protocols:             &protocols,
	}
	if cfg.TLS != nil {
		transport.TLSClientConfig = cfg.TLS.Clone()
	}
	return transport
}

// NewHTTP is what the packages below client send with whose servers are no
// Conn's: bounded dials, no redirects, nothing logged. Of cfg it takes BaseURL,
// TLS and UserAgent.
func NewHTTP(cfg Config) *resty.Client { return newResty(cfg, newTransport(cfg, true)) }

// newResty follows no redirect: the API has none, and a token must not go to
// another host. It logs nothing, since its warnings would land on the screen.
func newResty(cfg Config, transport *http.Transport) *resty.Client {
	return resty.NewWithClient(&http.Client{Transport: transport}).
		SetBaseURL(cfg.BaseURL).
		SetHeader("User-Agent", cfg.UserAgent).
		SetHeader("Accept", "*/*").
		SetDisableWarn(true).
		SetLogger(discard{}).
		SetRedirectPolicy(resty.RedirectPolicyFunc(func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}))
}

type discard struct{}

func (discard) Errorf(string, ...any) {}
func (discard) Warnf(string, ...any)  {}
func (discard) Debugf(string, ...any) {}

// attempt sends req once, tells OnSend and OnCall, and says what came of it.
func (c *Conn) attempt(ctx context.Context, via *resty.Client, req Request) (outcome, error) {
	out := outcome{mutates: req.mutates(), want: req.Want}
	token, err := c.token(ctx, req)
	if ctx.Err() != nil {
		return out, c.unsent(req, ctx.Err())
	}
	if err != nil {
		return out, &Error{
			Kind: Unauthorized, Method: req.Method, Path: req.Path,
			Err: fmt.Errorf("token from %s: %w", c.cfg.Token.Describe(), err),
		}
	}
	if req.Method != http.MethodGet && !req.MayLeave {
		ctx = context.WithoutCancel(ctx) // from here on, see write
	}
	call := Call{At: time.Now(), Method: req.Method, Path: req.Path, Probe: req.Probe}
	if c.cfg.OnSend != nil {
		c.cfg.OnSend(call)
	}
	body, location, err := c.exchange(ctx, via, req, token, &out)
	body = forget(body, token)
	if success := err == nil && out.status == out.want; !success {
		body = req.hidden(body)
	} else if req.Decode != nil {
		if err = req.Decode(body); err != nil {
			out.cut = true
			if req.Hide != nil { // before an error quotes a part of it
				err = cmp.Or(req.Decode(req.hidden(body)), err)
			}
		}
	}
	failure := c.failure(req, out, body, location, token, err)
	if c.cfg.OnCall != nil {
		call.Status, call.Took, call.Err = out.status, time.Since(call.At), failure
		c.cfg.OnCall(call)
	}
	return out, failure
}

func (c *Conn) token(ctx context.Context, req Request) (string, error) {
	if c.cfg.Token == nil || req.Anonymous {
		return "", nil
	}
	token, err := c.cfg.Token.Token(ctx)
	if err == nil {
		err = checkToken(token)
	}
	return token, err
}

// exchange fills in what was seen of the answer and returns its body. An error
// with a status means that the body broke off.
func (c *Conn) exchange(ctx context.Context, via *resty.Client, req Request, token string, out *outcome) (body []byte, location string, err error) {
	timeout := req.Timeout
	if timeout <= 0 {
		timeout = c.cfg.Timeouts.Read
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v: %w", timeout, context.DeadlineExceeded))
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	r := via.R().SetContext(ctx).SetDoNotParseResponse(true)
	if token != "" {
		r.SetAuthToken(token)
	}
	if req.Body != nil {
		r.SetHeader("Content-Type", "application/json").SetBody(req.Body)
	}
	resp, err := r.Execute(req.Method, req.Path)
	if resp != nil && resp.RawResponse != nil {
		defer closeBody(resp.RawResponse.Body)
	}
	if err != nil {
		out.written = connected.Load() && !schemeMismatch(err)
		return nil, "", cause(ctx, err)
	}
	out.status = resp.StatusCode()
	if out.status == req.Also {
		out.want = req.Also
	}
	body, err = readBody(resp.RawResponse.Body, out.status == out.want)
	if err != nil {
		out.cut = true
		err = cause(ctx, err)
	}
	return body, resp.Header().Get("Location"), err
}

func closeBody(body io.Closer) {
	if err := body.Close(); err != nil {
		slog.Debug("closing an answer's body", "err", err)
	}
}

// readBody reads at most what an answer may have. An error body is only shown,
// so that its end may be missing.
func readBody(r io.Reader, success bool) ([]byte, error) {
	if !success {
		body, err := io.ReadAll(io.LimitReader(r, maxErrorBody))
		if len(body) > 0 {
			err = nil
		}
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return body, fmt.Errorf("the answer broke off after %d bytes: %w", len(body), err)
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("the answer is longer than %d MiB", maxBody>>20)
	}
	return body, nil
}

// cause is the reason below net/http's wrapping, which repeats method and URL.
// Our own deadline is told apart from the caller's.
func cause(ctx context.Context, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// failure is nil for a success.
func (c *Conn) failure(req Request, out outcome, body []byte, location, token string, err error) error {
	if out.status != 0 && out.status != req.Want {
		out.msg, out.inJSON = c.dialect.message(body)
	}
	kind := classify(out)
	if kind == 0 {
		return nil
	}
	e := &Error{Kind: kind, Method: req.Method, Path: req.Path, Status: out.status, Msg: out.msg, Err: err}
	if err != nil && out.status == 0 {
		e.Err = cleanError(err, func(said []byte) []byte { return req.hidden(forget(said, token)) })
	}
	if err == nil && out.status >= 200 && out.status < 300 {
		e.Err = fmt.Errorf("status %d should have come", req.Want)
	}
	e.Hint = c.hint(e, out, body, location, token)
	return e
}

// forget removes the token from what a server, or a proxy before it, said back:
// its words go to the screen, the log and the journal.
func forget(said []byte, token string) []byte {
	const shortest = 8 // bytes; less would be found in innocent words
	if len(token) < shortest {
		return said
	}
	return bytes.ReplaceAll(said, []byte(token), []byte("[token]"))
}

// hidden is what a server said without what the request had to hide.
func (r Request) hidden(said []byte) []byte {
	if r.Hide == nil || len(said) == 0 {
		return said
	}
	return r.Hide(said)
}

// cleanError keeps the chain of an error whose text quotes what a server sent, and of
// which forget is to be asked first; nil = that was done.
func cleanError(err error, forget func(said []byte) []byte) error {
	text := err.Error()
	said := text
	if forget != nil {
		said = string(forget([]byte(text)))
	}
	if safe := Clean(said); safe != text {
		return cleaned{err: err, text: safe}
	}
	return err
}

type cleaned struct {
	err  error
	text string
}

func (c cleaned) Error() string { return c.text }
func (c cleaned) Unwrap() error { return c.err }
