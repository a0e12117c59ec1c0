package hook

import (
	"os"

	"golang.org/x/sys/unix"
)

// freeSpace gives the blocks of what was read back to the file system, so that a
// talkative command does not fill the disk that the journal needs. A file system
// that cannot do it keeps them until the command has ended.
func freeSpace(f *os.File, upTo int64) {
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, upTo)
}

// firstData is where what freeSpace has left begins.
func firstData(f *os.File) int64 {
	at, err := f.Seek(0, unix.SEEK_DATA)
	if err != nil {
		return 0 // an empty file, or one that knows no holes
	}
	return at
}
