package client

import "testing"

func TestClassify(t *testing.T) {
	read := outcome{want: 200}
	write := outcome{want: 202, mutates: true}
	said := func(o outcome, status int, msg string) outcome {
		o.status, o.msg, o.inJSON = status, msg, true
		return o
	}
	plain := func(o outcome, status int, msg string) outcome {
		o.status, o.msg = status, msg
		return o
	}
	cut := func(o outcome, status int) outcome {
		o.status, o.cut = status, true
		return o
	}
	sent := func(o outcome) outcome {
		o.written = true
		return o
	}
	const broken = "connection refused"
	for _, row := range []struct {
		name  string
		seen  outcome
		want  Kind
		again bool // a read is worth another attempt
	}{
		{"a read that succeeded", plain(read, 200, ""), 0, false},
		{"a write that succeeded", plain(write, 202, ""), 0, false},
		{"read, never sent", read, Unreachable, true},
		{"read, no answer", sent(read), Unreachable, true},
		{"write, never sent", write, Unreachable, true},
		{"write, no answer", sent(write), Ambiguous, true},
		{"read, cut answer", cut(read, 200), BadAnswer, true},
		{"write, cut answer", cut(write, 202), Ambiguous, true},
		{"read, another success", plain(read, 204, ""), BadAnswer, false},
		{"write, another success", plain(write, 200, ""), Ambiguous, false},
		{"redirect of a read", plain(read, 302, ""), BadAnswer, false},
		{"redirect of a write", plain(write, 307, ""), BadAnswer, false},
		{"no token", said(write, 401, "Unauthorized: missing authorization header"), Unauthorized, false},
		{"bad token", said(read, 403, "Forbidden: JWT authentication error"), Unauthorized, false},
		{"a proxy's 403", plain(write, 403, "<html>"), Unauthorized, false},
		{"no token for a compute", said(read, 400, "invalid authorization token"), Unauthorized, false},
		{"bad request", said(write, 400, `"Path and body node_id differ"`), Refused, false},
		{"unknown node", said(write, 404, "NotFound: Node 7 not registered"), Refused, false},
		{"unknown route", plain(write, 404, "Not Found"), BadAnswer, false},
		{"a pageserver's unknown route", said(read, 404, "page not found"), BadAnswer, false},
		{"orphan", said(write, 409, "Conflict: Node 7 has drain in progress"), Refused, false},
		{"slot taken", said(write, 412, "Precondition failed: Background operation already ongoing for node: drain 3"), Refused, false},
		{"starting, read", said(read, 408, "Timed out waiting for service readiness"), Unreachable, true},
		{"starting, write", said(write, 408, "Timed out waiting for service readiness"), Unreachable, true},
		{"a proxy's 408", plain(write, 408, ""), Ambiguous, true},
		{"too many requests", plain(write, 429, ""), Unreachable, true},
		{"node unavailable", said(write, 503, "Node 7 is currently unavailable"), Refused, true},
		{"shutting down", said(write, 503, "Shutting down"), Unreachable, true},
		{"candidate", said(write, 503, "Current leadership status is candidate"), Unreachable, true},
		{"stepped down", said(read, 503, "Leader is stepped down instance"), Unreachable, true},
		{"a proxy without a server", plain(write, 503, "<html>"), Unreachable, true},
		{"not live", plain(read, 503, ""), Unreachable, true},
		{"internal error of a read", said(read, 500, broken), Refused, true},
		{"internal error of a write", said(write, 500, broken), Ambiguous, true},
		{"forward failed", said(write, 500, "Failed to forward while in stepped down state: error sending request"), Ambiguous, true},
		{"not forwarded", said(write, 500, "Failed to get leader for forwarding while in stepped down state: x"), Unreachable, true},
		{"configure of an unknown node", said(write, 500, "Node node_id not found for update"), Refused, true},
		{"bad gateway, write", plain(write, 502, ""), Ambiguous, true},
		{"bad gateway, read", plain(read, 502, ""), Unreachable, true},
		{"gateway timeout, write", plain(write, 504, ""), Ambiguous, true},
		{"odd server error, write", plain(write, 501, ""), Ambiguous, false},
		{"odd server error, read", plain(read, 501, ""), BadAnswer, false},
	} {
		if got := classify(row.seen); got != row.want {
			t.Errorf("%s: %v, not %v", row.name, got, row.want)
		}
		if got := worthRetrying(row.seen); got != row.again {
			t.Errorf("%s: worth another attempt: %t, not %t", row.name, got, row.again)
		}
	}
}
