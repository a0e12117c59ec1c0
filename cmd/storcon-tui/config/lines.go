package config

import (
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// lines tells on which line a key was set. Keys are dotted; an element of an
// array of tables has its index: "clusters.x.computes[0].url".
type lines map[string]int

// locate finds the lines of a document that is known to parse. The decoder does
// not tell them, so each statement is decoded alone: lines are added to it until
// it parses, and its keys are those of the line it began on.
func locate(document string) lines {
	found := lines{}
	table, counts := "", map[string]int{}
	var statement strings.Builder
	begin := 0
	for i, line := range strings.Split(document, "\n") {
		if statement.Len() == 0 {
			begin = i + 1
			if text := strings.TrimSpace(line); text == "" || text[0] == '#' {
				continue
			}
		}
		statement.WriteString(line + "\n")
		var into map[string]any
		meta, err := toml.Decode(statement.String(), &into)
		if err != nil {
			continue
		}
		head := strings.TrimSpace(statement.String())
		statement.Reset()
		if head[0] == '[' {
			table = tableName(meta, strings.HasPrefix(head, "[["), counts)
			found.set(table, begin)
			continue
		}
		for _, key := range meta.Keys() {
			found.set(join(table, key.String()), begin)
		}
	}
	return found
}

// tableName is the full name of a header: where a part is an array of tables it
// means that array's newest element.
func tableName(meta toml.MetaData, array bool, counts map[string]int) string {
	keys := meta.Keys()
	if len(keys) == 0 {
		return ""
	}
	longest := keys[0]
	for _, k := range keys {
		if len(k) > len(longest) {
			longest = k
		}
	}
	name := ""
	for i, part := range longest {
		name = join(name, quoted(part))
		last := i == len(longest)-1
		if array && last {
			counts[name]++
		}
		if n := counts[name]; n > 0 {
			name = element(name, n-1)
		}
	}
	return name
}

func (l lines) set(key string, line int) {
	if _, known := l[key]; !known && key != "" {
		l[key] = line
	}
}

// of is the line of a key, or of the nearest thing that contains it.
func (l lines) of(key string) int {
	for key != "" {
		if line, ok := l[key]; ok {
			return line
		}
		if cut := strings.LastIndexAny(key, ".["); cut >= 0 {
			key = key[:cut]
		} else {
			key = ""
		}
	}
	return 0
}

func element(name string, index int) string { return name + "[" + strconv.Itoa(index) + "]" }

func join(table, key string) string {
	switch {
	case table == "":
		return key
	case key == "":
		return table
	}
	return table + "." + key
}

// quoted spells one part of a key as TOML has it.
func quoted(part string) string { return toml.Key{part}.String() }
