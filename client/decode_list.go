package client

import (
	"encoding/json"
	"fmt"
)

// convert turns wire values into ours and stops at the first that lacks
// something.
func convert[W, T any](wires []W, one func(W) (T, error)) ([]T, error) {
	items := make([]T, len(wires))
	for i, w := range wires {
		item, err := one(w)
		if err != nil {
			return nil, err
		}
		items[i] = item
	}
	return items, nil
}

// decodeList reads an array thoroughly; what names one item in errors.
func decodeList[T any, P interface {
	*T
	json.Unmarshaler
}](raw []byte, what string) ([]T, error) {
	raws, err := list(raw)
	if err != nil {
		return nil, err
	}
	items := make([]T, len(raws))
	for i, raw := range raws {
		if err := P(&items[i]).UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("%s at position %d of the list: %w", what, i+1, err)
		}
	}
	return items, nil
}

// merge joins two sets of fields; nil stays nil.
func merge(a, b Fields) Fields {
	if len(a) == 0 {
		return b
	}
	for name, value := range b {
		a[name] = value
	}
	return a
}
