package main

import (
	"context"
	"crypto/tls"
	"sync"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
)

// pageservers keeps one client per node, for as long as the node keeps its
// address. It is safe for use by several goroutines.
type pageservers struct {
	tls *tls.Config

	mu      sync.Mutex
	clients map[client.NodeID]addressed
}

type addressed struct {
	where  address
	client *pageserver.Client
}

// address is where a node's process listens.
type address struct {
	host        string
	http, https int // ports; 0 = none
}

func newPageservers(caFile string) (*pageservers, error) {
	trusted, err := config.TLS(caFile)
	if err != nil {
		return nil, err
	}
	return &pageservers{tls: trusted, clients: map[client.NodeID]addressed{}}, nil
}

// fetch asks a node's process for its launch time and build.
func (p *pageservers) fetch(ctx context.Context, node client.Node) (pageserver.Info, error) {
	one, err := p.of(node)
	if err != nil {
		return pageserver.Info{}, err
	}
	return one.Fetch(ctx)
}

// nodeID asks a node's process which node it is.
func (p *pageservers) nodeID(ctx context.Context, node client.Node) (client.NodeID, error) {
	one, err := p.of(node)
	if err != nil {
		return 0, err
	}
	return one.NodeID(ctx)
}

func (p *pageservers) of(node client.Node) (*pageserver.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	where := whereIs(node)
	kept, ok := p.clients[node.ID]
	if ok && kept.where == where {
		return kept.client, nil
	}
	if ok {
		kept.client.CloseIdle()
	}
	made, err := pageserver.ForNode(node, p.tls)
	if err != nil {
		return nil, err
	}
	p.clients[node.ID] = addressed{where: where, client: made}
	return made, nil
}

func whereIs(node client.Node) address {
	a := address{host: node.ListenHTTPAddr, http: node.ListenHTTPPort}
	if node.ListenHTTPSPort != nil {
		a.https = *node.ListenHTTPSPort
	}
	return a
}

func (p *pageservers) closeIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.clients {
		one.client.CloseIdle()
	}
}
