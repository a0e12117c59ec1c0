package plain

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/muesli/cancelreader"
)

// maxLine bounds a line of input in bytes; what is longer is no answer.
const maxLine = 4096

// input reads lines in a goroutine of its own, one ahead at most.
type input struct {
	lines chan typed // closed at the end of input
	quit  chan struct{}
	ended chan struct{}
	from  io.Reader
}

// typed is one line and the moment at which it was complete.
type typed struct {
	text string
	at   time.Time
}

func openInput(in io.Reader, now func() time.Time) *input {
	i := &input{lines: make(chan typed), quit: make(chan struct{}), ended: make(chan struct{}), from: in}
	// A terminal or pipe can be let go of in the middle of a read. A regular
	// file cannot, and need not: reading one never waits.
	if file, ok := in.(*os.File); ok {
		if cancellable, err := cancelreader.NewReader(file); err == nil {
			i.from = cancellable
		}
	}
	go i.read(now)
	return i
}

func (i *input) read(now func() time.Time) {
	defer close(i.ended)
	defer close(i.lines)
	r := bufio.NewReaderSize(i.from, maxLine)
	for {
		text, err := readLine(r)
		if err != nil {
			// A last line that was not ended may be a part of what was meant:
			// it is dropped with the end of input.
			return
		}
		select {
		case i.lines <- typed{text, now()}:
		case <-i.quit:
			return
		}
	}
}

// readLine reads up to a line's end. Of a line that is too long only the
// beginning comes back, with a mark that makes it fit no word.
func readLine(r *bufio.Reader) (string, error) {
	text, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return strings.TrimRight(string(text), "\r\n"), err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	return "(a line of more than " + strconv.Itoa(maxLine) + " bytes)", err
}

// close ends the goroutine and waits for it. A reader that is neither a file
// nor at its end cannot be interrupted: its goroutine then ends with the read.
func (i *input) close() {
	close(i.quit)
	c, ok := i.from.(cancelreader.CancelReader)
	if ok && c.Cancel() {
		<-i.ended
		c.Close()
	}
}
