package compute

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hideSecrets blanks in what a server said the secrets of the spec that it was sent:
// it quotes values that it cannot read, in lower case, and Postgres quotes what it
// could not apply.
func hideSecrets(spec json.RawMessage, said []byte) []byte {
	s, err := ParseSpec(spec)
	if err != nil {
		return said // such a spec is not sent
	}
	const shortest = 4 // bytes; less would be found in innocent words
	var wanted []string
	for _, secret := range secretsIn(nil, "", s.members()) {
		if len(secret) >= shortest {
			quoted := strconv.Quote(secret) // as JSON does it, in most cases
			wanted = append(wanted, regexp.QuoteMeta(secret), regexp.QuoteMeta(quoted[1:len(quoted)-1]))
		}
	}
	if len(wanted) == 0 {
		return said
	}
	slices.SortFunc(wanted, func(a, b string) int { return len(b) - len(a) }) // the whole before its parts
	pattern, err := regexp.Compile("(?i)" + strings.Join(slices.Compact(wanted), "|"))
	if err != nil {
		return []byte(blank) // too many to look for: better nothing than one of them
	}
	return pattern.ReplaceAllLiteral(said, []byte(blank))
}

// secretsIn adds the values under value that redact blanks.
func secretsIn(out []string, path string, value any) []string {
	if secretPath.MatchString(path) || secretEntry.MatchString(path) {
		return stringsIn(out, value)
	}
	switch of := value.(type) {
	case map[string]any, []any:
		for name, inner := range members(of) {
			out = secretsIn(out, path+name, inner)
		}
	case string:
		if strings.HasSuffix(path, ".postgresql_conf") {
			for _, line := range secretLine.FindAllString(of, -1) {
				out = append(out, line)
				if match := configLine.FindStringSubmatch(line); match != nil {
					out = append(out, strings.Trim(match[2], `'`))
				}
			}
		}
		for _, part := range append(strings.Split(of, ","), of) {
			out = secretParts(out, part)
		}
	}
	return out
}

// secretParts adds what scrub blanks in text.
func secretParts(out []string, text string) []string {
	out = append(out, jwt.FindAllString(text, -1)...)
	for _, match := range password.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Trim(match[2], `'"`))
	}
	for _, match := range userinfo.FindAllStringSubmatch(text, -1) {
		out = append(out, match[2]+match[4])
	}
	for _, match := range bareUser.FindAllStringSubmatch(text, -1) {
		if !plainUser.MatchString(match[0]) {
			out = append(out, match[1])
		}
	}
	return out
}

func stringsIn(out []string, value any) []string {
	switch of := value.(type) {
	case string:
		return append(out, of)
	case json.Number:
		return append(out, of.String())
	case map[string]any, []any:
		for _, inner := range members(of) {
			out = stringsIn(out, inner)
		}
	}
	return out
}
