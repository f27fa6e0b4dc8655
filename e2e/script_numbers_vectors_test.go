package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
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
	ID         string          `json:"id"`
	From       string          `json:"from"`
	Raw        string          `json:"raw"`
	Text       *string         `json:"text"`
	Img        *string         `json:"img"`
	DT         bool            `json:"dt"`
	Lasts      int             `json:"lasts,omitempty"`
	Forms      json.RawMessage `json:"forms,omitempty"`
	Messengers bool            `json:"messengers,omitempty"`
	Template   bool            `json:"template,omitempty"`
}

// pair is a number and its replacement, which may be written by a template.
type pair struct{ Digits, Replacement, Template string }

// compile compiles pairs as the server does.
func compile(t *testing.T, numbers ...pair) (*phone.Set, phone.Shown) {
	t.Helper()
	var digits []string
	var shown phone.Shown
	for _, n := range numbers {
		fresh, err := plan.Parse(n.Replacement)
		require.NoError(t, err)
		fresh, err = fresh.By(n.Template)
		require.NoError(t, err)
		digits, shown = append(digits, n.Digits), append(shown, fresh)
	}
	set, err := phone.Compile(digits)
	require.NoError(t, err)
	return set, shown
}

// issue tells of numbers as the page's block does.
func issue(t *testing.T, numbers ...pair) []issued {
	t.Helper()
	set, replacements := compile(t, numbers...)
	var all []issued
	for i, n := range numbers {
		text := "+" + n.Replacement
		if n.Template != "" {
			text = replacements[i].Text()
		}
		all = append(all, issued{ID: "number=" + n.Digits, From: n.Digits, Raw: n.Replacement, Text: &text, Template: n.Template != "", Forms: set.AppendScript(nil, i, replacements)})
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
			Number, Replacement, Template string
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

	b := vectorTab(t)
	checked := 0
	for name, cases := range bySet {
		var numbers []pair
		for _, n := range vectors.Sets[name] {
			numbers = append(numbers, pair{Digits: n.Number, Replacement: n.Replacement, Template: n.Template})
		}
		all := issue(t, numbers...)
		all[0].Messengers = true
		arguments, err := json.Marshal([]any{all, cases})
		require.NoError(t, err)
		for _, result := range value[[][]any](b, "replaced(..."+string(arguments)+")") {
			checked++
			assert.Equal(t, result[1], result[2], result[0])
		}
	}
	require.Equal(t, len(vectors.Cases)-len(bytesOnly), checked)
}

// vectorTab opens a tab in which replaced(numbers, cases) gives each case's name, what is expected, and what the script has made of it.
func vectorTab(t *testing.T) *tab {
	t.Helper()
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
				if (c.place === "link" || c.place === "href") {
					const lead = /^\w+:/.test(c.text) ? "" : "https://wa.me/";
					const link = line.appendChild(document.createElement("a"));
					link.setAttribute("href", lead + c.text);
					return () => [c.name, [lead + c.want], [link.getAttribute("href")]];
				}
				for (const piece of given(c.text)) line.appendChild(document.createElement("b")).textContent = piece;
				return () => [c.name, given(c.want), [...line.children].map(element => element.textContent)];
			});
			const work = window[Symbol.for("svc:numbers")]({numbers, replaced: []}, () => true);
			return new Promise(done => requestIdleCallback(() => {
				work.end();
				done(read.map(back => back()));
			}, {timeout: 2000}));
		}`)
	return b
}

// Texts that are put together from all that the rules look at come out of the script as they come out of the server.
func TestScriptReadsAnyTextAsTheServerDoes(t *testing.T) {
	t.Parallel()
	numbers := []pair{moscow, {Digits: "442079460018", Replacement: "442079460999"}, {Digits: "78005553535", Replacement: "33142681234"},
		{Digits: "4951234567", Replacement: "4957654321"}}
	set, replacements := compile(t, numbers...)
	pieces := strings.Split("8|+7|7|495|(495)|(|)|123|45|67|123-45-67|1234567|+44|44|0|(0)|20|7946|0018|020|800|555|35|00|810|011|1|12|2026|18:00|99|"+
		" | |\u00a0|\u2009|-|\u2011|–|.|·|/|,|:|;|+|\u00ad|\u200b|  |\t|\n|٤|９|４|"+
		"x|ext|доб|руб|₽|$|%|№|#|инн|ИНН|id|a|я|é|中|_|=|@|\\|!|円|order|\U0001f4de", "|")
	random := rand.New(rand.NewPCG(1, 2))
	m := set.NewMatcher(char.UTF8)
	m.Show(replacements)
	var cases []map[string]any
	changed := 0
	for n := range 6000 {
		kind, label := phone.Text, ""
		if n%4 == 0 {
			kind, label = phone.Link, "link"
		}
		var text strings.Builder
		for range 3 + random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
			if random.IntN(4) == 0 {
				text.WriteString([]string{"8 (495) 123-45-67", "+7 495 1234567", "84951234567", "495 123 45 67", "+44 20 7946 0018", "8-800-555-35-35"}[random.IntN(6)])
			}
		}
		texts := []string{text.String()}
		switch n % 4 {
		case 0:
			texts[0] = "tel:" + strings.NewReplacer("?", "", "\t", "", "\n", "").Replace(texts[0])
		case 1: // a tag somewhere, with some room before what follows
			runes := []rune(texts[0])
			cut := 1 + random.IntN(len(runes)-1)
			texts = []string{string(runes[:cut]), string(runes[cut:])}
		}
		m.Reset(kind)
		matches := clone(m.Text(0, []byte(texts[0])))
		if len(texts) > 1 {
			matches = append(matches, clone(m.Inline())...)
			matches = append(matches, clone(m.Text(tagged, []byte(texts[1])))...)
		}
		matches = append(matches, clone(m.Break())...)
		if kind == phone.Link { // what dials gets a plus sign
			for i := range matches {
				if m := &matches[i]; m.Form == plan.International && !m.Plus && len(m.Edits) > 0 {
					m.Edits = append([]phone.Edit{{Start: m.Start, End: m.Start, Text: []byte("+")}}, m.Edits...)
				}
			}
		}
		want := applied(texts, matches)
		if len(matches) > 0 {
			changed++
		}
		cases = append(cases, map[string]any{"name": strings.Join(texts, "|"), "place": label, "text": texts, "want": want})
	}
	require.Greater(t, changed, 1000)
	b := vectorTab(t)
	for some := range slices.Chunk(cases, 400) { // what the script reads at once
		arguments, err := json.Marshal([]any{issue(t, numbers...), some})
		require.NoError(t, err)
		for _, result := range value[[][]any](b, "replaced(..."+string(arguments)+")") {
			assert.Equal(t, result[1], result[2], result[0])
		}
	}
}

// tagged is where the text behind a tag begins.
const tagged = 10_000

// clone keeps matches beyond the next call.
func clone(matches []phone.Match) []phone.Match {
	matches = slices.Clone(matches)
	for i := range matches {
		matches[i].Edits = slices.Clone(matches[i].Edits)
		for k := range matches[i].Edits {
			matches[i].Edits[k].Text = slices.Clone(matches[i].Edits[k].Text)
		}
	}
	return matches
}

// applied gives the texts, the second of which begins at tagged, with the matches' edits.
func applied(texts []string, matches []phone.Match) []string {
	fresh := slices.Clone(texts)
	for _, match := range slices.Backward(matches) {
		for _, e := range slices.Backward(match.Edits) {
			piece, from, to := 0, int(e.Start), int(e.End)
			if from >= tagged {
				piece, from, to = 1, from-tagged, to-tagged
			}
			fresh[piece] = fresh[piece][:from] + string(e.Text) + fresh[piece][to:]
		}
	}
	return fresh
}

// What places become in the script is what they become on the server, by the same cases.
func TestScriptFillsPlacesAsTheServerDoes(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../snippet/testdata/places.json")
	require.NoError(t, err)
	var vectors struct {
		Number, Replacement, Selector string
		Targets                       []string
		Cases                         []struct{ Name, Text, Want string }
	}
	require.NoError(t, json.Unmarshal(content, &vectors))
	number := pair{Digits: vectors.Number, Replacement: vectors.Replacement}
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			numbers := issue(t, number)
			for _, id := range append(slices.Clone(vectors.Targets), vectors.Selector) {
				numbers = append(numbers, place(id, number, "+7 495 765-43-21", ""))
			}
			var body, want strings.Builder
			for _, v := range vectors.Cases {
				body.WriteString("<main>" + v.Text + "</main>")
				want.WriteString("<main>" + v.Want + "</main>")
			}
			settings := variantA
			settings.Variant = variant
			_, b := shown(t, settings, "", body.String(), numbers)
			b.do(`const want = document.createElement("div"); want.innerHTML = ` + string(mustJSON(t, want.String())) + `;
				window.compared = [...want.children].map((main, n) => [document.querySelectorAll("body > main")[n].innerHTML, main.innerHTML]);`)
			for n, compared := range value[[][]string](b, "compared") {
				assert.Equal(t, compared[1], compared[0], vectors.Cases[n].Name)
			}
		})
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	content, err := json.Marshal(v)
	require.NoError(t, err)
	return content
}
