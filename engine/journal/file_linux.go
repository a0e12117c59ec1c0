package journal

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func datasync(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return err
		}
	}
}

func reserve(f *os.File, size int64) error {
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
}

// bootID names this boot of the host: Mono values compare only within one.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// monotonic is the kernel's clock that nobody sets, in nanoseconds.
func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return ts.Nano()
}

// Magic numbers of file systems whose advisory locks do not hold between hosts.
var untrustedLocks = map[uint32]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x65735546: "FUSE",
}

// checkLockable refuses a directory on which a lock would mean nothing.
func checkLockable(dir string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return fmt.Errorf("statfs %s: %w", dir, err)
	}
	if name, bad := untrustedLocks[uint32(st.Type)]; bad {
		return fmt.Errorf("%s is on %s, where a lock does not keep another host out: choose a local directory with --state-dir", dir, name)
	}
	return nil
}
