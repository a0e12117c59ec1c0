package server

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/BurntSushi/toml"
)

type configFile struct {
	DefaultCluster string                   `toml:"default_cluster"`
	Clusters       map[string]configCluster `toml:"clusters"`
}

type configCluster struct {
	URL       string          `toml:"url"`
	TokenFile string          `toml:"token_file,omitempty"`
	Demo      bool            `toml:"demo"` // every screen says that nothing is real
	Restart   configRestart   `toml:"restart"`
	Computes  []configCompute `toml:"computes"`
}

type configRestart struct {
	Command []string `toml:"command"`
}

type configCompute struct {
	Name     string `toml:"name"`
	URL      string `toml:"url"`
	SpecFile string `toml:"spec_file,omitempty"`
}

// ConfigTOML is a ready-made configuration of the console for this cluster.
// binary is the console's own path, for the restart hook; tokenFile is where
// the caller keeps a token, "" when the cluster checks none; specs is the directory
// in which it keeps the last known specs as NAME.json, "" when it does not.
func (s *Server) ConfigTOML(binary, tokenFile, specs string) string {
	c := configCluster{
		URL: s.ControllerURL(), TokenFile: tokenFile, Demo: true,
		Restart: configRestart{Command: []string{binary, "demo", "restart", "{{.ID}}", "--admin", s.AdminURL()}},
	}
	for _, compute := range s.Computes() {
		one := configCompute{Name: compute.Name, URL: compute.URL}
		if _, ok := s.ComputeSpec(compute.Name); ok && specs != "" {
			one.SpecFile = filepath.Join(specs, compute.Name+".json")
		}
		c.Computes = append(c.Computes, one)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# admin: %s\n", s.AdminURL())
	enc := toml.NewEncoder(&out)
	enc.Indent = ""
	if err := enc.Encode(configFile{DefaultCluster: "demo", Clusters: map[string]configCluster{"demo": c}}); err != nil {
		panic("encode a configuration of strings: " + err.Error())
	}
	return out.String()
}
