// Package picture draws telephone numbers for pages that show them as an image. The edge asks it for the pictures of a
// site's tracking numbers.
package picture

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/image/colornames"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// ContentType is the type of the pictures.
const ContentType = "image/svg+xml"

const (
	defaultSize  = 16
	defaultColor = "black"
)

// Style says how a number is drawn. The zero value is black text of 16 pixels.
type Style struct {
	Size  float64 // of the font in CSS pixels, 8 to 200; 0 means 16
	Color string  // "#rgb", "#rgba", "#rrggbb", "#rrggbbaa" or one of SVG's names, such as "navy"; "" means black
	Font  string  // path of a TrueType or OpenType font, or of a collection, whose first font counts; "" means Go Regular
}

// Renderer draws in one style. It is safe for concurrent use.
type Renderer struct {
	size  float64
	color string
	font  *sfnt.Font
}

// New returns a renderer for a style. The error says what is wrong with the style.
func New(style Style) (*Renderer, error) {
	r := &Renderer{size: style.Size, color: strings.ToLower(style.Color)}
	if r.size == 0 {
		r.size = defaultSize
	}
	if !(r.size >= 8 && r.size <= 200) { // this also refuses NaN
		return nil, fmt.Errorf("expected a size from 8 to 200 pixels, not %v", style.Size)
	}
	if r.color == "" {
		r.color = defaultColor
	}
	if !isColor(r.color) {
		return nil, fmt.Errorf("expected a colour such as #1a2b3c or navy, not %q", style.Color)
	}
	var err error
	if r.font, err = load(style.Font); err != nil {
		return nil, fmt.Errorf("reading the font %q: %w", style.Font, err)
	}
	return r, nil
}

var hexadecimal = regexp.MustCompile(`^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$`)

func isColor(color string) bool {
	_, named := colornames.Map[color]
	return named || hexadecimal.MatchString(color)
}

// maxFont bounds a font's file, in bytes. The largest fonts, of East Asian scripts, have about 20 MB.
const maxFont = 32 << 20

func load(path string) (*sfnt.Font, error) {
	if path == "" {
		return sfnt.Parse(goregular.TTF)
	}
	content, err := read(path)
	if err != nil {
		return nil, err
	}
	return parse(content)
}

func parse(content []byte) (*sfnt.Font, error) {
	fonts, err := sfnt.ParseCollection(content)
	if err != nil {
		return nil, err
	}
	return fonts.Font(0)
}

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFont+1))
	if err == nil && len(content) > maxFont {
		err = fmt.Errorf("it is larger than %d MB", maxFont>>20)
	}
	return content, err
}
