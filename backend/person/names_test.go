package person

import (
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// ofAda are the names of somebody with a number in Moscow, and of another in London.
var ofAda = namesOf([]trace.Mark{
	{Kind: trace.Phone, Text: "74951112233"}, {Kind: trace.Written, Text: "74951112233"}, {Kind: trace.Written, Text: "84951112233"}, {Kind: trace.Written, Text: "4951112233"},
	{Kind: trace.Written, Text: "442079460018"}, {Kind: trace.Written, Text: "2079460018"}, {Kind: trace.Written, Text: "02079460018"},
	{Kind: trace.Email, Text: "ada@example.com"}, {Kind: trace.Email, Text: "o'neil+x@shop.example.co.uk"},
})

var (
	naming = []string{
		"74951112233", "+7 495 111-22-33", "8(495)1112233", "8 (495) - 111 - 22 - 33", "007495 111 22 33", "8107 495 1112233", "tel:+7-495-111-22-33", "(495)111.22.33, ext. 4",
		"order 12, 8 495 111-22-33", "+79160000000 4951112233", "8 495 111 22 33 8 800 555 35 35", "８４９５１１１２２３３", "٤٩٥١١١٢٢٣٣", "8\u00a0495\u202f111\u201122\u201133", "495\u200b111\u200b22\u200b33",
		"8\n495\n111 22 33", "+44 (0) 20 7946 0018", "020 7946 0018", "8 (495) <b>111</b>-22-33", "8&nbsp;495&nbsp;111&#8209;22&#x2011;33", "{\"a\":\"8\\u00a0495\\n111-22-33\"}",
		"?phone=%2B7%20%28495%29%20111-22-33", "?phone=+7+(495)+111-22-33", "?u=%3Fp%3D%252B7%2520495%25201112233", "100% 8 495 111 22 33 %zz",
		"ada@example.com", "ADA@Example.COM", "<ada@example.com>", "(ada@example.com)", "mail=ada@example.com&x", "?m=ada%40example.com", "x?y=%26m%3Dada%2540example.com", "ada@example.com.",
		"...ada@example.com...", "ada@example.com.Then", "ada@example.com.pdf", "'ada@example.com'", "to+ada@example.com", "{\"m\":\"\\u003cada@example.com\\u003e\"}", "ada&#64;example.com",
		"a@b ada@example.com c@d", "O'Neil+x@shop.example.co.uk",
	}
	notNaming = []string{
		"", "4951112", "14951112233", "49511122334", "380 4951112234", "+380 495 111 22 33", "?p=%2B380+495+111-22-33", "495, 111, 22, 33", "495 a 1112233", "495       1112233",
		"nada@example.com", "x.ada@example.com", "ada@example.com.ua", "ada@example.company", "ada@xexample.com", "ada@sub.example.com", "ada example.com", "@example.com", "ada@", "neil@shop.example.co.uk.example.com",
	}
)

// Numbers and addresses are found in any writing, and none that are like them.
func TestNamesInTexts(t *testing.T) {
	for _, text := range naming {
		require.True(t, ofAda.in(text), text)
		within := "Hello, " + text + " and so on"
		require.True(t, ofAda.in(within), within)
		require.True(t, ofAda.in("q="+url.QueryEscape(within)), "in an address: %s", within)
		object, err := json.Marshal(map[string]string{"text": within})
		require.NoError(t, err)
		require.True(t, ofAda.in(string(object)), "%s", object)
	}
	for _, text := range notNaming {
		require.False(t, ofAda.in(text), text)
		require.False(t, ofAda.in("q="+url.QueryEscape("Hello, "+text+" and so on")), text)
	}
}

// FuzzNames finds a name behind and before anything.
func FuzzNames(f *testing.F) {
	for _, text := range append(naming, notNaming...) {
		f.Add(text, text)
	}
	f.Add(strings.Repeat("1 ", 200), strings.Repeat("a@", 200))
	f.Add(strings.Repeat("<a", 200), strings.Repeat("%25", 200))
	f.Fuzz(func(t *testing.T, before, behind string) {
		for _, name := range []string{"+7 (495) 111-22-33", "ada@example.com"} {
			text := before + " ; " + name + " ; " + behind
			ofAda.in(text)
			if !strings.ContainsAny(before, "<&%\\") { // with which signs of the name may be others
				require.True(t, ofAda.in(text), "%q", text)
				require.True(t, ofAda.in(html.EscapeString(text)), "%q", text)
			}
		}
	})
}
