//go:build !linux && !darwin

package health

// Room cannot be told here.
func Room(string) (free, size int64, known bool) { return 0, 0, false }
