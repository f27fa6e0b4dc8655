// Package face makes the small picture of an operator, which visitors see in the chat, of one that somebody has sent. The
// operators ask it.
package face

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	_ "image/gif" // is taken
	"image/jpeg"
	_ "image/png" // is taken
	"sync"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // is taken
)

const (
	// Max is the largest size in bytes of a picture that is taken.
	Max = 5 << 20
	// maxPixels bounds the pixels of one, which the decoders need up to 16 bytes each for: a telephone's have 12 million.
	maxPixels = 16_000_000
	// freePixels is how many pixels any picture may have, and pixelsOfByte how many more for each of its bytes: a
	// photograph has some four, and a forged header must not make few bytes dear.
	freePixels, pixelsOfByte = 1_000_000, 32
	// maxScans bounds the scans of a JPEG file, each of which goes over all of its pixels: progressive ones have some ten.
	maxScans = 64
	// side is the width and height of a face in pixels: the largest that is shown, for screens of two pixels for one.
	side = 96
	// Type is the type of a face.
	Type = "image/jpeg"
)

// Mistakes of those who send a picture or ask for a face. Their texts may be shown.
var (
	ErrPicture = errors.New("a face is a JPEG, PNG, GIF or WebP picture")
	ErrUnknown = errors.New("there is no such face")
	ErrLarge   = errors.New("a face is of a picture of at most 5 MB and 16 million pixels, and fewer if it is nearly empty")
)

// decoding lets one picture be decoded at a time: the dearest, a PNG with 16 bits a colour, needs some 140 MB.
var decoding sync.Mutex

// Of returns a face as a JPEG file of some 4 KB: the centred square of the picture, upright, on white. The error is
// [ErrPicture] or [ErrLarge]. How large a picture is, its header tells before anything is decoded.
func Of(picture []byte) ([]byte, error) {
	if len(picture) > Max {
		return nil, ErrLarge
	}
	size, kind, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil || size.Width <= 0 || size.Height <= 0 {
		return nil, ErrPicture
	}
	if most := min(maxPixels, freePixels+pixelsOfByte*len(picture)); int64(size.Width)*int64(size.Height) > int64(most) || kind == "jpeg" && bytes.Count(picture, []byte{0xff, 0xda}) > maxScans {
		return nil, ErrLarge
	}
	small, err := cut(picture)
	if err != nil {
		return nil, ErrPicture
	}
	if kind == "jpeg" {
		small = upright(small, orientation(picture))
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, small, &jpeg.Options{Quality: 88})
	return b.Bytes(), err
}

// cut is the centred square of the picture, as small as a face is.
func cut(picture []byte) (*image.RGBA, error) {
	decoding.Lock()
	defer decoding.Unlock()
	whole, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	all := whole.Bounds()
	edge := min(all.Dx(), all.Dy())
	if edge == 0 {
		return nil, ErrPicture
	}
	corner := all.Min.Add(image.Pt((all.Dx()-edge)/2, (all.Dy()-edge)/2))
	small := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(small, small.Bounds(), whole, image.Rectangle{corner, corner.Add(image.Pt(edge, edge))}, draw.Over, nil)
	return small, nil
}
