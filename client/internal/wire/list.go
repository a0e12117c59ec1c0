package wire

import (
	"encoding/json"
	"fmt"
)

// Convert turns wire values into ours and stops at the first that lacks
// something.
func Convert[W, T any](wires []W, one func(W) (T, error)) ([]T, error) {
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

// DecodeList reads an array thoroughly; what names one item in errors.
func DecodeList[T any, P interface {
	*T
	json.Unmarshaler
}](raw []byte, what string) ([]T, error) {
	raws, err := List(raw)
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
