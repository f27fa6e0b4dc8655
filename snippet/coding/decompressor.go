package coding

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// The memory that a page may take. The limit for Zstandard is the one for the web (RFC 9659). The limit for Brotli is
// the default of the reference encoder.
const (
	maxZstdWindow     = 8 << 20
	maxBrotliWindowLg = 22
)

var decodeBuffers = sync.Pool{New: func() any {
	return &decodeBuffer{source: bufio.NewReaderSize(nil, 4<<10)}
}}

// Decompressors are reused, because their tables and windows are large.
var (
	gzipReaders   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	flateReaders  = sync.Pool{New: func() any { return flate.NewReader(nil) }}
	brotliReaders = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
	zlibReaders   sync.Pool
	zstdReaders   sync.Pool
)

// decompressor is the reader of a library.
type decompressor struct {
	io.Reader
	pool *sync.Pool
	kept any // goes back to the pool
}

func (d *decompressor) release() {
	if z, ok := d.kept.(*zstd.Decoder); ok {
		if err := z.Reset(nil); err != nil {
			return
		}
	}
	d.pool.Put(d.kept)
}

// again continues with what follows the end: only gzip pages may have several members (RFC 1952, 2.2).
func (d *decompressor) again(source *bufio.Reader) error {
	z, ok := d.kept.(*gzip.Reader)
	if !ok {
		return errTrailing
	}
	return resetGzip(z, source)
}

func resetGzip(z *gzip.Reader, source *bufio.Reader) error {
	if err := z.Reset(source); err != nil {
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	z.Multistream(false)
	return nil
}

// openDecompressor reads as much of the source as it needs to begin.
func openDecompressor(coding string, source *bufio.Reader) (*decompressor, error) {
	switch coding {
	case "gzip":
		z := gzipReaders.Get().(*gzip.Reader)
		if err := resetGzip(z, source); err != nil {
			return nil, err
		}
		return &decompressor{z, &gzipReaders, z}, nil
	case "deflate":
		return openDeflate(source)
	case "br":
		z := brotliReaders.Get().(*brotli.Reader)
		if err := z.Reset(source); err != nil {
			return nil, err
		}
		return &decompressor{z, &brotliReaders, z}, nil
	case "zstd":
		return openZstd(source)
	}
	return nil, fmt.Errorf("content coding %q is not known", coding)
}

// openDeflate accepts what RFC 9110 (8.4.1.2) means by the name, the zlib format, and what many servers send under it,
// the bare data.
func openDeflate(source *bufio.Reader) (*decompressor, error) {
	head, err := source.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f != 8 || (int(head[0])<<8|int(head[1]))%31 != 0 {
		z := flateReaders.Get().(io.ReadCloser)
		if err := z.(flate.Resetter).Reset(source, nil); err != nil {
			return nil, err
		}
		return &decompressor{z, &flateReaders, z}, nil
	}
	z, ok := zlibReaders.Get().(io.ReadCloser)
	if ok {
		err = z.(zlib.Resetter).Reset(source, nil)
	} else {
		z, err = zlib.NewReader(source)
	}
	if err != nil {
		return nil, err
	}
	return &decompressor{z, &zlibReaders, z}, nil
}

func openZstd(source *bufio.Reader) (*decompressor, error) {
	z, ok := zstdReaders.Get().(*zstd.Decoder)
	if !ok {
		var err error
		// Without concurrency, it works in the goroutine that reads.
		z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, err
		}
	}
	if err := z.Reset(source); err != nil {
		return nil, err
	}
	return &decompressor{z, &zstdReaders, z}, nil
}

// windowOf returns how many bytes a decompressor needs for the page that begins in source, or errWindow.
func windowOf(coding string, source *bufio.Reader) (int, error) {
	switch coding {
	case "br":
		return brotliWindow(source)
	case "zstd":
		return zstdWindow(source)
	}
	return deflateWindow, nil
}

// deflateWindow is what the formats around deflate need, including tables.
const deflateWindow = 48 << 10

// brotliWindow reads the size of the window, with which a page begins (RFC 7932, 9.1).
func brotliWindow(source *bufio.Reader) (int, error) {
	head, err := source.Peek(1)
	if err != nil {
		return 0, err
	}
	lg := 16
	if bits := head[0]; bits&1 == 1 {
		switch n := int(bits >> 1 & 7); {
		case n > 0:
			lg = 17 + n
		case bits>>4&7 == 0:
			lg = 17
		default:
			lg = 8 + int(bits>>4&7)
		}
	}
	if lg > maxBrotliWindowLg {
		return 0, errWindow
	}
	return 1 << lg, nil
}

// zstdWindow reads the size of the window from the header of a frame (RFC 8878, 3.1.1.1). The library refuses larger
// windows than allowed.
func zstdWindow(source *bufio.Reader) (int, error) {
	for size := 1; size <= zstd.HeaderMaxSize; size++ {
		head, err := source.Peek(size)
		var header zstd.Header
		switch decoding := header.Decode(head); {
		case decoding == nil:
			return int(min(header.WindowSize, maxZstdWindow)), nil
		case !errors.Is(decoding, io.ErrUnexpectedEOF):
			return 0, nil // the library reports what is wrong
		case err != nil:
			return 0, err
		}
	}
	return 0, nil
}
