package sweep

// Fast says whether this machine makes bitmaps fast enough for a sweep to gain time. Every arm64 has NEON.
const Fast = true

// mapNEON fills n bitmaps from the bytes at p, and looks at two bytes behind them.
//
//go:noescape
func mapNEON(maps *bitmaps, p *byte, n int, f *fingerprints, mask, ender byte)

func mapBytes(maps []bitmaps, p []byte, f *fingerprints, mask, ender byte) {
	_ = p[64*len(maps)+1]
	mapNEON(&maps[0], &p[0], len(maps), f, mask, ender)
}
