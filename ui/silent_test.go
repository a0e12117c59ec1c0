package ui

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
)

// silent is an address that accepts connections and never says a word.
func silent(t *testing.T) (url string, accepted <-chan struct{}) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	came := make(chan struct{}, 100)
	var held []net.Conn
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			held = append(held, conn)
			select {
			case came <- struct{}{}:
			default:
			}
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		accepting.Wait()
		for _, conn := range held {
			_ = conn.Close()
		}
	})
	return "http://" + listener.Addr().String(), came
}

// heard is what the program has written since the last key.
type heard struct {
	mu    sync.Mutex
	text  strings.Builder
	wrote chan struct{}
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.wrote <- struct{}{}:
	default:
	}
	return h.text.Write(p)
}

func (h *heard) contains(word string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Contains(ansi.Strip(h.text.String()), word)
}

func (h *heard) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Reset()
}

// until waits for a word and tells how long that took.
func (h *heard) until(t *testing.T, word string) time.Duration {
	t.Helper()
	began, limit := time.Now(), time.After(30*time.Second)
	for !h.contains(word) {
		select {
		case <-h.wrote:
		case <-limit:
			h.mu.Lock()
			defer h.mu.Unlock()
			t.Fatalf("never seen: %q in %q", word, h.text.String())
		}
	}
	return time.Since(began)
}

// A compute that accepts the connection and never answers is said to give no answer,
// and holds nothing up: not the keys, not the screens, not the other computes, not the
// way out.
func TestSilentComputeHoldsNothingUp(t *testing.T) {
	const answerLimit, prompt = 3 * time.Second, 1500 * time.Millisecond
	fake, err := server.Start(t.Context(), server.Options{Nodes: 2, Tenants: 4, Computes: 3, Speed: 100})
	require.NoError(t, err)
	defer func() { require.NoError(t, fake.Close()) }()
	url, accepted := silent(t)
	controller, err := client.New(client.Config{BaseURL: fake.ControllerURL()})
	require.NoError(t, err)
	defer controller.CloseIdle()
	source := func(name, url string) cluster.ComputeSource {
		one, err := compute.New(client.Config{BaseURL: url, ReadRetries: -1, Timeouts: client.Timeouts{NodeList: answerLimit}})
		require.NoError(t, err)
		t.Cleanup(one.CloseIdle)
		return cluster.ComputeSource{Name: name, URL: url, Fetch: one.Status, Startup: one.Startup}
	}
	poller := cluster.New(cluster.Config{
		Client: controller.WithoutRetries(), Tenant: controller.Tenant,
		Computes: []cluster.ComputeSource{source("ep-silent", url), source("ep-talks", fake.Computes()[0].URL)},
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	polled := make(chan error, 1)
	go func() { polled <- poller.Run(ctx) }()
	defer func() {
		cancel()
		require.NoError(t, <-polled)
	}()

	styles, err := themes.Load("dark", themes.Options{NoColor: true})
	require.NoError(t, err)
	in, keys := io.Pipe()
	out := &heard{wrote: make(chan struct{}, 1)}
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Deps{Source: poller, Runs: &runs{}, Styles: styles, Width: 120, Height: 30, Input: in, Output: out})
	}()
	press := func(key, shows string) {
		t.Helper()
		time.Sleep(2 * burstGap) // real time: two keys of a person are further apart than a burst
		out.forget()
		_, err := io.WriteString(keys, key)
		require.NoError(t, err)
		require.Less(t, out.until(t, shows), prompt, "after %q", key)
	}
	out.until(t, "NODES")
	<-accepted // the question is asked, and will not be answered
	press("c", "COMPUTES")
	press("?", "HELP")
	press("\x1b", "COMPUTES")
	out.until(t, "no answer")
	press("G", ">  ep-talks")
	press("g", ">  ep-silent")
	press("\r", "COMPUTE  ep-silent")
	out.until(t, "no answer  since")
	press("?", "HELP")
	press("\x1b", "COMPUTE  ep-silent")
	press("\x1b", "COMPUTES")
	press("G", ">  ep-talks")
	press("\r", "START-UP")
	out.until(t, "from the spec to running")
	time.Sleep(2 * burstGap)
	_, err = io.WriteString(keys, "q")
	require.NoError(t, err)
	select {
	case err = <-done:
		require.NoError(t, err)
	case <-time.After(prompt):
		t.Error("it does not end")
	}
	_ = keys.Close()
}
