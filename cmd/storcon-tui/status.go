package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

func (p *program) statusVerb() *cobra.Command {
	var format string
	status := &cobra.Command{
		Use:   "status",
		Short: "Look at the cluster once and print what is there",
		Long: `Look at the cluster once and print what is there: nodes, what the controller
does, states that somebody left behind with the command that puts each right,
unfinished runs. It only reads. The exit code is 0 when the nodes could be read,
whatever state they are in.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.status(cmd.Context(), format) },
	}
	formatFlag(status, &format)
	return status
}

// formatFlag is -o text or json.
func formatFlag(verb *cobra.Command, format *string) {
	verb.Flags().StringVarP(format, "output", "o", "text", "text or json")
}

func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return usagef("-o: expected text or json, got %q", format)
	}
	return nil
}

func (p *program) status(ctx context.Context, format string) error {
	return p.observing(ctx, format, func(ctx context.Context, c *connection) error {
		snapshot, err := c.observe(ctx)
		if err != nil {
			return c.at(err)
		}
		runs, err := c.store.Runs()
		if err != nil {
			return &exitError{code: exitJournal, err: err}
		}
		owner, driven := c.store.Driver()
		report := makeReport(snapshot, runs, makeDriver(owner, driven))
		if format == "json" {
			return writeJSON(p.out, report)
		}
		return writeStatus(p.out, report, time.Now())
	})
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

func writeStatus(w io.Writer, r statusReport, now time.Time) error {
	var b strings.Builder
	demo := ""
	if r.Cluster.Demo {
		demo = " · DEMO, nothing real"
	}
	fmt.Fprintf(&b, "cluster %s · %s%s\n", r.Cluster.Name, r.Cluster.Endpoint, demo)
	b.WriteString(controllerLine(r.Controller, now) + "\n\n")
	writeNodes(&b, r.Nodes, now)
	for _, l := range r.LeftOver {
		b.WriteString("! " + l.words() + "\n")
	}
	if d := r.Driver; d != nil {
		fmt.Fprintf(&b, "! run %s is driven from this host by %s: runs follow shows it\n", orDash(d.Run), d.words())
	}
	for _, u := range r.Unfinished {
		of := subjects(u.Nodes, u.Computes)
		if len(u.Nodes) > 0 {
			of = "node " + of
		}
		fmt.Fprintf(&b, "! run %s (%s: %s) was left unfinished, begun %s by %s: %s --resume, runs show, runs close\n",
			u.Run, orDash(u.Verb), orDash(of), u.Started.Local().Format(time.DateTime), orDash(u.By), journal.RunInfo{Verb: u.Verb}.ResumeVerb())
	}
	writeComputes(&b, r.Computes)
	for _, part := range r.Off {
		fmt.Fprintf(&b, "off: %s: %s\n", part.Part, part.Why)
	}
	for _, part := range r.Problems {
		fmt.Fprintf(&b, "! %s: %s\n", part.Part, part.Why)
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

func controllerLine(c controllerReport, now time.Time) string {
	operations := "op: none seen"
	if len(c.Operations) > 0 {
		words := make([]string, len(c.Operations))
		for i, op := range c.Operations {
			words[i] = op.Kind + " " + op.Node.String()
		}
		operations = "op: " + strings.Join(words, ", ")
	}
	leader := "leader unknown"
	if c.StartedAt != nil {
		leader = "leader for " + prose.Span(now.Sub(*c.StartedAt))
	}
	return fmt.Sprintf("%s · %s · %s · %s reconciling · %s stuck · AZ violations %s", operations, leader,
		prose.Things(orUnknown(c.Attached), "shard")+" attached", prose.Count(orUnknown(c.Pending)),
		prose.Count(orUnknown(c.Stuck)), prose.Count(orUnknown(c.AZViolation)))
}

func writeNodes(w io.Writer, nodes []nodeReport, now time.Time) {
	if len(nodes) == 0 {
		fmt.Fprintln(w, "No nodes are registered with this controller.")
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NODE\tADDRESS\tAZ\tAVAILABILITY\tPOLICY\tATTACHED\tSECONDARY\tHOME\tBUILD\tUP")
	for _, n := range nodes {
		build, up := "?", "?"
		if n.Build != nil {
			build = *n.Build
		}
		if n.LaunchedAt != nil {
			up = prose.SpanShort(now.Sub(*n.LaunchedAt))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", n.ID, orDash(n.Address), orDash(n.AZ),
			n.Availability, n.Policy, prose.Count(orUnknown(n.Attached)), prose.Count(orUnknown(n.Secondary)),
			prose.Count(orUnknown(n.Home)), build, up)
	}
	_ = t.Flush() // into memory
	fmt.Fprintln(w)
}

func writeComputes(w io.Writer, computes []computeReport) {
	if len(computes) == 0 {
		return
	}
	counts, order := map[string]int64{}, []string{}
	for _, c := range computes {
		word := "unknown"
		if c.Status != nil {
			word = *c.Status
		}
		if counts[word] == 0 {
			order = append(order, word)
		}
		counts[word]++
	}
	words := make([]string, len(order))
	for i, word := range order {
		words[i] = prose.Count(counts[word]) + " " + word
	}
	fmt.Fprintf(w, "computes %d: %s\n", len(computes), strings.Join(words, ", "))
	for _, c := range computes {
		if c.Error != nil {
			fmt.Fprintf(w, "! compute %s: %s\n", c.Name, client.Clean(*c.Error))
		}
	}
}

func orUnknown(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}
