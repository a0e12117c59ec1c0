package hook

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// procStat returns the fields of /proc/PID/stat after the program's name, which
// may itself hold spaces and parentheses; nil when there is no such process, or
// no such file system.
func procStat(pid int) [][]byte {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return nil
	}
	return bytes.Fields(b[i+1:])
}

// startTicks is when a process started, in ticks since boot; 0 when unknown.
func startTicks(pid int) uint64 {
	f := procStat(pid)
	if len(f) < 20 {
		return 0
	}
	n, err := strconv.ParseUint(string(f[19]), 10, 64) // field 22 of the whole line
	if err != nil {
		return 0
	}
	return n
}

// zombie says whether a process has ended and only waits for being reaped.
func zombie(pid int) bool {
	f := procStat(pid)
	return len(f) > 0 && string(f[0]) == "Z"
}
