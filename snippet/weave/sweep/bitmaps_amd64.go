package sweep

import "golang.org/x/sys/cpu"

// Fast says whether this machine makes bitmaps fast enough for a sweep to gain time.
var Fast = cpu.X86.HasAVX2

// mapAVX2 fills n bitmaps from the bytes at p, and looks at two bytes behind them.
//
//go:noescape
func mapAVX2(maps *bitmaps, p *byte, n int, f *fingerprints, mask, ender byte)

func mapBytes(maps []bitmaps, p []byte, f *fingerprints, mask, ender byte) {
	_ = p[64*len(maps)+1]
	mapAVX2(&maps[0], &p[0], len(maps), f, mask, ender)
}
