package chat_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
)

// picture is a file that says what its pixels are.
type picture struct {
	name    string
	content func() []byte
	pixels  int64
}

// dot is a picture of one colour.
func dot(width, height int) *image.Paletted {
	return image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
}

// animated is a GIF of so many frames, each of one pixel. The first is put to the place.
func animated(size image.Point, frames int, at image.Point) []byte {
	g := &gif.GIF{Config: image.Config{Width: at.X + 1, Height: at.Y + 1}}
	for range frames {
		g.Image, g.Delay = append(g.Image, dot(1, 1)), append(g.Delay, 1)
	}
	g.Image[0].Rect = g.Image[0].Rect.Add(at)
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		panic(err)
	}
	binary.LittleEndian.PutUint16(b.Bytes()[6:], uint16(size.X)) // whatever the frames need
	binary.LittleEndian.PutUint16(b.Bytes()[8:], uint16(size.Y))
	return b.Bytes()
}

// pngOf is a PNG whose header says the size, with further chunks.
func pngOf(width, height uint32, chunks ...string) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, dot(1, 1)); err != nil {
		panic(err)
	}
	header := b.Bytes()[12:29] // IHDR and what it says
	binary.BigEndian.PutUint32(header[4:], width)
	binary.BigEndian.PutUint32(header[8:], height)
	binary.BigEndian.PutUint32(b.Bytes()[29:], crc32.ChecksumIEEE(header))
	return append(b.Bytes(), strings.Join(chunks, "")...)
}

func jpegOf(width, height int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, dot(width, height), nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// webpOf is an animated WebP of so many frames, whose header says the size (RFC 9649, section 2.7).
func webpOf(width, height uint32, frames int) []byte {
	chunk := func(name string, content []byte) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(content))), content...)
	}
	size := func(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n-1)[:3] }
	body := append([]byte("WEBP"), chunk("VP8X", append(append([]byte{2, 0, 0, 0}, size(width)...), size(height)...))...)
	body = append(body, chunk("ANIM", make([]byte, 6))...)
	for range frames {
		body = append(body, chunk("ANMF", make([]byte, 16))...)
	}
	return chunk("RIFF", body)
}

var pictures = []picture{
	{"a.png", func() []byte { return pngOf(30, 20) }, 600},
	{"moving.png", func() []byte {
		return pngOf(30, 20, "\x00\x00\x00\x00fcTL\x00\x00\x00\x00", "\x00\x00\x00\x00fcTL\x00\x00\x00\x00")
	}, 2 * 600},
	{"a.jpg", func() []byte { return jpegOf(30, 20) }, 600},
	{"a.gif", func() []byte { return animated(image.Pt(30, 20), 1, image.Pt(0, 0)) }, 600},
	{"moving.gif", func() []byte { return animated(image.Pt(30, 20), 7, image.Pt(0, 0)) }, 7 * 600},
	{"beyond.gif", func() []byte { return animated(image.Pt(1, 1), 2, image.Pt(9999, 19999)) }, 2 * 10000 * 20000},
	{"moving.webp", func() []byte { return webpOf(300, 200, 9) }, 9 * 60000},
	{"still.webp", func() []byte {
		lossless, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
		if err != nil {
			panic(err)
		}
		return lossless
	}, 1},
	{"bomb.png", func() []byte { return pngOf(16000, 16000) }, 256_000_000},
	{"cut.gif", func() []byte { return animated(image.Pt(30, 20), 7, image.Pt(0, 0))[:40] }, 600},
}

// A picture that would take too much of a browser is a file, whatever its frames are. Each is found by its headers.
func TestPixels(t *testing.T) {
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			file := chat.File{Name: p.name, Content: p.content()}
			require.NoError(t, file.Check())
			require.Equal(t, p.pixels, file.Pixels)
			require.Equal(t, p.pixels <= 25_000_000, file.IsShown())
		})
	}
	t.Run("which costs a header", func(t *testing.T) {
		bomb := chat.File{Name: "bomb.png", Content: pngOf(16000, 16000)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, bomb.Check())
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "decoded, it has 256 MB")
	})
}

// A file's name ends as its content is: nothing that is sent as text, as a picture or in an archive is taken for a program.
func TestNamesOfFiles(t *testing.T) {
	text, archive := []byte("@echo off"), []byte("PK\x03\x04")
	for name, content := range map[string][]byte{
		"run.bat": text, "run.HTA": text, "run.vbs": text, "run.js": text, "page.html": text, "page.svg": text, "run.txt.cmd": text, "run.bat.": text,
		"run.bat ": text, ".bat": text, "run": text, "": text, "app.jar": archive, "macros.docm": archive, "picture.hta": pngOf(1, 1),
	} {
		file := chat.File{Name: name, Content: content}
		require.NoError(t, file.Check())
		require.Regexp(t, `\.(txt|zip|png)$`, file.Name, name)
	}
	for name, content := range map[string][]byte{"prices.csv": text, "Notes.TXT": text, "offer.docx": archive, "a.PNG": pngOf(1, 1), "b.jpeg": jpegOf(1, 1)} {
		file := chat.File{Name: name, Content: content}
		require.NoError(t, file.Check())
		require.Equal(t, name, file.Name)
	}
}
