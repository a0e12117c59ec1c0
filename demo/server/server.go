package server

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// Server is a running fake cluster. Its methods may be called from any
// goroutine.
type Server struct {
	opts  Options
	now   func() time.Time // the wall clock
	began time.Time
	keys  *authority

	mu     sync.Mutex // guards world, wake, behind, witness and the faces' open and close
	world  *sim.World
	wake   time.Time     // when the driver will look again by itself
	behind time.Duration // real time that a cluster too large for its speed has lost

	witness func(*sim.World) // is shown every state of the simulation; nil = nobody is

	calls  callLog
	asked  atomic.Int64 // requests of all kinds, to whatever of the cluster
	faults faultSet

	instances   [2]*instance // of the controller; the first is at the address that was asked for
	leading     int          // the one that leads or is about to
	taking      bool         // it is a candidate still
	row         int          // the leader in the database
	admin       *face
	pageservers map[client.NodeID]*face
	says        map[client.NodeID]client.NodeID // ids that processes have which are not their node's
	computes    []*face
	internal    []*face // of the same, opened when it is asked for
	mutes       []bool  // computes that answer nothing
	known       []knownSpec

	poke chan struct{}
	stop context.CancelFunc
	done context.Context
	work sync.WaitGroup // servers, requests, driver
}

// Start seeds a cluster and serves it until ctx ends or Close is called. An
// address that cannot be listened on is an error, and nothing is left running.
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := serve(ctx, o, time.Now)
	if err != nil {
		return nil, err
	}
	s.work.Go(s.drive)
	return s, nil
}

// serve is Start without the driver: time passes for the cluster only when
// something looks at it.
func serve(ctx context.Context, o Options, now func() time.Time) (*Server, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, now: now, began: now(), keys: newAuthority(o.Seed), world: sim.New(o.config()),
		pageservers: map[client.NodeID]*face{}, says: map[client.NodeID]client.NodeID{}, poke: make(chan struct{}, 1),
	}
	s.done, s.stop = context.WithCancel(ctx)
	if err := s.openAll(); err != nil {
		_ = s.Close() // reports nothing that the listen error does not
		return nil, err
	}
	return s, nil
}

func (s *Server) openAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, addr := range []string{s.opts.Listen, "127.0.0.1:0"} {
		f := newFace("the controller", addr, &s.work, s.counted(s.controllerHandler(i)))
		s.instances[i] = &instance{face: f, requests: requestCounts{}}
	}
	s.admin = newFace("the admin API", "127.0.0.1:0", &s.work, s.adminHandler())
	for _, n := range s.world.Nodes() {
		s.pageservers[n.ID] = newFace("pageserver "+n.ID.String(), "127.0.0.1:0", &s.work, s.counted(s.pageserverHandler(n.ID)))
	}
	for i, c := range s.world.Computes() {
		s.computes = append(s.computes, newFace("compute "+c.Name, "127.0.0.1:0", &s.work, s.counted(s.computeHandler(i, computeRoutes, true))))
		s.internal = append(s.internal, newFace("compute "+c.Name+", internal", "127.0.0.1:0", &s.work, s.computeHandler(i, internalRoutes, false)))
		s.mutes = append(s.mutes, false)
	}
	for _, f := range s.faces() {
		if f == s.instances[1].face || slices.Contains(s.internal, f) {
			continue // no second controller yet, and nobody asks for the internal ports
		}
		if err := f.open(); err != nil {
			return err
		}
	}
	for id, f := range s.pageservers {
		a := sim.Address{HTTPHost: "127.0.0.1", HTTPPort: f.port(), PgHost: "127.0.0.1", PgPort: pgPort(id)}
		s.world.SetAddress(id, a)
	}
	return s.specComputes()
}

func (s *Server) faces() []*face {
	all := []*face{s.instances[0].face, s.instances[1].face, s.admin}
	for _, f := range s.pageservers {
		all = append(all, f)
	}
	return slices.Concat(all, s.computes, s.internal)
}

// Close ends every server of the cluster and waits for all that it started.
func (s *Server) Close() error {
	s.stop()
	s.closeFaces()
	s.work.Wait()
	return nil
}

func (s *Server) closeFaces() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faces() {
		if f != nil {
			f.close()
		}
	}
}

// ControllerURL is the base URL of the controller's first instance. It stays the
// same over its restarts.
func (s *Server) ControllerURL() string { return s.instances[0].face.url() }

// AdminURL is the base URL of the admin API.
func (s *Server) AdminURL() string { return s.admin.url() }

// Token is a bearer token of the given scope that the controller accepts. It
// does not expire.
func (s *Server) Token(scope string) string { return s.keys.token(scope, time.Time{}) }

// TokenUntil is the same with a time of expiry, which may have passed.
func (s *Server) TokenUntil(scope string, exp time.Time) string { return s.keys.token(scope, exp) }

// ComputeInfo names one compute of the cluster.
type ComputeInfo struct {
	Name   string
	URL    string
	Tenant client.TenantID // "" while it has no spec
}

// Computes lists the computes that the cluster has.
func (s *Server) Computes() []ComputeInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []ComputeInfo
	for i, c := range s.world.Computes() {
		out = append(out, ComputeInfo{Name: c.Name, URL: s.computes[i].url(), Tenant: c.Tenant})
	}
	return out
}
