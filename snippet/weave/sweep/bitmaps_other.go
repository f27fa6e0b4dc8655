//go:build !amd64 && !arm64

package sweep

// Fast says whether this machine makes bitmaps fast enough for a sweep to gain time.
const Fast = false

func mapBytes(maps []bitmaps, p []byte, f *fingerprints, mask, ender byte) {
	mapInGo(maps, p, f, mask, ender)
}
