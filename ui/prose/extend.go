package prose

import (
	"fmt"
	"time"
)

// maxExtend bounds how much longer one answer may make a run wait.
const maxExtend = 24 * time.Hour

// ParseExtend reads how long a run is to wait on: "10m", "90s".
func ParseExtend(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no time; write it like 10m or 90s", text)
	case d <= 0 || d > maxExtend:
		return 0, fmt.Errorf("wait takes a time of more than 0 and at most 24h, not %s", text)
	}
	return d, nil
}
