package client

import (
	"net/http"
	"strings"
)

// outcome is what one attempt brought.
type outcome struct {
	mutates bool
	status  int    // 0: no answer
	want    int    // the status of success
	msg     string // the server's words, from a JSON error body
	inJSON  bool   // the error body was this API's JSON error object
	written bool   // some of the request may have reached the server (meaningful without a status)
	cut     bool   // the answer's body ended early, was too long or does not decode
}

// classify is the one place that decides what may be concluded; 0 is success.
// The package comment has it as a table.
func classify(o outcome) Kind {
	switch {
	case o.status == 0:
		return classifySilence(o)
	case o.status == o.want && !o.cut:
		return 0
	case o.status >= 200 && o.status < 300:
		return unlessMutating(o, BadAnswer)
	case o.status >= 500:
		return classifyServerError(o)
	case o.status >= 400:
		return classifyClientError(o)
	}
	return BadAnswer // a redirect, which the API has not: nothing was carried out
}

func classifyClientError(o outcome) Kind {
	switch o.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return Unauthorized
	case http.StatusRequestTimeout:
		return classifyTimeout(o)
	case http.StatusTooManyRequests:
		return Unreachable
	case http.StatusNotFound:
		if strings.EqualFold(o.msg, textPageNotFound) {
			return BadAnswer // a pageserver's router, which lacks the route
		}
	case http.StatusBadRequest:
		if o.inJSON && o.msg == textNoComputeToken {
			return Unauthorized
		}
	}
	if o.inJSON {
		return Refused
	}
	return BadAnswer // somebody else's words: nothing was carried out
}

func classifySilence(o outcome) Kind {
	if o.written {
		return unlessMutating(o, Unreachable)
	}
	return Unreachable
}

// classifyTimeout: the controller's own 408 while it starts comes before
// anything is done; one from a proxy says nothing about the request.
func classifyTimeout(o outcome) Kind {
	if strings.Contains(o.msg, textNotReady) {
		return Unreachable
	}
	return unlessMutating(o, Unreachable)
}

func classifyServerError(o outcome) Kind {
	switch o.status {
	case http.StatusServiceUnavailable:
		if strings.Contains(o.msg, textUnavailable) {
			return Refused
		}
		return Unreachable
	case http.StatusInternalServerError:
		if o.inJSON && containsAny(o.msg, textsNotForwarded) {
			return Unreachable
		}
		if o.inJSON && strings.Contains(o.msg, textUnknownForUpdate) {
			return Refused
		}
		return unlessMutating(o, Refused)
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return unlessMutating(o, Unreachable)
	}
	return unlessMutating(o, BadAnswer)
}

func unlessMutating(o outcome, k Kind) Kind {
	if o.mutates {
		return Ambiguous
	}
	return k
}

// worthRetrying reports a failed read that may well succeed a moment later.
func worthRetrying(o outcome) bool {
	switch o.status {
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return o.status == o.want && o.cut
}
