//go:build !amd64

package weave

func stops(b *[64]byte) (stops, less, high uint64) { return stopsOf(b) }
