package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/hook"
)

// Flags are the settings of the command line; zero fields were not given.
type Flags struct {
	Config    string
	Cluster   string
	URL       string
	TokenFile string
	CAFile    string
	ReadOnly  bool
	Theme     string
	StateDir  string
	NeonLocal string // directory of neon_local
	Metrics   string // where metrics are served, "off" = nowhere
}

// Settings are what the program runs with.
type Settings struct {
	Cluster  Cluster
	ReadOnly bool
	Theme    string // "" = find out
	StateDir string
	Notify   Notify
	History  History
	Metrics  string // host:port where metrics are served; "" = nowhere
	File     string // the configuration that was read; "" = none
}

// Resolve reads the configuration and applies the flags to it. The files that
// the chosen cluster names must be there.
func Resolve(flags Flags) (Settings, error) {
	file, err := open(flags)
	if err != nil {
		return Settings{}, err
	}
	cluster, err := file.choose(flags)
	if err != nil {
		return Settings{}, err
	}
	if err := file.checkFiles(cluster, flags); err != nil {
		return Settings{}, err
	}
	settings, err := file.common(flags)
	if err != nil {
		return Settings{}, err
	}
	settings.Cluster = cluster
	return settings, nil
}

// Common are the settings that hold whatever the cluster; Cluster is not set.
func Common(flags Flags) (Settings, error) {
	file, err := open(flags)
	if err != nil {
		return Settings{}, err
	}
	return file.common(flags)
}

func (f *File) common(flags Flags) (Settings, error) {
	metrics := f.Metrics
	if flags.Metrics != "" {
		var err error
		if metrics, err = parseListen(flags.Metrics); err != nil {
			return Settings{}, fmt.Errorf("--metrics-addr: %w", err)
		}
	}
	return Settings{
		ReadOnly: flags.ReadOnly,
		Theme:    first(flags.Theme, f.Theme),
		Notify:   f.Notify,
		History:  f.History,
		Metrics:  metrics,
		StateDir: first(absolute(flags.StateDir), f.StateDir, DefaultStateDir()),
		File:     f.Path,
	}, nil
}

// Names are those of the clusters of the configuration, in its order. None is an error.
func Names(flags Flags) ([]string, error) {
	file, err := open(flags)
	if err != nil {
		return nil, err
	}
	names := file.names()
	if len(names) == 0 {
		_, err := file.find("")
		return nil, err
	}
	return names, nil
}

func (f *File) names() []string {
	names := make([]string, len(f.Clusters))
	for i, c := range f.Clusters {
		names[i] = c.Name
	}
	return names
}

// byHand is how nodes are restarted when nothing is said about it.
var byHand = hook.Spec{Manual: true}

// open reads the file that was named, or the default one if it exists.
func open(flags Flags) (*File, error) {
	if flags.Config != "" {
		return Load(expandHome(flags.Config))
	}
	file, err := Load(DefaultPath())
	if errors.Is(err, fs.ErrNotExist) {
		return &File{}, nil
	}
	return file, err
}

func (f *File) choose(flags Flags) (Cluster, error) {
	address := ""
	if flags.URL != "" {
		var err error
		if address, err = parseURL(flags.URL); err != nil {
			return Cluster{}, fmt.Errorf("--url: %w", err)
		}
	}
	if flags.NeonLocal != "" {
		return f.chooseLocal(flags, address)
	}
	if address != "" && flags.Cluster == "" {
		u, _ := url.Parse(address) // parseURL has made it
		return flags.apply(Cluster{Name: u.Host, Restart: byHand}, address), nil
	}
	c, err := f.find(flags.Cluster)
	if err != nil {
		return Cluster{}, err
	}
	return flags.apply(c, address), nil
}

func (f *File) find(name string) (Cluster, error) {
	names, given := f.names(), name
	if name == "" {
		name = f.DefaultCluster
	}
	switch {
	case name == "" && len(names) == 1:
		return f.Clusters[0], nil
	case len(names) == 0 && given == "":
		where := f.Path
		if where == "" {
			where = DefaultPath()
		}
		return Cluster{}, fmt.Errorf("no cluster to talk to: %s has none; write one there, pass --url, or look around with: storcon-tui demo", where)
	case name == "":
		return Cluster{}, fmt.Errorf("%s: several clusters and no default_cluster; pass --cluster with one of %s", f.Path, strings.Join(names, ", "))
	}
	if i := slices.Index(names, name); i >= 0 {
		return f.Clusters[i], nil
	}
	return Cluster{}, errors.New("--cluster: " + noSuchCluster(name, names))
}

func (flags Flags) apply(c Cluster, address string) Cluster {
	c.URL = first(address, c.URL)
	if flags.TokenFile != "" {
		c.Token = Token{File: absolute(flags.TokenFile)}
	}
	c.CAFile = first(absolute(flags.CAFile), c.CAFile)
	return c
}

// checkFiles makes sure that what the cluster points to is there, before
// anything is asked of it. Only the chosen cluster is checked: another one's
// token may well be on another host.
func (f *File) checkFiles(c Cluster, flags Flags) error {
	r := &reader{path: f.Path, lines: f.lines}
	s := &section{file: r, name: join("clusters", quoted(c.Name))}
	var flagErrors []error
	check := func(flag, flagName string, on *section, key, path string, test func(string) error) {
		if path == "" {
			return
		}
		err := test(path)
		switch {
		case err == nil:
		case flag != "":
			flagErrors = append(flagErrors, fmt.Errorf("%s: %w", flagName, err))
		default:
			on.wrong(key, "%v", err)
		}
	}
	check(flags.TokenFile, "--token-file", s, "token_file", c.Token.File, readable)
	if c.local != nil { // its certificates are the pageservers' too
		check(flags.NeonLocal, "--neon-local", s, "", c.PageserverCA, certificates)
		check(flags.NeonLocal, "--neon-local", s, "", c.Token.Signed.KeyFile, signingKey)
		check(flags.CAFile, "--ca-file", s, "", flags.CAFile, certificates)
	} else {
		check(flags.CAFile, "--ca-file", s, "ca_file", c.CAFile, certificates)
		check("", "", s, "pageserver.ca_file", c.PageserverCA, certificates)
	}
	if a := c.Alerts; a != nil {
		check("", "", s, "alerts.token_file", a.Token.File, readable)
		check("", "", s, "alerts.ca_file", a.CAFile, certificates)
	}
	for i, compute := range c.Computes {
		on := &section{file: r, name: element(join(s.name, "computes"), i)}
		check("", "", on, "token_file", compute.Token.File, readable)
		check("", "", on, "spec_file", compute.Spec.File, readable)
		check("", "", on, "connection_file", compute.Connection.File, readable)
	}
	if len(r.problems) > 0 {
		flagErrors = append(flagErrors, r.sorted())
	}
	return errors.Join(flagErrors...)
}

func readable(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no such file: %s", path)
	}
	if err != nil {
		return err
	}
	return file.Close()
}

func certificates(path string) error {
	_, err := CertPool(path)
	return err
}

// CertPool reads the certificates of a CA file.
func CertPool(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no such file: %s", path)
	}
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("expected certificates in PEM form, found none in %s", path)
	}
	return pool, nil
}

// TLS trusts the certificates of a CA file only; "" means the system's roots.
func TLS(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil
	}
	pool, err := CertPool(caFile)
	if err != nil {
		return nil, fmt.Errorf("CA file: %w", err)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// absolute is the path that a flag means.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	abs, err := filepath.Abs(expandHome(path))
	if err != nil {
		return path
	}
	return abs
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
