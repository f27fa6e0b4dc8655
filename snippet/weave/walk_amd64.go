package weave

// stops has a bit for each byte from 0x30 to 0x3F, less one for each "<", and high one for
// each that is not ASCII. It does what [stopsOf] does, with instructions that every amd64 has (SSE2).
//
//go:noescape
func stops(b *[64]byte) (stops, less, high uint64)
