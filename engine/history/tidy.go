package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tidy compresses finished files and removes the oldest until there is room for
// another one. One that somebody reads stays as it is.
func (r *Recorder) tidy(files []file, now time.Time) error {
	if err := r.removeUnfinished(); err != nil {
		return err
	}
	var total int64
	for i, f := range files {
		if filepath.Ext(f.path) != packed {
			size := f.size
			_, err := alone(f.path, func() (err error) {
				size, err = pack(f.path)
				return err
			})
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("compress %s: %w", f.path, err)
			}
			if size != f.size {
				files[i].path, files[i].size = f.path+packed, size
			}
		}
		total += files[i].size
	}
	for _, f := range files {
		if now.Sub(f.begins) <= r.o.MaxAge && total+r.fileMost <= r.o.MaxBytes {
			break
		}
		gone, err := alone(f.path, func() error { return os.Remove(f.path) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", f.path, err)
		}
		if gone {
			total -= f.size
		}
	}
	return nil
}

// removeUnfinished removes what a process left that died while it compressed.
func (r *Recorder) removeUnfinished() error {
	left, err := filepath.Glob(filepath.Join(globbed(r.dir), "*"+packed+unready))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// globbed is a path in which no character has a meaning to Glob.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
