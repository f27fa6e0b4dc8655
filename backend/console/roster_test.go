package console_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// fills sends a form with fields and no file, as the second form of the page does.
func (b *browser) fills(path string, fields ...string) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(b.t, form.WriteField(fields[i], fields[i+1]))
	}
	require.NoError(b.t, form.Close())
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+path, &body)
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(r)
}

// told is the text of a page, whatever its status.
func (a answer) told(t *testing.T) *goquery.Document {
	t.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	require.NoError(t, err)
	return d
}

// A table of another service is looked at, and then added at once or not at all.
func TestNumbersFromATable(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{Numbers: []number.Number{{Number: "74951234567"}}}, "vera")
		require.NoError(t, err)
		b := d.signedIn("vera")
		page := fmt.Sprintf("/numbers/%d/roster", d.shop.ID)
		is := func() site.Site {
			s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
			require.NoError(t, err)
			return s
		}
		require.Equal(t, 1, b.document("/numbers").Find(`a[href="`+page+`"]`).Length())
		require.Equal(t, "74951234567", b.document(page).Find("#printed option[selected]").AttrOr("value", ""))

		const text = "Номер;Название;Источник;Пул\n+7 495 765-43-21;=HYPERLINK(\"x\");news;\n84957654322;<b>;radio;\n84957654323;;;Москва\n"
		for name, want := range map[string]struct{ text, says string }{
			"with mistakes":   {"number;name;source;pool\n+7 495 765-43-21;a;news;\n1;a;news;\n84957654322;a;;\n8495765432;a;b;\n", "Line 4"},
			"with quotes":     {text, "A quotation mark in a cell"},
			"without numbers": {"name\na\n", "no column"},
			"too long":        {"number\n" + strings.Repeat("1\n", 40_000), "larger than 64 KB"},
			"of no pool":      {"number;pool\n84957654322;???\n", "needs letters"},
		} {
			t.Run(name, func(t *testing.T) {
				sent := b.sends(page, "numbers.csv", want.text)
				require.Equal(t, http.StatusUnprocessableEntity, sent.status, sent.body)
				require.Contains(t, sent.told(t).Text(), want.says)
				require.Zero(t, sent.told(t).Find("[name=do][value=add]").Length())
			})
		}
		require.Equal(t, http.StatusUnprocessableEntity, b.fills(page, "printed", "74951234567").status, "no file")
		require.EqualValues(t, 1, is().Version, "nothing has changed")

		good := strings.ReplaceAll(text, `=HYPERLINK("x")`, `"=HYPERLINK(""x"")"`)
		look := b.fills(page, "printed", "74951234567", "table", good)
		require.Equal(t, http.StatusOK, look.status, look.body)
		shown := look.document(t)
		require.Contains(t, shown.Text(), "Numbers that would be added: 3.")
		require.Contains(t, shown.Text(), `=HYPERLINK("x")`)
		require.Zero(t, shown.Find("tbody b").Length(), "what is in it is text")
		require.Contains(t, shown.Text(), "moskva")
		require.EqualValues(t, 1, is().Version, "a look changes nothing")
		add := []string{"do", "add", "version", shown.Find("[name=version]").AttrOr("value", ""), "printed", "74951234567", "table", strings.TrimPrefix(shown.Find("[name=table]").Text(), "\n")}

		// Somebody else changes the settings in the meantime.
		changed := is().Settings
		changed.Messengers = new(true)
		_, err = d.Sites.Change(t.Context(), d.shop.Key, 1, changed, "else")
		require.NoError(t, err)
		stale := b.fills(page, add...)
		require.Equal(t, http.StatusConflict, stale.status, stale.body)
		add[3] = "2"
		added := b.fills(page, add...)
		require.Equal(t, http.StatusSeeOther, added.status, added.body)
		require.Equal(t, site.Settings{Messengers: new(true), Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{
			{Name: `=HYPERLINK("x")`, Static: "74957654321", When: []string{"utm_source=news"}}, {Name: "<b>", Static: "74957654322", When: []string{"utm_source=radio"}},
		}}}, Pools: map[string]number.DeclaredPool{"moskva": {Numbers: []string{"74957654323"}}}}, is().Settings)
		again := b.fills(page, "table", good, "printed", "74951234567").document(t)
		require.Contains(t, again.Text(), "has all numbers of the table already")

		// A number that belongs to the pool of another site is refused, with all others.
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		foreign := fmt.Sprintf("/numbers/%d/roster", other.ID)
		refused := b.fills(foreign, "table", "number;pool\n74957654323;a\n74957654324;a\n", "do", "add", "version", "0")
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, refused.body)
		require.Contains(t, refused.told(t).Text(), "74957654323")
		require.Equal(t, 404, b.get("/numbers/77/roster").status)
	})
}
