package picture

import (
	"bytes"
	"encoding/xml"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPicturesAreAsTheyWere(t *testing.T) {
	bold := filepath.Join(t.TempDir(), "bold.ttf")
	require.NoError(t, os.WriteFile(bold, gobold.TTF, 0o600))
	for name, example := range map[string]struct {
		style Style
		text  string
	}{
		"plain":    {Style{}, "+7 495 765-43-21"},
		"small":    {Style{Size: 8, Color: "Navy"}, "8 (495) 765-43-21"},
		"large":    {Style{Size: 200, Color: "#ABCD"}, "020 7946 0999"},
		"bold":     {Style{Size: 24.5, Color: "#1a2b3c", Font: bold}, "+7 495 765-43-21"},
		"repeated": {Style{}, "111111"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := New(example.style)
			require.NoError(t, err)
			got, err := r.Render(example.text)
			require.NoError(t, err)
			again, err := r.Render(example.text)
			require.NoError(t, err)
			require.True(t, bytes.Equal(got, again))
			golden := filepath.Join("testdata", name+".svg")
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got), "differs from %s", golden)
			var parsed struct {
				XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
				Text    string   `xml:",chardata"`
			}
			require.NoError(t, xml.Unmarshal(got, &parsed))
			require.Empty(t, parsed.Text)
		})
	}
}

func TestStylesThatAreNone(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.ttf")
	require.NoError(t, os.WriteFile(broken, goregular.TTF[:5000], 0o600))
	for want, style := range map[string]Style{
		"8 to 200 pixels, not 7.9":    {Size: 7.9},
		"8 to 200 pixels, not 201":    {Size: 201},
		"8 to 200 pixels, not -1":     {Size: -1},
		"8 to 200 pixels, not NaN":    {Size: math.NaN()},
		`not "reddish"`:               {Color: "reddish"},
		`not "#12"`:                   {Color: "#12"},
		`not "#12345"`:                {Color: "#12345"},
		`not "red\"/><script>"`:       {Color: `red"/><script>`},
		`reading the font "testdata/`: {Font: "testdata/none.ttf"},
		`reading the font "testdata"`: {Font: "testdata"},
		`reading the font "picture.`:  {Font: "picture.go"},
		broken:                        {Font: broken},
	} {
		_, err := New(style)
		require.ErrorContains(t, err, want)
	}
}

func TestCharactersThatTheFontLacks(t *testing.T) {
	r, err := New(Style{})
	require.NoError(t, err)
	_, err = r.Render("٠١٢")
	require.EqualError(t, err, `the font has no '٠'`)
	_, err = r.Render("")
	require.Error(t, err)
}

// A collection's first font is taken.
func TestCollection(t *testing.T) {
	// A header of one font whose tables are found from the collection's beginning.
	const header = 16
	collection := append([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10"), goregular.TTF...)
	tables := int(goregular.TTF[4])<<8 | int(goregular.TTF[5])
	for i := range tables {
		offset := collection[header+12+16*i+8:][:4]
		at := uint32(offset[0])<<24 | uint32(offset[1])<<16 | uint32(offset[2])<<8 | uint32(offset[3])
		at += header
		copy(offset, []byte{byte(at >> 24), byte(at >> 16), byte(at >> 8), byte(at)})
	}
	path := filepath.Join(t.TempDir(), "collection.ttc")
	require.NoError(t, os.WriteFile(path, collection, 0o600))
	first, err := New(Style{Font: path})
	require.NoError(t, err)
	got, err := first.Render("+7 495 765-43-21")
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/plain.svg")
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

func TestLargeFilesAreNoFonts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.ttf")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, maxFont+1))
	_, err := New(Style{Font: path})
	require.ErrorContains(t, err, "larger than 32 MB")
}

// Whatever bytes a font file has, drawing with it ends, in a picture or an error.
// The fuzzer writes its bytes over some of a good font's.
func FuzzFont(f *testing.F) {
	f.Add(uint32(0), uint32(0), []byte("OTTO"))
	f.Add(uint32(20_000), uint32(130_000), []byte(nil))
	f.Add(uint32(12), uint32(0), []byte("none"))
	f.Fuzz(func(t *testing.T, at, cut uint32, patch []byte) {
		content := bytes.Clone(goregular.TTF)
		copy(content[int(at)%len(content):], patch)
		content = content[:len(content)-int(cut)%len(content)]
		parsed, err := parse(content)
		if err != nil {
			return
		}
		r := &Renderer{size: 16, color: "black", font: parsed}
		if got, err := r.Render("+7 (495) 765-43-21"); err == nil {
			require.True(t, bytes.HasPrefix(got, []byte("<svg ")))
		}
	})
}
