package server

import (
	"errors"
	"net/http"
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// instance is one process of the storage controller. There are two at most: the
// one that leads or is about to, and one that has stepped down before it.
type instance struct {
	face     *face
	requests requestCounts // answers since the process started
	memory   *memory       // of a process that has stepped down; nil for any other
}

// memory is what a process that has stepped down still answers with by itself.
type memory struct {
	shards  map[client.NodeID][]sim.ShardView
	figures sim.Figures
}

func remember(w *sim.World) *memory {
	m := &memory{shards: map[client.NodeID][]sim.ShardView{}, figures: w.Figures()}
	for _, n := range w.Nodes() {
		m.shards[n.ID] = w.NodeShards(n.ID)
	}
	return m
}

// role is what an instance is, in the words of its metrics.
type role string

const (
	roleDown        role = "" // no process
	roleLeader      role = "leader"
	roleSteppedDown role = "stepped_down"
	roleCandidate   role = "candidate"
)

var roles = []role{roleLeader, roleSteppedDown, roleCandidate}

// role must be called with the lock held.
func (s *Server) role(i int) role {
	switch {
	case i != s.leading && s.instances[i].memory != nil:
		return roleSteppedDown
	case i != s.leading, s.world.Phase() == sim.Down:
		return roleDown
	case s.taking:
		return roleCandidate
	}
	return roleLeader
}

// crown writes the leader's row once a candidate has completed its start-up.
func (s *Server) crown() {
	if s.world.Phase() == sim.Serving {
		s.row, s.taking = s.leading, false
	}
}

// TakeOver starts another instance of the controller at an address of its own,
// and returns that. The one that led steps down and goes on serving, by
// forwarding what it is asked; the new one leads once its start-up is complete.
// An instance that had stepped down before ends, and its address is used again.
func (s *Server) TakeOver() (string, error) {
	url, err := "", error(nil)
	s.with(func(w *sim.World) {
		if w.Phase() != sim.Serving {
			err = errors.New("no controller serves that could be taken over from")
			return
		}
		next := s.instances[1-s.leading]
		next.face.close()
		next.memory, next.requests = nil, requestCounts{}
		if err = next.face.open(); err != nil {
			return
		}
		was := s.instances[s.leading]
		was.memory = remember(w)
		was.requests[requestKey{"control_v1_step_down", "put", http.StatusOK}]++
		s.leading, s.taking, url = 1-s.leading, true, next.face.url()
		w.StepDown()
	})
	return url, err
}

// unforwarded are the routes that a process which has stepped down answers by
// itself; the shards of a node are stale then.
var unforwarded = []string{"status", "ready", "live", "metrics", "control_v1_node_describe"}

// whileCandidate are the only routes of one that does not lead yet.
var whileCandidate = []string{"status", "ready", "metrics"}

// forward is the answer of the leader in the database to what an instance that
// has stepped down was asked; nil when the instance answers by itself.
func (s *Server) forward(i int, rt route, q *request) *reply {
	var mine role
	var row int
	var down bool
	var url string
	s.with(func(*sim.World) {
		mine, row = s.role(i), s.row
		down, url = s.role(row) == roleDown, s.instances[row].face.url()
	})
	switch {
	case mine != roleSteppedDown || slices.Contains(unforwarded, rt.name):
		return nil
	case row == i:
		return message(http.StatusServiceUnavailable, "Leader is stepped down instance")
	case down:
		return message(http.StatusInternalServerError,
			"Failed to forward while in stepped down state: error sending request for url ("+url+q.URL.RequestURI()+")")
	}
	led := *q
	led.instance = row
	answer := rt.handle(&led)
	s.count(row, rt.name, q.Method, answer.status)
	return answer
}

// notYet refuses what a candidate does not serve, before it looks at a token.
func (s *Server) notYet(i int, name string) *reply {
	is := roleLeader
	s.with(func(*sim.World) { is = s.role(i) })
	if is != roleCandidate || slices.Contains(whileCandidate, name) {
		return nil
	}
	return message(http.StatusServiceUnavailable, "Current leadership status is candidate")
}

// syncInstances makes the servers follow the controller's processes.
func (s *Server) syncInstances() bool {
	s.crown()
	ok := true
	for i, in := range s.instances {
		up := s.role(i) != roleDown
		if up && in.face.server == nil {
			in.requests = requestCounts{} // a new process counts from zero
		}
		ok = s.syncFace(in.face, up) && ok
	}
	return ok
}
