package picture

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Render draws a line of text as an SVG image with outlines and no text. It looks the same everywhere, is sharp on
// every screen, and programs that collect numbers find none in it. It is as high as a line of the font, and keeps its
// proportions if an <img> has others. The same style and text give the same bytes. Render returns an error for
// characters that the font lacks.
func (r *Renderer) Render(text string) ([]byte, error) {
	// At a size of as many pixels as its grid has units, a font answers in these units.
	em := fixed.Int26_6(r.font.UnitsPerEm())
	line, err := r.font.Metrics(nil, em, font.HintingNone)
	if err != nil {
		return nil, fmt.Errorf("measuring the font: %w", err)
	}
	outlines, width, err := r.outline(text, em)
	if err != nil {
		return nil, err
	}
	height := line.Ascent + line.Descent
	if width <= 0 || height <= 0 {
		return nil, fmt.Errorf("the font gives %q no extent", text)
	}
	pixels := func(length fixed.Int26_6) string {
		return strconv.FormatFloat(math.Round(float64(length)*r.size/float64(em)*100)/100, 'f', -1, 64)
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 %d %d %d" preserveAspectRatio="xMinYMid"><path fill="%s" d="%s"/></svg>`,
		pixels(width), pixels(height), -line.Ascent, width, height, r.color, outlines), nil
}

// outline returns the path of a text that begins at 0, and its width, both in units of an em of the given size. The
// base line is at 0, and y grows downwards.
func (r *Renderer) outline(text string, em fixed.Int26_6) (path []byte, width fixed.Int26_6, err error) {
	var buffer sfnt.Buffer
	before := sfnt.GlyphIndex(0) // none: 0 is the glyph of missing characters
	for _, char := range text {
		glyph, err := r.font.GlyphIndex(&buffer, char)
		if err != nil {
			return nil, 0, fmt.Errorf("looking for %q in the font: %w", char, err)
		}
		if glyph == 0 {
			return nil, 0, fmt.Errorf("the font has no %q", char)
		}
		if before != 0 {
			kern, err := r.font.Kern(&buffer, before, glyph, em, font.HintingNone)
			if err != nil && !errors.Is(err, sfnt.ErrNotFound) {
				return nil, 0, fmt.Errorf("placing %q: %w", char, err)
			}
			width += kern
		}
		segments, err := r.font.LoadGlyph(&buffer, glyph, em, nil)
		if err != nil {
			return nil, 0, fmt.Errorf("reading the outline of %q: %w", char, err)
		}
		path = appendOutline(path, segments, width)
		advance, err := r.font.GlyphAdvance(&buffer, glyph, em, font.HintingNone)
		if err != nil {
			return nil, 0, fmt.Errorf("measuring %q: %w", char, err)
		}
		width += advance
		before = glyph
	}
	return path, width, nil
}

// commands are the SVG letters of the steps of a path, and how many points each has.
var commands = [...]struct {
	letter byte
	points int
}{
	sfnt.SegmentOpMoveTo: {'M', 1},
	sfnt.SegmentOpLineTo: {'L', 1},
	sfnt.SegmentOpQuadTo: {'Q', 2},
	sfnt.SegmentOpCubeTo: {'C', 3},
}

// appendOutline appends a glyph whose origin is at x. Filling closes its contours.
func appendOutline(path []byte, segments sfnt.Segments, x fixed.Int26_6) []byte {
	for _, segment := range segments {
		command := commands[segment.Op]
		path = append(path, command.letter)
		for i, point := range segment.Args[:command.points] {
			if i > 0 {
				path = append(path, ' ')
			}
			path = strconv.AppendInt(path, int64(x+point.X), 10)
			path = append(path, ' ')
			path = strconv.AppendInt(path, int64(point.Y), 10)
		}
	}
	return path
}
