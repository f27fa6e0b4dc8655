package console_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/site"
)

// sends is the answer to a file of costs.
func (b *browser) sends(path, name, content string) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", name)
	require.NoError(b.t, err)
	_, err = file.Write([]byte(content))
	require.NoError(b.t, err)
	require.NoError(b.t, form.Close())
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+path, &body)
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(r)
}

func TestCosts(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{Currency: new("EUR")}, "vera")
		require.NoError(t, err)
		b := d.signedIn("vera")
		day := d.now().UTC().Format(time.DateOnly)
		page := fmt.Sprintf("/costs/%d", d.shop.ID)
		figure := func(key string) string {
			tiles := b.get("/reports?by=campaign&span=today").document(t).Find(".tiles > div")
			return tiles.FilterFunction(func(_ int, tile *goquery.Selection) bool { return tile.Find("dt").Text() == key }).Find("dd").Contents().First().Text()
		}
		require.Empty(t, figure("Cost"), "without costs there are no figures of them")

		file := "Day,Campaign,Currency code,Cost,Impr.\n" + day + ",spring,EUR,12.5,7\n" + day + ",unseen,EUR,7.5,1\nsoon,spring,EUR,1,1\n"
		sent := b.sends(page+"/files", "october.csv", file)
		require.Equal(t, http.StatusSeeOther, sent.status, sent.body)
		draft := sent.header.Get("Location")
		shown := b.get(draft).document(t)
		for _, told := range []string{"october.csv", "€20", "unseen", "no visit", "Line 4: no day", "not stored yet"} {
			require.Contains(t, shown.Text(), told)
		}
		require.Equal(t, "google", shown.Find("#source").AttrOr("value", ""))
		require.Empty(t, figure("Cost"), "what is not confirmed does not count")
		require.Equal(t, http.StatusUnprocessableEntity, b.post(draft, "platform", "google", "source", " ", "medium", "cpc").status)
		require.Equal(t, http.StatusSeeOther, b.post(draft, "platform", "google", "source", "News", "medium", "").status)
		require.Equal(t, "€20", figure("Cost"))
		require.Equal(t, "€3.33", figure("Cost per visit"), "of six visits")
		require.Equal(t, "7,502.5%", figure("Return"))
		rows := b.get("/reports?by=campaign&span=today").document(t).Find(".report tbody tr th")
		require.Contains(t, rows.Text(), "unseen", "a campaign from which nobody came has a row")
		require.Contains(t, b.get("/reports/export?by=source&span=today").body, "Cost per inquiry")
		require.NotContains(t, b.get("/reports?by=device&span=today").body, "Cost per visit", "costs have no devices")
		require.Contains(t, b.get("/overview?span=today").body, "Cost per inquiry")

		again := b.sends(page+"/files", "again.csv", file)
		require.Equal(t, http.StatusUnprocessableEntity, again.status)
		require.Contains(t, again.body, "These costs are stored already.")
		overlapping := b.sends(page+"/files", "later.csv", "Day,Campaign,Currency code,Cost\n"+day+",spring,EUR,20\n").header.Get("Location")
		require.Equal(t, http.StatusSeeOther, b.post(overlapping, "platform", "google", "source", "news").status)
		require.Equal(t, "€27.50", figure("Cost"), "a later file takes the place of the same day and campaign")
		require.Equal(t, http.StatusSeeOther, b.post(overlapping+"/removal").status)
		require.Equal(t, "€20", figure("Cost"), "and gives it back")

		hand := []string{"source", "radio", "medium", "offline", "first", day, "last", day, "amount"}
		require.Equal(t, http.StatusUnprocessableEntity, b.post(page+"/entries", append(hand, "=1+1")...).status)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/entries", append(hand, "10,01")...).status)
		require.Equal(t, http.StatusUnprocessableEntity, b.post(page+"/entries", append(hand, "10,01")...).status)
		require.Equal(t, "€30.01", figure("Cost"))
		for content, told := range map[string]string{
			"hello": "not a table", "date,campaign\n1,2\n": "no columns", "date,campaign,cost,currency\n" + day + ",a,1,USD\n": "another currency", "date,campaign,cost\n": "no costs",
		} {
			refused := b.sends(page+"/files", "wrong.csv", content)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status)
			require.Contains(t, refused.body, told)
		}
		require.Equal(t, "€30.01", figure("Cost"), "what is refused changes nothing")
		require.Contains(t, b.get("/history").body, "Undid advertising costs")
	})
}
