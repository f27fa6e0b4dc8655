package face

import (
	"bytes"
	"encoding/binary"
	"image"
)

// turns tell for each orientation from 2 on which point of the stored square is shown at x, y: of the tag Orientation in
// Exif 2.3, section 4.6.4. far is the last row and column.
var turns = [...]func(x, y, far int) (int, int){
	func(x, y, far int) (int, int) { return far - x, y },
	func(x, y, far int) (int, int) { return far - x, far - y },
	func(x, y, far int) (int, int) { return x, far - y },
	func(x, y, _ int) (int, int) { return y, x },
	func(x, y, far int) (int, int) { return y, far - x },
	func(x, y, far int) (int, int) { return far - y, far - x },
	func(x, y, far int) (int, int) { return far - y, x },
}

// upright is the square as it is seen in the orientation.
func upright(stored *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation-2 >= len(turns) {
		return stored
	}
	seen := image.NewRGBA(stored.Bounds())
	for y := range side {
		for x := range side {
			fromX, fromY := turns[orientation-2](x, y, side-1)
			seen.SetRGBA(x, y, stored.RGBAAt(fromX, fromY))
		}
	}
	return seen
}

// orientation is how telephones say that they were held: the tag of the first directory in a JPEG file's Exif segment
// (Exif 2.3, section 4.5.4); 0 where it does not say.
func orientation(file []byte) int {
	for at := 2; at+4 <= len(file) && file[at] == 0xff && file[at+1] != 0xda; {
		end := at + 2 + int(binary.BigEndian.Uint16(file[at+2:]))
		if end > len(file) || end < at+4 {
			return 0
		}
		if content, found := bytes.CutPrefix(file[at+4:end], []byte("Exif\x00\x00")); file[at+1] == 0xe1 && found {
			return tagged(content)
		}
		at = end
	}
	return 0
}

// tagged reads the tag from the content of an Exif segment, which is a TIFF file.
func tagged(content []byte) int {
	const header, entry, tag = 8, 12, 0x0112
	if len(content) < header {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if content[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(content[4:]))
	if at+2 > int64(len(content)) {
		return 0
	}
	rest := content[at+2:]
	for range order.Uint16(content[at:]) {
		if len(rest) < entry {
			return 0
		}
		if order.Uint16(rest) == tag {
			return int(order.Uint16(rest[8:]))
		}
		rest = rest[entry:]
	}
	return 0
}
