package probe

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// The question is followed by "what are you" (DA1), which every terminal
// answers: one that does not know OSC 11 is recognised by its answering only
// the second, without waiting for the whole time.
const (
	askBackground = "\x1b]11;?\x1b\\"
	askDevice     = "\x1b[c"
)

// maxReply bounds what is read; a real answer has about 40 bytes.
const maxReply = 1024

// reply is what came back.
type reply struct {
	dark    bool // the background is dark; meaningful if known
	known   bool // the background's colour was told
	pending bool // not everything that was asked for has arrived
}

// ask puts the question to a terminal and waits for at most wait. Echo is off
// meanwhile, so that an answer does not show. What cannot be asked, because it
// is no terminal, answers with the zero reply.
func ask(tty *os.File, wait time.Duration) reply {
	fd := int(tty.Fd())
	if !term.IsTerminal(fd) {
		return reply{}
	}
	old, err := term.MakeRaw(fd)
	if err != nil {
		return reply{}
	}
	defer func() { _ = term.Restore(fd, old) }()
	if _, err := unix.Write(fd, []byte(askBackground+askDevice)); err != nil {
		return reply{}
	}
	b, complete := read(fd, time.Now().Add(wait))
	dark, known := parseReply(b)
	return reply{dark: dark, known: known, pending: !complete}
}

// read collects bytes until the answer to the device question has arrived or
// the deadline has passed.
func read(fd int, deadline time.Time) (got []byte, complete bool) {
	buf := make([]byte, 256)
	for len(got) < maxReply {
		left := time.Until(deadline)
		if left <= 0 {
			return got, false
		}
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(left.Milliseconds())+1)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 || fds[0].Revents&unix.POLLIN == 0 {
			return got, false
		}
		n, err = unix.Read(fd, buf)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if err != nil || n <= 0 {
			return got, false
		}
		got = append(got, buf[:n]...)
		if deviceAnswered(got) {
			return got, true
		}
	}
	return got, false
}

// deviceAnswered looks for ESC [ ? ... c.
func deviceAnswered(b []byte) bool {
	i := bytes.LastIndex(b, []byte("\x1b[?"))
	return i >= 0 && bytes.IndexByte(b[i:], 'c') > 0
}

// parseReply reads ESC ] 11 ; rgb:RRRR/GGGG/BBBB, where a component has one to
// four hexadecimal digits, and calls the colour dark when its luma is below
// one half.
func parseReply(b []byte) (dark, ok bool) {
	const prefix = "\x1b]11;rgb:"
	i := bytes.Index(b, []byte(prefix))
	if i < 0 {
		return false, false
	}
	b = b[i+len(prefix):]
	end := bytes.IndexAny(b, "\x07\x1b")
	if end < 0 {
		return false, false
	}
	parts := bytes.Split(b[:end], []byte("/"))
	if len(parts) != 3 {
		return false, false
	}
	var rgb [3]float64
	for i, p := range parts {
		v, err := strconv.ParseUint(string(p), 16, 16)
		if err != nil || len(p) > 4 {
			return false, false
		}
		rgb[i] = float64(v) / float64(uint64(1)<<(4*len(p))-1)
	}
	return 0.299*rgb[0]+0.587*rgb[1]+0.114*rgb[2] < 0.5, true
}
