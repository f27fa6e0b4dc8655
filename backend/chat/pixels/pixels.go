// Package pixels tells by its headers how large a picture is for a browser that shows it. The files of conversations ask it.
package pixels

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // for the size of pictures
	_ "image/jpeg" // for the size of pictures
	_ "image/png"  // for the size of pictures
	"strings"

	_ "golang.org/x/image/webp" // for the size of pictures
)

// Of returns how many pixels a picture has when a browser decodes it, with all of its frames; 0 for anything
// else. It only reads headers, in at most as many steps as the content has bytes.
func Of(content []byte, contentType string) int64 {
	if !strings.HasPrefix(contentType, "image/") {
		return 0
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil || size.Width <= 0 || size.Height <= 0 {
		return 0
	}
	width, height, frames := int64(size.Width), int64(size.Height), int64(1)
	switch contentType {
	case "image/png": // an animation has a chunk of this name for each frame
		frames = max(1, int64(bytes.Count(content, []byte("fcTL"))))
	case "image/webp":
		frames = max(1, int64(bytes.Count(content, []byte("ANMF"))))
	case "image/gif":
		width, height, frames = gifFrames(content)
	}
	return width * height * frames
}

// gifFrames is how many frames a GIF has, 1 at least, and the size of an area that holds all of them: frames may reach
// beyond the size that the header names, and browsers make room for them. It follows the blocks of GIF89a, sections 17
// to 27, up to what is none.
func gifFrames(content []byte) (width, height, frames int64) {
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint16(content[at:])) }
	// A table of colours has three bytes for each of its 2 to 256 colours.
	table := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	const header, descriptor = 13, 10
	width, height = number(6), number(8)
	at := header + table(content[10])
	for {
		switch rest := len(content) - at; {
		case rest > descriptor && content[at] == ',':
			width, height = max(width, number(at+1)+number(at+5)), max(height, number(at+3)+number(at+7))
			frames++
			at += descriptor + table(content[at+9]) + 1 // and the size of the codes
		case rest > 1 && content[at] == '!':
			at += 2
		default:
			return width, height, max(frames, 1)
		}
		for at < len(content) && content[at] != 0 {
			at += 1 + int(content[at])
		}
		at++
	}
}
