package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestMarkup(t *testing.T) {
	page := `<!doctype html><meta charset=utf-8><form action=/search><input name=q placeholder="Search by phone"></form>
		<form><label>Как к вам обращаться? <input name=a></label><input name=b type=tel><label for=mail>Куда написать</label><input name=c id=mail autocomplete="section-a email">
		<textarea name=d></textarea><label>Город <select name=input_5><option>Казань</select></label>
		<input name=form_fields[x] style="display: none !important" size=1><p class="form-honeypot"><label>Website<input name=site></label></p>
		<input name=chosen style="display:none"><textarea name=edited style="display:none"></textarea>
		<label>Later <span style="display:none"><input name=step></span></label>
		<label><input type=checkbox name=agree style="display:none" value=yes>I agree to be called by phone</label>
		<input type=hidden name=h style="display:none" value=x></form>
		<form><label>E-mail <input name=b></label></form>`
	markup := ReadMarkup([]byte(page), "text/html")
	require.Len(t, markup, 3)
	read := func(pairs ...string) Recognised { return Recognise(formOf(pairs...), "", markup) }
	require.Equal(t, Recognised{Name: "анна", Phone: "4951234567", Email: "a@b.example", Message: "Жду", UserFields: map[string]string{"Город": "Казань", "step": "2", "agree": "yes", "h": "x", "chosen": "7", "edited": "<p>"}},
		read("a", "анна", "b", "4951234567", "c", "a@b.example", "d", "Жду", "input_5", "Казань", "step", "2", "agree", "yes", "h", "x", "chosen", "7", "edited", "<p>", "form_fields[x]", "", "site", ""))
	require.True(t, read("a", "Bot", "form_fields[x]", "12345").Trapped)
	require.True(t, read("a", "Bot", "site", "http://bot.example").Trapped)
	require.Equal(t, "a@b.example", read("b", "a@b.example", "d", "Hello").Email, "a wrong value is no phone")

	// In the page's character set, and bounded.
	markup = ReadMarkup([]byte("<form><label>\xd2\xe5\xeb\xe5\xf4\xee\xed <input name=x></label></form>"), "text/html; charset=windows-1251")
	require.Equal(t, naming.Phone, markup[0].Fields["x"].Says)

	// Styles are no label, and a label may begin behind much that is empty.
	markup = ReadMarkup([]byte("<form><style>.phone{}</style><input name=x><label>"+strings.Repeat("\n\t<i></i>", 50)+" * <b>Tele</b>phone: <input name=y>"), "text/html")
	require.Equal(t, map[string]mark{"x": {}, "y": {Label: "Telephone", Says: naming.Phone}}, markup[0].Fields)
	markup = ReadMarkup([]byte("<form><label>"+strings.Repeat("a", 99)+" * <input name=x></label>"), "text/html")
	require.Equal(t, map[string]mark{"x": {Label: strings.Repeat("a", 99)}}, markup[0].Fields)
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "<form>%s</form>", strings.Repeat(fmt.Sprintf("<label>%s<input name=n%d></label>", strings.Repeat("ж", 200), i), 3))
	}
	markup = ReadMarkup([]byte(many.String()), "text/html; charset=utf-8")
	require.Len(t, markup, maxForms)
	require.Less(t, markup.Size(), 10_000)
	require.Empty(t, ReadMarkup([]byte("<p>no form"), ""))
	require.Empty(t, ReadMarkup([]byte(strings.Repeat("<div>", 100_000)+"<form><input name=x>"), ""), "too deep to be read")
}

func BenchmarkReadMarkup(b *testing.B) {
	page := []byte(strings.Repeat(`<p class="text">Some text of the page, with <a href="/lamps">a link</a>.</p>`, 3000) + `<form><label>Phone <input name=a></label></form>`)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		ReadMarkup(page, "text/html; charset=utf-8")
	}
}

// priceOfFields is that of a page of short fields: what a label of 100 bytes means is found for each of them, and takes
// 13 KB at most.
var priceOfFields = stepstest.Price{Each: stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 1 << 10}, Besides: stepstest.Usual.Besides}

// FuzzMarkup holds what is read of any page within its bounds.
func FuzzMarkup(f *testing.F) {
	f.Add([]byte(`<form><label for=a>Phone</label><input id=a name=x type=tel autocomplete=tel><textarea name=y placeholder="Message"></textarea></form>`), "text/html")
	f.Add([]byte("<form><label>\xd2\xe5\xeb <input name=x></label><select name=z hidden></form><form>"), "text/html; charset=windows-1251")
	var nested strings.Builder
	for i := range 30 {
		fmt.Fprintf(&nested, "<label><input name=%d>", i)
	}
	for _, page := range []string{strings.Repeat("<label for=a>", 40), strings.Repeat("<label for=a>", 400), "<form>" + nested.String(), "<form><label>" + strings.Repeat("<b><p>", 300) + "<input name=a>", "<form><label>" + strings.Repeat("AJÔ%fÑ ", 12) + strings.Repeat("<input name=a><input name=b><input name=c>", 300)} {
		f.Add([]byte(page), "text/html")
	}
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		var markup Markup
		priceOfFields.Hold(t, len(page), func() { markup = ReadMarkup(page, contentType) })
		require.LessOrEqual(t, len(markup), maxForms)
		for _, form := range markup {
			require.LessOrEqual(t, len(form.Fields), maxMarks)
			for name, m := range form.Fields {
				require.LessOrEqual(t, len(name), posted.MaxName)
				require.LessOrEqual(t, len(m.Label), maxLabel)
			}
		}
		require.LessOrEqual(t, markup.Size(), maxForms*maxMarks*(posted.MaxName+maxLabel+200))
	})
}
