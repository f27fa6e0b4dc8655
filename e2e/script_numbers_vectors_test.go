package e2e

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbersPart is the text of the script's part that replaces numbers.
func numbersPart(t *testing.T) string {
	t.Helper()
	script, err := snippet.NewScript(variantA)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	script.ServeHTTP(w, httptest.NewRequest("GET", "/svc.js", nil))
	name := regexp.MustCompile(`numbers-[\w-]+\.js`).FindString(w.Body.String())
	w = httptest.NewRecorder()
	snippet.Assets().ServeHTTP(w, httptest.NewRequest("GET", "/assets/"+name, nil))
	require.Equal(t, 200, w.Code)
	return w.Body.String()
}

// issued is a number as the page's block tells it.
type issued struct {
	ID    string          `json:"id"`
	From  string          `json:"from"`
	Raw   string          `json:"raw"`
	Text  *string         `json:"text"`
	Img   *string         `json:"img"`
	DT    bool            `json:"dt"`
	Forms json.RawMessage `json:"forms,omitempty"`
}

// issue compiles pairs of a number and its replacement as the server does.
func issue(t *testing.T, numbers ...phone.Number) []issued {
	t.Helper()
	set, err := phone.Compile(numbers)
	require.NoError(t, err)
	var all []issued
	for i, n := range numbers {
		text := "+" + n.Replacement
		all = append(all, issued{ID: "number=" + n.Digits, From: n.Digits, Raw: n.Replacement, Text: &text, Forms: set.Script(i)})
	}
	return all
}

// bytesOnly are vectors about bytes of which a parsed document has nothing left: the server does not know this letter's name.
var bytesOnly = map[string]bool{"reference: letter before": true}

// The part is held to the same vectors as the server. Texts stand in paragraphs, their pieces in inline elements; links are links. What
// reads a document has the references decoded, and so are the escapes of data here: a string is a text like others to it.
func TestScriptReadsNumbersAsTheServerDoes(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../snippet/phone/testdata/vectors.json")
	require.NoError(t, err)
	var vectors struct {
		Sets map[string][]struct {
			Number, Replacement string
		}
		Cases []map[string]any
	}
	require.NoError(t, json.Unmarshal(content, &vectors))
	bySet := map[string][]map[string]any{}
	for _, c := range vectors.Cases {
		if !bytesOnly[c["name"].(string)] {
			set := c["set"].(string)
			bySet[set] = append(bySet[set], c)
		}
	}

	b := newTab(t)
	b.do(numbersPart(t) + `;
		const box = document.createElement("textarea");
		const decoded = text => (box.innerHTML = text, box.value);
		const unescaped = text => decoded(text.replace(/\\+(u[\da-f]{4}|[bfnrt"'/])/gi,
			(_, escape) => escape.length > 1 ? String.fromCharCode(parseInt(escape.slice(1), 16)) : {b: " ", f: " ", n: "\n", r: "\r", t: "\t"}[escape] || escape));
		window.replaced = (numbers, cases) => {
			document.body.textContent = "";
			const read = cases.map(c => {
				const given = text => [].concat(text).map(c.references ? decoded : c.place === "data" ? unescaped : String);
				const line = document.body.appendChild(document.createElement("p"));
				if (c.place === "link") {
					const lead = /^\w+:/.test(c.text) ? "" : "https://wa.me/";
					const link = line.appendChild(document.createElement("a"));
					link.setAttribute("href", lead + c.text);
					return () => [c.name, [lead + c.want], [link.getAttribute("href")]];
				}
				for (const piece of given(c.text)) line.appendChild(document.createElement("b")).textContent = piece;
				return () => [c.name, given(c.want), [...line.children].map(element => element.textContent)];
			});
			window[Symbol.for("svc:numbers")]({numbers, replaced: []}, () => true, new Set()).end();
			return read.map(back => back());
		}`)
	checked := 0
	for name, cases := range bySet {
		var numbers []phone.Number
		for _, n := range vectors.Sets[name] {
			numbers = append(numbers, phone.Number{Digits: n.Number, Replacement: n.Replacement})
		}
		arguments, err := json.Marshal([]any{issue(t, numbers...), cases})
		require.NoError(t, err)
		for _, result := range value[[][]any](b, "replaced(..."+string(arguments)+")") {
			checked++
			assert.Equal(t, result[1], result[2], result[0])
		}
	}
	require.Equal(t, len(vectors.Cases)-len(bytesOnly), checked)
}
