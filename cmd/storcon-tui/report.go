package main

import (
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// statusVersion is the version of statusReport. Fields may be added under the
// same one; a field that goes or changes its meaning raises it.
const statusVersion = 1

// statusReport is what status prints, and its form in JSON. A figure that is not
// known is null, never 0; a part that is not read is named under off with the
// reason, or under problems.
type statusReport struct {
	Version    int              `json:"version"`
	At         time.Time        `json:"at"`
	Cluster    clusterReport    `json:"cluster"`
	Controller controllerReport `json:"controller"`
	Nodes      []nodeReport     `json:"nodes"`
	Computes   []computeReport  `json:"computes"`
	LeftOver   []leftOver       `json:"left_over"`       // nodes whose policy is not Active
	Driver     *driverReport    `json:"driver"`          // of this host, live now; null = nobody
	Unfinished []runReport      `json:"unfinished_runs"` // of this console, on this host
	Off        []partReport     `json:"off"`             // not asked for, and why
	Problems   []partReport     `json:"problems"`        // could not be read
}

type clusterReport struct {
	Name     string `json:"name"`
	Endpoint string `json:"endpoint"`
	Demo     bool   `json:"demo"`
}

type controllerReport struct {
	Leader      *string           `json:"leader"`     // address
	StartedAt   *time.Time        `json:"started_at"` // of the leader
	Operations  []operationReport `json:"operations"` // as the policies show them
	Attached    *int64            `json:"attached_shards"`
	Pending     *int64            `json:"pending_reconciles"`
	Stuck       *int64            `json:"stuck_reconciles"`
	AZViolation *int64            `json:"az_violations"`
}

type operationReport struct {
	Kind string        `json:"kind"` // drain, fill, delete
	Node client.NodeID `json:"node"`
}

type nodeReport struct {
	ID           client.NodeID `json:"id"`
	Address      string        `json:"address"`
	AZ           string        `json:"az"`
	Availability string        `json:"availability"`
	Policy       string        `json:"policy"`
	Attached     *int64        `json:"attached"`  // by the controller's intent
	Secondary    *int64        `json:"secondary"` // the same
	Home         *int64        `json:"home"`      // locations in the shard's home AZ
	Build        *string       `json:"build"`
	LaunchedAt   *time.Time    `json:"launched_at"`
}

type computeReport struct {
	Name   string  `json:"name"`
	URL    string  `json:"url"`
	Status *string `json:"status"`
	Error  *string `json:"error"` // the compute's own, of a failed start
}

type runReport struct {
	Run      string          `json:"run"`
	Verb     string          `json:"verb"`
	Nodes    []client.NodeID `json:"nodes"`
	Computes []string        `json:"computes"` // of a reconfigure
	By       string          `json:"by"`
	Started  time.Time       `json:"started_at"`
	Journal  string          `json:"journal"`
}

// driverReport is who drives the cluster from this host just now.
type driverReport struct {
	Run   string     `json:"run"` // "" = none yet
	By    string     `json:"by"`
	PID   int        `json:"pid"`
	TTY   string     `json:"tty"`
	Since *time.Time `json:"since"` // null = it has not said yet
}

func makeDriver(i journal.Info, driven bool) *driverReport {
	if !driven {
		return nil
	}
	d := &driverReport{Run: i.Run, By: person(journal.Actor{User: i.User, Host: i.Host}), PID: i.PID, TTY: client.Clean(i.TTY)}
	if !i.Since.IsZero() {
		d.Since = &i.Since
	}
	return d
}

// words say who drives, from where and since when.
func (d *driverReport) words() string {
	if d.Since == nil {
		return "a process that has not said yet who it is"
	}
	text := fmt.Sprintf("%s, pid %d", d.By, d.PID)
	if d.TTY != "" {
		text += " on " + d.TTY
	}
	return text + ", since " + d.Since.Local().Format(time.DateTime)
}

type partReport struct {
	Part string `json:"part"`
	Why  string `json:"why"`
}

// makeReport says what a snapshot and the journals show; runs are those of this host,
// newest first.
func makeReport(s *cluster.Snapshot, runs []journal.RunInfo, driver *driverReport) statusReport {
	r := statusReport{
		Version: statusVersion,
		At:      s.At,
		Cluster: clusterReport{
			Name: s.Name, Endpoint: s.Endpoint, Demo: s.Demo,
		},
		Controller: makeController(s),
		Nodes:      []nodeReport{}, Computes: []computeReport{}, LeftOver: sweep(s.Nodes.Value, runs, driver),
		Unfinished: []runReport{}, Off: []partReport{}, Problems: []partReport{},
	}
	for _, n := range s.Nodes.Value {
		r.addNode(n)
	}
	if d := s.Discovery; d != nil {
		addPart(&r, "list of computes", *d)
		if !partTried(*d) {
			r.Problems = append(r.Problems, partReport{Part: "list of computes", Why: "it takes its time, some may be missing here"})
		}
	}
	for _, c := range s.Computes {
		r.addCompute(c)
	}
	r.Driver = driver
	for _, run := range runs {
		if run.Closed || driver != nil && run.ID == driver.Run {
			continue // a live one is not finished because it is live
		}
		r.Unfinished = append(r.Unfinished, runReport{
			Run: run.ID, Verb: run.Verb, Nodes: append([]client.NodeID{}, run.Nodes...), Computes: append([]string{}, run.Computes...), By: person(run.By), Started: run.Started, Journal: run.Path,
		})
	}
	addPart(&r, "nodes", s.Nodes)
	addPart(&r, "metrics", s.Metrics)
	addPart(&r, "leader", s.Leader)
	return r
}

func makeController(s *cluster.Snapshot) controllerReport {
	c := controllerReport{Operations: []operationReport{}}
	if s.Leader.Known() {
		epoch := s.Leader.Value
		c.StartedAt = &epoch.StartedAt
		if epoch.Address != "" {
			c.Leader = &epoch.Address
		}
	}
	for _, op := range s.Operation(s.At).Seen {
		c.Operations = append(c.Operations, operationReport{Kind: string(op.Kind), Node: op.Node})
	}
	if s.Metrics.Known() {
		m := s.Metrics.Value
		c.Pending, c.Stuck = figure(m.PendingReconciles), figure(m.StuckReconciles)
		c.AZViolation = figure(m.AZViolations)
		c.Attached = attachedInAll(s.Nodes.Value)
	}
	return c
}

// attachedInAll is nil when it is unknown of any node: a smaller sum would
// look like shards that are gone.
func attachedInAll(nodes []cluster.Node) *int64 {
	var sum int64
	for _, n := range nodes {
		if n.Attached < 0 {
			return nil
		}
		sum += n.Attached
	}
	return &sum
}

func (r *statusReport) addNode(n cluster.Node) {
	report := nodeReport{
		ID: n.ID, Address: n.ListenHTTPAddr, AZ: n.AZ(),
		Availability: string(n.Availability), Policy: string(n.Scheduling),
		Attached: figure(n.Attached), Secondary: figure(n.Secondary), Home: figure(n.Home),
	}
	if n.Process.Known() {
		report.LaunchedAt = &n.Process.Value.Launch
		if build := buildName(n.Process.Value.Build); build != "" {
			report.Build = &build
		}
	}
	r.Nodes = append(r.Nodes, report)
	addPart(r, "process of node "+n.ID.String(), n.Process)
}

func (r *statusReport) addCompute(c cluster.Compute) {
	report := computeReport{Name: c.Name, URL: c.URL}
	if c.Status.Known() {
		state := string(c.Status.Value.State)
		report.Status, report.Error = &state, c.Status.Value.Error
	}
	r.Computes = append(r.Computes, report)
	addPart(r, "compute "+c.Name, c.Status)
}

func addPart[T any](r *statusReport, name string, part cluster.Part[T]) {
	switch {
	case part.Off != "":
		r.Off = append(r.Off, partReport{Part: name, Why: part.Off})
	case part.Err != nil:
		r.Problems = append(r.Problems, partReport{Part: name, Why: part.Err.Error()})
	}
}

func buildName(b client.Build) string {
	if b.Tag != "" {
		return b.Tag
	}
	return b.Revision
}

func figure(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}
