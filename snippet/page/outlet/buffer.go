package outlet

import "sync"

const (
	// maxOnce is the longest page that goes out at once, with its length, where the origin told its own. Longer
	// ones go in pieces of pieceSize.
	maxOnce   = 256 << 10
	pieceSize = 128 << 10
	// maxReady is how large the pieces are where no more may be gathered, and the first of a long page, which is
	// not to wait.
	maxReady = 16 << 10
	// maxShort is the longest page that goes out at once where it is only given the code.
	maxShort = 32 << 10
	// roomForEdits is by how much most pages grow.
	roomForEdits = 8 << 10

	smallBuffer = 48 << 10
	largeBuffer = maxOnce + roomForEdits
)

// buffer is memory for what is ready to go out. All pages of the process share them.
type buffer struct{ bytes []byte }

var smallBuffers, largeBuffers sync.Pool

// takeBuffer gives an empty buffer for a page or a piece of n bytes, which may still grow.
func takeBuffer(n int) *buffer {
	pool, size := &smallBuffers, smallBuffer
	if n > smallBuffer {
		pool, size = &largeBuffers, largeBuffer
	}
	if b, ok := pool.Get().(*buffer); ok {
		return b
	}
	return &buffer{make([]byte, 0, size)}
}

// giveBack keeps the buffer for other pages, unless it has grown.
func (b *buffer) giveBack() {
	b.bytes = b.bytes[:0]
	switch cap(b.bytes) {
	case smallBuffer:
		smallBuffers.Put(b)
	case largeBuffer:
		largeBuffers.Put(b)
	}
}
