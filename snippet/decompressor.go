package snippet

import (
	"bufio"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// The memory that a page may ask for. Zstandard's limit is the one for the web
// (RFC 9659); Brotli's is the reference encoder's default.
const (
	maxZstdWindow     = 8 << 20
	maxBrotliWindowLg = 22
)

var decodeBuffers = sync.Pool{New: func() any {
	return &decodeBuffer{source: bufio.NewReaderSize(nil, 4<<10)}
}}

// Decompressors are kept for reuse, since their tables and windows are large.
var (
	gzipReaders   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	flateReaders  = sync.Pool{New: func() any { return flate.NewReader(nil) }}
	brotliReaders = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
	zlibReaders   sync.Pool
	zstdReaders   sync.Pool
)

// decompressor is a library's reader.
type decompressor struct {
	io.Reader
	pool *sync.Pool
	kept any // what goes back to the pool
}

func (d *decompressor) release() {
	if z, ok := d.kept.(*zstd.Decoder); ok {
		if err := z.Reset(nil); err != nil {
			return
		}
	}
	d.pool.Put(d.kept)
}

// again goes on with what follows the end: only gzip pages may have several
// members (RFC 1952, 2.2).
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

// openDecompressor reads what it needs of the source to begin.
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
		if err := checkBrotliWindow(source); err != nil {
			return nil, err
		}
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

// openDeflate accepts what RFC 9110 (8.4.1.2) means by the name, the zlib format,
// and what many servers send under it, the bare data.
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
		// Without concurrency it works in the goroutine that reads.
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

// checkBrotliWindow reads the window's size, with which a page begins (RFC 7932, 9.1).
func checkBrotliWindow(source *bufio.Reader) error {
	head, err := source.Peek(1)
	if err != nil {
		return err
	}
	if lg := int(head[0] >> 1 & 7); head[0]&1 == 1 && 17+lg > maxBrotliWindowLg {
		return errWindow
	}
	return nil
}
