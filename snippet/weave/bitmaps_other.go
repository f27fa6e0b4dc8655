//go:build !amd64 && !arm64

package weave

// sweeping says whether this machine makes bitmaps fast enough for a sweep to gain time.
const sweeping = false

func mapBytes(maps []bitmaps, p []byte, f *fingerprints, mask, ender byte) {
	mapInGo(maps, p, f, mask, ender)
}
