package file_test

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
	"path"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
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
			sent := file.File{Name: p.name, Content: p.content()}
			require.NoError(t, sent.Check())
			require.Equal(t, p.pixels, sent.Pixels)
			require.Equal(t, p.pixels <= 25_000_000, sent.IsShown())
		})
	}
	t.Run("which costs a header", func(t *testing.T) {
		bomb := file.File{Name: "bomb.png", Content: pngOf(16000, 16000)}
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
		sent := file.File{Name: name, Content: content}
		require.NoError(t, sent.Check())
		require.Regexp(t, `\.(txt|zip|png)$`, sent.Name, name)
	}
	for name, content := range map[string][]byte{"prices.csv": text, "Notes.TXT": text, "offer.docx": archive, "a.PNG": pngOf(1, 1), "b.jpeg": jpegOf(1, 1)} {
		sent := file.File{Name: name, Content: content}
		require.NoError(t, sent.Check())
		require.Equal(t, name, sent.Name)
	}
}

// telephones are beginnings of files as telephones and recorders make them.
var telephones = map[string]string{
	"a.heic": "\x00\x00\x00\x24ftypheic\x00\x00\x00\x00mif1MiHEmiaf", "b.heic": "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic",
	"a.mp4": "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41", "b.mp4": "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42",
	"c.m4a": "\x00\x00\x00\x1cftypM4A \x00\x00\x00\x00M4A mp42isom", "a.mp3": "ID3\x04\x00\x00\x00\x00\x00\x00", "b.mp3": "\xff\xfb\x90\x64\x00", "c.mp3": "\xff\xf3\x44\xc4\x00",
}

func TestTypesOfTelephones(t *testing.T) {
	types := map[string]string{".heic": "image/heic", ".mp4": "video/mp4", ".m4a": "video/mp4", ".mp3": "audio/mpeg"}
	for name, content := range telephones {
		sent := file.File{Name: name, Content: []byte(content)}
		require.NoError(t, sent.Check(), name)
		require.Equal(t, []string{name, types[path.Ext(name)]}, []string{sent.Name, sent.Type})
		require.False(t, sent.IsShown(), "few browsers show it")
	}
	for _, content := range []string{"\x00\x00\x00\x18ftypevil\x00\x00\x00\x00evil", "\xff\xfb\xf0\x00", "MZ\x90\x00"} {
		sent := file.File{Name: "a.mp4", Content: []byte(content)}
		require.ErrorAs(t, sent.Check(), new(file.Wrong), "%q", content)
	}
}

// Nothing that a visitor may call a file makes a name that hurts.
func FuzzFile(f *testing.F) {
	f.Add("a.png", []byte("\x89PNG\r\n\x1a\n"))
	f.Add("../../etc/passwd\x00", []byte("text"))
	f.Add("\u202egnp.exe", []byte("MZ"))
	for name, content := range telephones {
		f.Add(name, []byte(content))
	}
	for _, p := range pictures {
		f.Add(p.name, p.content())
	}
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		sent := file.File{Name: name, Content: content}
		var err error
		stepstest.Hold(t, len(name)+len(content), func() { err = sent.Check() })
		if err != nil {
			return
		}
		require.NotEmpty(t, sent.Name)
		require.LessOrEqual(t, len(sent.Name), 200)
		require.True(t, utf8.ValidString(sent.Name))
		require.NotContains(t, []string{".", ".."}, sent.Name)
		require.False(t, strings.ContainsFunc(sent.Name, func(r rune) bool { return unicode.IsControl(r) || r == '/' || r == '\\' || r == '\u202e' }), "%q", sent.Name)
		require.Contains(t, file.Types, sent.Type)
		require.Contains(t, []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".zip", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp",
			".heic", ".heif", ".mp3", ".mp4", ".m4v", ".m4a", ".txt", ".csv", ".tsv", ".log", ".md", ".json", ".ics", ".vcf"}, strings.ToLower(path.Ext(sent.Name)))
		again := sent
		require.NoError(t, again.Check())
		require.Equal(t, sent, again)
	})
}
