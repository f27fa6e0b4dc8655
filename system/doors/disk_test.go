package doors

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// disk is a small disk of this process.
type disk struct {
	t      testing.TB
	folder string
}

// smallDisk tells a process in its environment where its small disk is.
const smallDisk = "TEST_SMALL_DISK"

// onDisk runs the test in a process of its own, which has a small disk that is mounted where nobody else sees it.
func onDisk(t *testing.T, size string, test func(d *disk)) {
	t.Helper()
	if folder := os.Getenv(smallDisk); folder != "" {
		test(&disk{t, folder})
		return
	}
	folder := t.TempDir()
	cmd := exec.Command("sh", "-ec", `mount --make-rprivate /; mount -t tmpfs -o size="$1" frontdesk "$2"; shift 2; exec "$@"`,
		"sh", size, folder, os.Args[0], "-test.run", "^"+t.Name()+"$", fmt.Sprint("-test.v=", testing.Verbose()))
	cmd.Env = append(os.Environ(), smallDisk+"="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
	}
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)
	t.Logf("%s", output)
}

// fill leaves no room on the disk until the function that it returns is called.
func (d *disk) fill() (free func()) {
	d.t.Helper()
	var size syscall.Statfs_t
	require.NoError(d.t, syscall.Statfs(d.folder, &size))
	require.Less(d.t, size.Blocks*uint64(size.Bsize), uint64(1<<30), "this is no small disk")
	ballast, err := os.Create(filepath.Join(d.folder, "ballast"))
	require.NoError(d.t, err)
	for block := make([]byte, 4096); err == nil; {
		_, err = ballast.Write(block)
	}
	require.ErrorIs(d.t, err, syscall.ENOSPC)
	return func() {
		require.NoError(d.t, os.Remove(ballast.Name()))
		require.NoError(d.t, ballast.Close())
	}
}
