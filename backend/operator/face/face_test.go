package face

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// striped is a wide picture, whose middle is red above and blue below, and whose ends are green.
func striped() image.Image {
	whole := image.NewRGBA(image.Rect(0, 0, 400, 200))
	fill := func(area image.Rectangle, c color.Color) {
		draw.Draw(whole, area, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(whole.Bounds(), color.RGBA{G: 255, A: 255})
	fill(image.Rect(100, 0, 300, 100), color.RGBA{R: 255, A: 255})
	fill(image.Rect(100, 100, 300, 200), color.RGBA{B: 255, A: 255})
	return whole
}

func encoded(t testing.TB, with func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, with(&b))
	return b.Bytes()
}

func jpegOf(t testing.TB) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, striped(), nil) })
}

func pngOf(t testing.TB) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, striped()) })
}

// turned is the JPEG file as of a telephone that was held so.
func turned(file []byte, orientation byte) []byte {
	exif := append([]byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), orientation, 0, 0, 0, 0, 0, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return slices.Concat(file[:2], segment, exif, file[2:])
}

// colorsOf are those of the face at its top, right, bottom and left: R, B, or - for another.
func colorsOf(t *testing.T, face []byte) (colors string) {
	t.Helper()
	shown, err := jpeg.Decode(bytes.NewReader(face))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, side, side), shown.Bounds())
	for _, at := range []image.Point{{48, 10}, {85, 48}, {48, 85}, {10, 48}} {
		switch r, g, b, _ := shown.At(at.X, at.Y).RGBA(); {
		case r > 0xe000 && g < 0x2000 && b < 0x2000:
			colors += "R"
		case b > 0xe000 && g < 0x2000 && r < 0x2000:
			colors += "B"
		default:
			colors += "-"
		}
	}
	return colors
}

func TestAFaceIsTheMiddleOfThePictureUpright(t *testing.T) {
	pictures := map[string][]byte{
		"JPEG": jpegOf(t), "PNG": pngOf(t),
		"GIF": encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, striped(), nil) }),
	}
	for kind, picture := range pictures {
		face, err := Of(picture)
		require.NoError(t, err, kind)
		require.Less(t, len(face), 8<<10, kind)
		require.Equal(t, "RB", colorsOf(t, face)[:1]+colorsOf(t, face)[2:3], kind)
	}
	// What is stored above is seen there, on the right, below or on the left.
	for orientation, side := range map[byte]int{0: 0, 1: 0, 2: 0, 3: 2, 4: 2, 5: 3, 6: 1, 7: 1, 8: 3, 9: 0} {
		face, err := Of(turned(pictures["JPEG"], orientation))
		require.NoError(t, err)
		require.Equal(t, byte('R'), colorsOf(t, face)[side], "orientation %d", orientation)
		require.Equal(t, byte('B'), colorsOf(t, face)[(side+2)%4], "orientation %d", orientation)
	}
}

// bomb is a PNG file of a few bytes whose header tells of so many pixels.
func bomb(t testing.TB, width, height uint32) []byte {
	file := pngOf(t)
	binary.BigEndian.PutUint32(file[16:], width)
	binary.BigEndian.PutUint32(file[20:], height)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestHostilePicturesAreNotDecoded(t *testing.T) {
	whole := jpegOf(t)
	for name, hostile := range map[string]struct {
		picture []byte
		wrong   error
	}{
		"nothing":             {nil, ErrPicture},
		"no picture":          {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), ErrPicture},
		"half a picture":      {whole[:len(whole)/2], ErrPicture},
		"too many bytes":      {make([]byte, Max+1), ErrLarge},
		"too many pixels":     {bomb(t, 60_000, 60_000), ErrLarge},
		"too wide":            {bomb(t, 1<<31-1, 1), ErrLarge},
		"pixels for nothing":  {bomb(t, 4000, 4000), ErrLarge},
		"pixels that lack":    {bomb(t, 900, 900), ErrPicture},
		"a scan after a scan": {append(slices.Clone(whole), bytes.Repeat([]byte{0xff, 0xda}, maxScans)...), ErrLarge},
	} {
		_, err := Of(hostile.picture)
		require.ErrorIs(t, err, hostile.wrong, name)
	}
}

func FuzzOf(f *testing.F) {
	f.Add(turned(jpegOf(f), 6))
	f.Add(bomb(f, 100, 100))
	f.Fuzz(func(t *testing.T, picture []byte) {
		face, err := Of(picture)
		if err == nil {
			colorsOf(t, face)
		}
	})
}

// BenchmarkDearest is of pictures with as many pixels as may be sent, of some half a megabyte.
func BenchmarkDearest(b *testing.B) {
	const edge = 4000
	deep := image.NewNRGBA64(image.Rect(0, 0, edge, edge))
	flat := image.NewRGBA(deep.Bounds())
	for y := range edge {
		for x := range edge / 8 { // some is not even, as an even picture is too small for its pixels
			deep.SetNRGBA64(x, y, color.NRGBA64{R: uint16(x * y), G: uint16(x), A: 0x8000})
			flat.Set(x, y, color.RGBA{R: uint8(x * y / 64), G: uint8(x), A: 255})
		}
	}
	for name, picture := range map[string][]byte{
		"PNG of 16 bits": encoded(b, func(to *bytes.Buffer) error { return png.Encode(to, deep) }),
		"JPEG":           encoded(b, func(to *bytes.Buffer) error { return jpeg.Encode(to, flat, nil) }),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.ReportMetric(float64(len(picture)), "sent-bytes")
			for b.Loop() {
				_, err := Of(picture)
				require.NoError(b, err)
			}
		})
	}
}
