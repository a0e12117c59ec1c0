package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUTF8Locale(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"nothing is said":          {nil, false},
		"LANG":                     {map[string]string{"LANG": "de_DE.UTF-8"}, true},
		"spelt otherwise":          {map[string]string{"LANG": "en_US.utf8"}, true},
		"the C locale":             {map[string]string{"LANG": "C"}, false},
		"C with UTF-8":             {map[string]string{"LANG": "C.UTF-8"}, true},
		"LC_ALL wins":              {map[string]string{"LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"}, false},
		"LC_CTYPE wins over LANG":  {map[string]string{"LC_CTYPE": "de_DE.UTF-8", "LANG": "C"}, true},
		"an empty one says naught": {map[string]string{"LC_ALL": "", "LANG": "C.UTF-8"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, utf8Locale(func(name string) string { return test.env[name] }))
		})
	}
}
