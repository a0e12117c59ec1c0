package neonlocal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// Endpoint is one compute of the directory.
type Endpoint struct {
	ID   string // also the compute's in its tokens
	URL  string // of compute_ctl's external port
	Spec string // file with the spec of the last start; it is there once it was started
	// Connection reaches its Postgres, which trusts whoever comes from this host, by
	// libpq; "" = its port is not known.
	Connection string
}

// Endpoints lists those that there are now, by name. With an error the list has those
// that could be read; it is nil when none could be looked for.
func (d *Directory) Endpoints() ([]Endpoint, error) {
	root := filepath.Join(d.Path, "endpoints")
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without one it has no endpoints yet
		return nil, fmt.Errorf("look for endpoints: %w", err)
	}
	list := make([]Endpoint, 0, len(entries))
	var wrong []error
	for _, entry := range entries {
		one, err := readEndpoint(filepath.Join(root, entry.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // it has just gone, or is none
		case err != nil:
			wrong = append(wrong, err)
		default:
			list = append(list, one)
		}
	}
	return list, errors.Join(wrong...)
}

func readEndpoint(dir string) (Endpoint, error) {
	if name := filepath.Base(dir); strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Endpoint{}, fmt.Errorf("endpoints/%q: the name has characters that cannot be shown; make the endpoint anew by another", name)
	}
	text, err := readFile(filepath.Join(dir, "endpoint.json"))
	if err != nil {
		return Endpoint{}, err
	}
	// A line of a screen is short: the directory itself was named by whoever looks.
	name := filepath.Join("endpoints", filepath.Base(dir), "endpoint.json")
	var file struct {
		External uint16 `json:"external_http_port"`
		Only     uint16 `json:"http_port"` // before there were two
		Postgres uint16 `json:"pg_port"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return Endpoint{}, fmt.Errorf("%s: not as neon_local writes it: expected an object with external_http_port; make the endpoint anew, or remove its directory", name)
	}
	port := file.External
	if port == 0 {
		port = file.Only
	}
	if port == 0 {
		return Endpoint{}, fmt.Errorf("%s: neither external_http_port nor http_port is there, so nobody knows where its compute_ctl listens", name)
	}
	one := Endpoint{
		ID: filepath.Base(dir), URL: "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))), Spec: specFile(dir),
	}
	if file.Postgres != 0 {
		one.Connection = fmt.Sprintf("host=127.0.0.1 port=%d user=cloud_admin dbname=postgres", file.Postgres)
	}
	return one, nil
}

// specFile: older versions wrote the bare spec to spec.json, some of them both.
func specFile(dir string) string {
	now, before := filepath.Join(dir, "config.json"), filepath.Join(dir, "spec.json")
	if _, err := os.Stat(now); err == nil {
		return now
	}
	if _, err := os.Stat(before); err == nil {
		return before
	}
	return now
}
