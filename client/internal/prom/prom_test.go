package prom

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte(`# HELP a_total counted
# TYPE a_total counter
a_total 3
# TYPE b gauge
b{x="1",y="z"} -2.5
b{x="2",y=""} 4
# HELP c without a type
c 1
# TYPE empty counter
# TYPE h histogram
h_bucket{le="+Inf"} 3
h_sum 1
h_count 3
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Families{
		"a": {{Labels: map[string]string{}, Value: 3}},
		"b": {{Labels: map[string]string{"x": "1", "y": "z"}, Value: -2.5}, {Labels: map[string]string{"x": "2", "y": ""}, Value: 4}},
		"c": {{Labels: map[string]string{}, Value: 1}},
		"h": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v, ok := got.Value("a"); !ok || v != 3 {
		t.Errorf("%v %t", v, ok)
	}
	if _, ok := got.Value("h"); ok {
		t.Error("a histogram has a value")
	}
	if _, err := Parse([]byte("{")); err == nil {
		t.Error("no error")
	}
}
