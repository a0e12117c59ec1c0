package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// send begins a recorded request.
func (st *computeStage) send(e computeExchange) pendingCompute {
	base := st.computes[0].url()
	if e.Server == "internal" {
		base = st.internal
	}
	body := e.Request.Body
	if strings.HasSuffix(body, "(2097153 bytes)") {
		body = strings.Repeat(" ", 2097153)
	}
	ctx, stop := context.WithCancel(st.t.Context())
	req, err := http.NewRequestWithContext(ctx, e.Request.Method, base+e.Request.Path, bytes.NewBufferString(body))
	require.NoError(st.t, err)
	if media, ok := e.Request.Headers["content-type"]; ok {
		req.Header.Set("Content-Type", media)
	}
	if token, ok := st.tokenFor(e); ok {
		req.Header.Set("Authorization", token)
	}
	done := make(chan answer, 1)
	before := len(st.ctl(0).Trail)
	go func() {
		resp, err := st.client.Do(req)
		if err != nil {
			done <- answer{}
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		done <- answer{status: resp.StatusCode, header: resp.Header, body: string(text)}
	}()
	return pendingCompute{e: e, done: done, stop: stop, trail: before}
}

// tokenFor is a token that earns the recorded answer: recordings name tokens and do not
// have them.
func (st *computeStage) tokenFor(e computeExchange) (string, bool) {
	sent, ok := e.Request.Headers["authorization"]
	if !ok {
		return "", false
	}
	mint := func(c computeClaims) (string, bool) { return "Bearer " + st.keys.computeToken(c), true }
	switch body := e.Response.Body; {
	case strings.Contains(body, "invalid authorization token"):
		return strings.Split(sent, " ")[0], true
	case strings.Contains(body, "failed to verify"):
		return mint(computeClaims{Scope: "pageserverapi"})
	case strings.Contains(body, "missing audience"):
		return mint(computeClaims{Scope: scopeComputeAdmin})
	case strings.Contains(body, "invalid audience"):
		return mint(computeClaims{Scope: scopeComputeAdmin, RegisteredClaims: jwt.RegisteredClaims{Audience: []string{"pageserver"}}})
	case strings.Contains(body, "missing compute_id"):
		return mint(computeClaims{})
	case strings.Contains(body, "invalid compute ID"):
		return mint(computeClaims{ComputeID: "another"})
	}
	return "Bearer " + st.ComputeToken(st.name), true
}

// settle waits for the answer, while time goes on, and compares it.
func (st *computeStage) settle(p pendingCompute) {
	defer p.stop()
	e := p.e
	where := e.Request.Method + " " + e.Request.Path + " at " + e.Label
	limit := st.simNow() + simPatience
	if strings.Contains(e.Response.Error, "timed out") {
		limit = st.offset + time.Duration((e.T+e.MS)*float64(time.Millisecond))
	}
	for {
		select {
		case got := <-p.done:
			st.compareCompute(where, e, got)
			return
		case <-time.After(time.Millisecond):
			if st.simNow() >= limit {
				require.Contains(st.t, e.Response.Error, "timed out", "%s (n %d) is not answered", where, e.N)
				p.stop()
				<-p.done
				return
			}
			st.clock.advance(time.Millisecond)
			st.with(func(*sim.World) {})
		}
	}
}

func (st *computeStage) compareCompute(where string, e computeExchange, got answer) {
	st.t.Helper()
	want := e.Response
	require.Equal(st.t, want.Status, got.status, "%s (n %d): %s, recorded %s", where, e.N, got.body, want.Body)
	if want.Status == 0 || e.Request.Method == http.MethodHead {
		return
	}
	require.Equal(st.t, want.Headers["content-type"], got.header.Get("Content-Type"), "%s (n %d)", where, e.N)
	require.NotEmpty(st.t, got.header.Get("X-Request-Id"), where)
	switch {
	case e.Request.Path == "/metrics":
		up := regexp.MustCompile(`compute_ctl_up\{.*`)
		require.Equal(st.t, up.FindString(want.Body), up.FindString(got.body), "%s (n %d)", where, e.N)
		return
	case e.Request.Path == "/insights" && want.Status == http.StatusOK:
		var text string
		require.NoError(st.t, json.Unmarshal([]byte(got.body), &text), "a JSON string")
		return
	case want.Headers["content-type"] != typeJSON:
		require.Equal(st.t, place.ReplaceAllString(want.Body, ""), place.ReplaceAllString(got.body, ""), "%s (n %d)", where, e.N)
		return
	}
	var wantJSON, gotJSON any
	require.NoError(st.t, json.Unmarshal([]byte(want.Body), &wantJSON), where)
	require.NoError(st.t, json.Unmarshal([]byte(got.body), &gotJSON), where)
	if diff := differs("", wantJSON, gotJSON); diff != "" {
		st.t.Errorf("%s (n %d): %s\nrecorded %.300s\ngot      %.300s", where, e.N, diff, want.Body, got.body)
	}
	if w, ok := wantJSON.(map[string]any); ok {
		g := gotJSON.(map[string]any)
		for _, name := range []string{"error", "status", "tenant"} {
			if text, ok := w[name].(string); ok {
				require.Equal(st.t, place.ReplaceAllString(text, ""), place.ReplaceAllString(g[name].(string), ""), "%s (n %d)", where, e.N)
			}
		}
	}
}
