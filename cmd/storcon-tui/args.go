package main

import (
	"strconv"

	"github.com/StorconTUI/storcon-tui/client"
)

// nodeID reads a node's id as the controller counts them.
func nodeID(text string) (client.NodeID, error) {
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, usagef("%q is no node id; expected a number such as 3", text)
	}
	return client.NodeID(id), nil
}

func nodeIDs(texts []string) ([]client.NodeID, error) {
	ids := make([]client.NodeID, len(texts))
	for i, text := range texts {
		id, err := nodeID(text)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}
