package weave

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// references are character references of all forms.
var references = strings.Fields(`
	&nbsp; &NonBreakingSpace; &ensp; &emsp; &emsp13; &emsp14; &numsp; &puncsp; &thinsp; &ThinSpace; &hairsp;
	&VeryThinSpace; &MediumSpace; &Tab; &NewLine; &hyphen; &dash; &ndash; &mdash; &horbar; &minus;
	&period; &middot; &centerdot; &CenterDot; &bull; &bullet; &sdot; &sol; &frasl; &plus; &lpar; &rpar; &comma; &colon;
	&shy; &zwj; &zwnj; &lrm; &rlm; &ZeroWidthSpace; &NoBreak; &num; &numero; &percnt; &equals; &lowbar; &commat; &bsol;
	&dollar; &cent; &pound; &yen; &euro; &curren; &amp; &lt; &gt; &quot; &apos; &rsquo; &laquo; &hellip; &copy; &eacute;
	&nbsp &shy &nbspx &shy8 &amp &lt &copy &unknown; &unknown & && &; &# &#; &#x &#x; &#X; &#x; &#g &#xg
	&#48; &#52; &#57; &#x30; &#x34; &#X39; &#1632; &#x660; &#x6F4; &#2406; &#x966; &#x9E6; &#xAE6; &#xAEA; &#xAEF; &#xaef; &#xA66; &#xE50; &#x0ED0; &#x1040; &#x17E0; &#xFF10; &#65300;
	&#x9EA; &#x9EA &#xA6A &#48 &#52 &#x34 &#X39 &#1636 &#x66A &#xAEA &#xaef &#xFF14
	&#32; &#9; &#10; &#13; &#43; &#45; &#46; &#47; &#40; &#41; &#160; &#xA0; &#xa0; &#8209; &#x2011; &#8211; &#x2013; &#173; &#x200B; &#8239; &#x202f;
	&#32 &#43 &#160 &#xA0 &#8209 &#x2011 &#173
	&#65; &#x41; &#122; &#1079; &#x437; &#x0437; &#233; &#xE9; &#20803; &#x5143; &#3648; &#65 &#x41 &#1079 &#x437
	&#39; &#34; &#60; &#38; &#169; &#174; &#8217; &#8220; &#8230; &#8364; &#8381; &#x20BD; &#8470; &#128512; &#x1F600; &#x1f600; &#9742; &#39 &#8217 &#8381 &#128512 &#x1F600 &#169
	&#0; &#x0; &#128; &#x80; &#xD800; &#55296; &#x10FFFF; &#1114112; &#x110000; &#4294967348; &#99999999999999999999; &#xFFFFFFFFFFFFFFFFFF;
	&#0000052; &#x000034; &#00000000000000000052; &#x00000000000000000034; &#000000000000000000000000052; &#0 &#00 &#000000000000000000000
`)

// The test puts every reference at every place in a block that is skimmed: before a number, in it, behind it, and where
// the page is cut. The output is the same as if every byte is read.
func TestReferencesAnywhere(t *testing.T) {
	even, patient := evenRules(t).NewReplacer(), evenRules(t).NewReplacer()
	patient.ReadAll()
	letters := strings.Repeat("a page about lamps and shades ", 8)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, reference := range references {
			for place := range 64 {
				for _, text := range [...][2]string{
					{"", " and on"}, {"", "8 (495) 123-45-67"}, {"8 (4", "95) 123-45-67"}, {"8 (495) 123-45", "67"},
					{"8 (495) 123-45-67", ""}, {"12", "34"}, {"<b>8 495", "</b> 1234567"}, {"<b>", "</b>95 1234567"}, {"<b>8 ", "</b>95 1234567"},
				} {
					before := "<p>" + letters[:place] + text[0]
					page := []byte(before + reference + text[1] + "<br>" + letters)
					want := replaceAll(patient, nil, page)
					if out := replaceAll(even, nil, page); !bytes.Equal(want, out) {
						t.Errorf("%q: want %q, not %q", page, want, out)
						return
					}
					for _, cut := range [...]int{len(before), len(before) + 1 + place%len(reference), len(before) + len(reference)} {
						if out := replaceAll(even, nil, page[:cut], page[cut:]); !bytes.Equal(want, out) {
							t.Errorf("%q cut at %d: want %q, not %q", page, cut, want, out)
							return
						}
					}
				}
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		require.FailNow(t, "the pages do not end")
	}
}
