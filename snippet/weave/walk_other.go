//go:build !amd64

package weave

func stops(b *[64]byte) (stops, high uint64) { return stopsOf(b) }
