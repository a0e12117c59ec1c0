package journal

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

// minSecret is the shortest text that is taken for a secret: anything shorter
// would be found in innocent words.
const minSecret = 8

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// Redactor removes known secrets from text. Its zero value knows none. It may be
// used and added to from several goroutines.
type Redactor struct {
	mu      sync.RWMutex
	secrets []string // longest first, so that a part does not hide the whole
}

// Add makes secrets known: tokens as they are read, also when they change. Those
// shorter than eight bytes are passed over.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range secrets {
		s = strings.TrimSpace(s)
		if len(s) >= minSecret && !slices.Contains(r.secrets, s) {
			r.secrets = append(r.secrets, s)
		}
	}
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
}

// Redact returns s without the secrets known so far.
func (r *Redactor) Redact(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, Redacted)
	}
	return s
}

// redactRecord applies redact to every text of the record that does not come
// from a fixed list.
func redactRecord(r Record, redact func(string) string) Record {
	r.Call = redact(r.Call)
	r.Why = redact(r.Why)
	r.Data = jsonline.Redact(r.Data, redact)
	if r.By != nil {
		by := Actor{
			User: redact(r.By.User), Host: redact(r.By.Host), TTY: redact(r.By.TTY),
			SSH: redact(r.By.SSH), Subject: redact(r.By.Subject),
		}
		r.By = &by
	}
	if r.Pre != nil {
		pre := *r.Pre
		pre.Policy, pre.Availability = redact(pre.Policy), redact(pre.Availability)
		pre.Epoch, pre.Revision = redact(pre.Epoch), redact(pre.Revision)
		r.Pre = &pre
	}
	if r.Extra != nil {
		extra := make(map[string]json.RawMessage, len(r.Extra))
		for k, v := range r.Extra {
			extra[k] = jsonline.Redact(v, redact)
		}
		r.Extra = extra
	}
	return r
}
