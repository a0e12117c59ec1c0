package main

import (
	"os"
	"os/user"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// operator is the person at the keyboard, as journals and locks name them.
func operator() rollout.Operator {
	host, _ := os.Hostname()
	return rollout.Operator{User: userName(), Host: host, TTY: ttyName()}
}

func actor() journal.Actor {
	o := operator()
	from, _, _ := strings.Cut(os.Getenv("SSH_CONNECTION"), " ")
	return journal.Actor{User: o.User, Host: o.Host, TTY: o.TTY, SSH: from}
}

func lockInfo(run string) journal.Info {
	o := operator()
	return journal.Info{User: o.User, Host: o.Host, TTY: o.TTY, Run: run, Version: version()}
}

// userName prefers who logged in over whom they became.
func userName() string {
	if name := os.Getenv("SUDO_USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// ttyName is the terminal of standard input, "" without one.
func ttyName() string {
	name, err := os.Readlink("/proc/self/fd/0")
	if err != nil || !strings.HasPrefix(name, "/dev/") || name == os.DevNull {
		return ""
	}
	return strings.TrimPrefix(name, "/dev/")
}
