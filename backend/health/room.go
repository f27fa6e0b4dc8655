//go:build linux || darwin

package health

import "golang.org/x/sys/unix"

// Room returns how many bytes are free on the disk of the folder, and how many it has. known is false where that cannot
// be told.
func Room(folder string) (free, size int64, known bool) {
	var disk unix.Statfs_t
	if err := unix.Statfs(folder, &disk); err != nil {
		return 0, 0, false
	}
	return int64(disk.Bavail * uint64(disk.Bsize)), int64(disk.Blocks * uint64(disk.Bsize)), true
}
