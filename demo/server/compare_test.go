package server

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/stretchr/testify/require"
)

// compare status, content type, msg and shape of an answer.
func (st *stage) compare(where string, e exchange, got answer) {
	st.t.Helper()
	want := e.Response
	require.Equal(st.t, want.Status, got.status, "%s: %s", where, got.body)
	if want.Status == 0 {
		return
	}
	require.Equal(st.t, want.Headers["content-type"], got.header.Get("Content-Type"), where)
	require.NotEmpty(st.t, got.header.Get("X-Request-Id"), where)
	if want.Headers["content-type"] != typeJSON {
		if want.Headers["content-type"] == typeText {
			require.Equal(st.t, want.Body, got.body, where)
		}
		return
	}
	var wantJSON, gotJSON any
	require.NoError(st.t, json.Unmarshal([]byte(want.Body), &wantJSON), where)
	require.NoError(st.t, json.Unmarshal([]byte(got.body), &gotJSON), where)
	if m, ok := wantJSON.(map[string]any); ok && m["msg"] != nil {
		require.Equal(st.t, normal(m["msg"].(string)), normal(st.msg(got)), where)
	}
	if diff := differs("", wantJSON, gotJSON); diff != "" {
		st.t.Errorf("%s: %s\nrecorded %.300s\ngot      %.300s", where, diff, want.Body, got.body)
	}
}

var (
	hexID = regexp.MustCompile(`[0-9a-f]{32}(-[0-9a-f]{4})?`)
	port  = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	place = regexp.MustCompile(`line \d+ column \d+`)
)

func normal(msg string) string {
	return place.ReplaceAllString(hexID.ReplaceAllString(port.ReplaceAllString(msg, "HOST"), "ID"), "line L column C")
}

// differs compares the shapes of two JSON values: the same keys, the same
// types. null goes with anything, and so does an empty list.
func differs(at string, want, got any) string {
	if want == nil || got == nil {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: an object became %T", at, got)
		}
		return differentFields(at, w, g)
	case []any:
		g, ok := got.([]any)
		if !ok {
			return fmt.Sprintf("%s: a list became %T", at, got)
		}
		if len(w) == 0 {
			return ""
		}
		for _, v := range g {
			if d := differs(at+"[]", w[0], v); d != "" {
				return d
			}
		}
		return ""
	}
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
		return fmt.Sprintf("%s: %T became %T", at, want, got)
	}
	return ""
}

// digits are the keys of objects that are keyed by ids: their values are
// compared, not their keys.
var digits = regexp.MustCompile(`^\d+$`)

func differentFields(at string, want, got map[string]any) string {
	for k, w := range want {
		if digits.MatchString(k) {
			for _, g := range got {
				if d := differs(at+".*", w, g); d != "" {
					return d
				}
			}
			return ""
		}
		g, ok := got[k]
		if !ok {
			return fmt.Sprintf("%s: field %q is missing", at, k)
		}
		if d := differs(at+"."+k, w, g); d != "" {
			return d
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			return fmt.Sprintf("%s: field %q is new", at, k)
		}
	}
	return ""
}
