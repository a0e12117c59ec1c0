package hook

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

// A command writes to a file, the spool, and not to a pipe: a write to a pipe that
// nobody reads any more ends the writer, so a restart would be broken off half-way
// because the console that had asked for it is gone. The spool holds the output as
// it came, is readable by its owner only, and is removed once all of it has gone
// through output, which bounds it and takes secrets out.

// spoolLook is how often the spool is looked at for more output.
const spoolLook = 50 * time.Millisecond

// SpoolPath is where a command whose log is at logPath writes to while it runs.
func SpoolPath(logPath string) string { return logPath + ".raw" }

type spool struct {
	file *os.File
	out  *output
	off  int64 // read so far
	err  error

	stop, done chan struct{}
}

// newSpool opens the file; nothing reads it before follow.
func newSpool(logPath string, out *output) (*spool, error) {
	f, err := openSpool(logPath)
	if err != nil {
		return nil, fmt.Errorf("open the file for its output: %w", err)
	}
	return &spool{file: f, out: out, stop: make(chan struct{}), done: make(chan struct{})}, nil
}

// openSpool opens the spool of a log. Without a log it is a file that has no name
// and ends with the last process that holds it.
func openSpool(logPath string) (*os.File, error) {
	if logPath != "" {
		return os.OpenFile(SpoolPath(logPath), os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	}
	made, err := os.CreateTemp("", "storcon-hook-")
	if err != nil {
		return nil, err
	}
	defer made.Close()
	defer os.Remove(made.Name())
	// Once more to append: both streams write to it, and neither may write over
	// the other.
	return os.OpenFile(made.Name(), os.O_RDWR|os.O_APPEND, 0o600)
}

// follow hands on what is written, until finish.
func (s *spool) follow() {
	go func() {
		defer close(s.done)
		tick := time.NewTicker(spoolLook)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.drain()
			case <-s.stop:
				s.drain()
				return
			}
		}
	}()
}

// drain reads what is there now, and not what is written meanwhile: something that
// the command left behind may write for ever.
func (s *spool) drain() {
	st, err := s.file.Stat()
	if err != nil {
		s.err = err
		return
	}
	n, err := io.Copy(s.out, io.NewSectionReader(s.file, s.off, st.Size()-s.off))
	s.off += n
	s.err = err
	if s.off > MaxOutputBytes {
		// Not the line that is not finished: it is to be read whole by Collect too.
		freeSpace(s.file, s.off-int64(len(s.out.raw)))
	}
}

// finish waits for the reader and closes the file. It stays on the disk only if
// the command goes on writing to it.
func (s *spool) finish(left bool) error {
	close(s.stop)
	<-s.done
	return s.close(left)
}

func (s *spool) close(left bool) error {
	logPath := s.out.o.LogPath
	if left && logPath != "" {
		s.out.note("[left running; what it prints from here on is in " + SpoolPath(logPath) + "]")
	}
	err := errors.Join(s.err, s.file.Close())
	if !left && logPath != "" {
		err = errors.Join(err, os.Remove(SpoolPath(logPath)))
	}
	if err != nil {
		err = fmt.Errorf("output of restart command: %w", err)
	}
	return errors.Join(err, s.out.finish())
}

// Collect reads what a command printed that was started by an earlier process and
// has ended since, and writes the log anew from it. Only Tail, Cut
// and Identity of the result are set; without output that is kept it is empty.
func Collect(o Options) (Result, error) {
	if o.Redact == nil {
		o.Redact = func(t string) string { return t }
	}
	f, err := os.Open(SpoolPath(o.LogPath))
	if errors.Is(err, os.ErrNotExist) {
		return Result{}, nil // it ended under the eyes of that process
	}
	if err != nil {
		return Result{}, fmt.Errorf("output of restart command: %w", err)
	}
	from, err := firstText(f)
	if err != nil {
		return Result{}, errors.Join(fmt.Errorf("output of restart command: %w", err), f.Close())
	}
	if from == 0 { // else the log has what is gone from here
		if err := os.Truncate(o.LogPath, 0); err != nil && !errors.Is(err, os.ErrNotExist) {
			return Result{}, errors.Join(fmt.Errorf("log of restart command: %w", err), f.Close())
		}
	}
	out, err := newOutput(o)
	if err != nil {
		return Result{}, errors.Join(err, f.Close())
	}
	s := &spool{file: f, out: out, off: from}
	s.drain()
	err = s.close(false)
	return Result{Tail: out.tail, Cut: out.cut, Identity: out.identity}, err
}

// firstText is where the text begins that freeSpace has left: after the hole, and
// after the zeros that fill the rest of its last block.
func firstText(f *os.File) (int64, error) {
	at := firstData(f)
	if at == 0 {
		return 0, nil
	}
	text := bufio.NewReader(io.NewSectionReader(f, at, math.MaxInt64-at))
	for {
		switch b, err := text.ReadByte(); {
		case errors.Is(err, io.EOF):
			return at, nil
		case err != nil:
			return 0, err
		case b != 0:
			return at, nil
		}
		at++
	}
}
