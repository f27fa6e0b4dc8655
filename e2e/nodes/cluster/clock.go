package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fakeClock is the library that changes what a program reads from the clock; empty where it is not installed (Debian's
// faketime). Programs of Go do not read it by a library, see [Build], and Patroni ends of it at times, so it is
// PostgreSQL's alone.
var fakeClock = func() string {
	found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
	return strings.Join(found, "")
}()

// HasClocks tells whether the clocks of databases can be set.
func HasClocks() bool { return fakeClock != "" }

// programs is the folder of the programs that a database's machine runs.
func (c *Cluster) programs(m *Machine) string {
	if fakeClock == "" {
		return c.postgres
	}
	return filepath.Join(m.Disk, "bin")
}

// clock gives the database's machine a server whose clock can be set.
func (c *Cluster) clock(m *Machine) error {
	if fakeClock == "" {
		return nil
	}
	folder := c.programs(m)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	programs, err := filepath.Glob(filepath.Join(c.postgres, "*"))
	if err != nil {
		return err
	}
	for _, program := range programs {
		if filepath.Base(program) == "postgres" {
			continue
		}
		if err := os.Symlink(program, filepath.Join(folder, filepath.Base(program))); err != nil {
			return err
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nLD_PRELOAD=%s FAKETIME_TIMESTAMP_FILE=%s FAKETIME_CACHE_DURATION=1 DONT_FAKE_MONOTONIC=1 exec %s \"$@\"\n",
		fakeClock, m.clockFile(), filepath.Join(c.postgres, "postgres"))
	if err := os.WriteFile(filepath.Join(folder, "postgres"), []byte(script), 0o755); err != nil {
		return err
	}
	return m.SetClock(0)
}

func (m *Machine) clockFile() string { return filepath.Join(m.Disk, "clock") }

// SetClock sets the clock of a database, or of a node, so far ahead, or behind.
func (m *Machine) SetClock(by time.Duration) error {
	return os.WriteFile(m.clockFile(), fmt.Appendf(nil, "%+d\n", int64(by.Seconds())), 0o644)
}
