package console_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// sendsFace sends a picture as the form of a face does.
func (b *browser) sendsFace(to string, picture []byte) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	field, err := form.CreateFormFile("picture", "me.png")
	require.NoError(b.t, err)
	_, err = field.Write(picture)
	require.NoError(b.t, err)
	require.NoError(b.t, form.Close())
	r := b.request(http.MethodPost, to)
	r.Body, r.ContentLength = io.NopCloser(&body), int64(body.Len())
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(r)
}

// faceOn is the address of the first face on a page; empty for none.
func (b *browser) faceOn(page string) string {
	b.t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(b.get(page).body))
	require.NoError(b.t, err)
	return document.Find("img.face").AttrOr("src", "")
}

func pictureOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

func TestOperatorsHaveFaces(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		ids := make(map[string]int64)
		for login, site := range map[string]int64{"ann": d.shop.ID, "eve": other.ID} {
			o, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: login, Password: password, Role: operator.Admin, Sites: scope.Of(site)})
			require.NoError(t, err)
			ids[login] = o.ID
		}
		vera, ann, eve := d.signedIn("vera"), d.signedIn("ann"), d.signedIn("eve")
		page := fmt.Sprintf("/operators/%d", ids["ann"])

		require.Empty(t, ann.faceOn("/account"))
		require.Equal(t, "/account", ann.sendsFace("/account/face", pictureOf(t, 300, 200)).header.Get("Location"))
		first := ann.faceOn("/account")
		shown := ann.get(first)
		require.Equal(t, "image/jpeg", shown.header.Get("Content-Type"))
		require.Contains(t, shown.header.Get("Cache-Control"), "immutable")
		small, _, err := image.DecodeConfig(strings.NewReader(shown.body))
		require.NoError(t, err)
		require.Equal(t, [2]int{96, 96}, [2]int{small.Width, small.Height})

		// An admin of her sites sees and changes it, and nobody else.
		require.Equal(t, first, vera.faceOn(page))
		require.Equal(t, page, vera.sendsFace(page+"/face", pictureOf(t, 10, 10)).header.Get("Location"))
		require.Contains(t, vera.get("/history").body, "Photo changed")
		require.Equal(t, http.StatusNotFound, eve.get(first).status)
		require.Equal(t, http.StatusNotFound, eve.sendsFace(page+"/face", pictureOf(t, 10, 10)).status)
		require.Equal(t, http.StatusNotFound, eve.post(page+"/face/removal").status)
		require.Equal(t, http.StatusNotFound, ann.sendsFace(fmt.Sprintf("/operators/%d/face", ids["eve"]), pictureOf(t, 10, 10)).status)

		// What is no picture, or is too large, changes nothing.
		for name, hostile := range map[string][]byte{
			"no picture": []byte("<svg/>"), "too many pixels": pictureOf(t, 17_000, 1000), "too many bytes": make([]byte, 6<<20),
		} {
			a := ann.sendsFace("/account/face", hostile)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, name)
			require.Contains(t, a.body, "The photo was not changed", name)
		}
		require.NotEmpty(t, ann.faceOn("/account"))

		require.Equal(t, "/account", ann.post("/account/face/removal").header.Get("Location"))
		require.Empty(t, ann.faceOn("/account"))
		require.Equal(t, http.StatusNotFound, ann.get(first).status)

		// A face goes with its operator.
		require.Equal(t, http.StatusSeeOther, ann.sendsFace("/account/face", pictureOf(t, 30, 20)).status)
		require.Equal(t, http.StatusSeeOther, vera.post(page+"/removal").status)
		left, _, err := db.One(t.Context(), d.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM operator_faces`)
		require.NoError(t, err)
		require.Zero(t, left)
	})
}
