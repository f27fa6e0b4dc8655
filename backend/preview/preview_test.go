package preview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/preview"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestPreviews(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		made, err := preview.Open(t.Context(), d, clock)
		require.NoError(t, err)
		other, err := preview.Open(t.Context(), d, clock) // of another node
		require.NoError(t, err)

		of := preview.Preview{Site: 7, Address: "https://shop.example/lamps?utm_source=news&utm_medium=mail", Referrer: "https://search.example/", Language: "ru"}
		token, err := made.Begin(of)
		require.NoError(t, err)
		require.Regexp(t, `^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`, token)
		of.Until = now.Add(time.Hour).Unix()
		read, err := other.Read(7, token)
		require.NoError(t, err)
		require.Equal(t, of, read)
		require.Equal(t, "news", read.Source().Source)

		_, err = other.Read(8, token)
		require.ErrorIs(t, err, preview.ErrOver, "it is another site's")
		said, signature, _ := strings.Cut(token, ".")
		for _, forged := range []string{"", ".", said, said + ".", said + "A." + signature, said + "." + signature + "A", "." + signature, strings.Repeat("a", 10_000) + "." + signature} {
			_, err = other.Read(7, forged)
			require.ErrorIs(t, err, preview.ErrNone, forged)
		}
		now = now.Add(time.Hour)
		_, err = other.Read(7, token)
		require.NoError(t, err)
		now = now.Add(time.Second)
		_, err = other.Read(7, token)
		require.ErrorIs(t, err, preview.ErrOver)

		for _, address := range []string{"", "shop.example", "/lamps", "javascript:alert(1)", "ftp://shop.example/", "https://", "https://shop.example/\x00", "https://shop.example/" + strings.Repeat("a", 1000)} {
			_, err := made.Begin(preview.Preview{Site: 7, Address: address})
			require.ErrorIs(t, err, preview.ErrAddress, address)
		}
		for _, referrer := range []string{":", "https://search.example/" + strings.Repeat("a", 1000)} {
			_, err := made.Begin(preview.Preview{Site: 7, Address: "https://shop.example/", Referrer: referrer})
			require.ErrorIs(t, err, preview.ErrReferrer, referrer)
		}
		long, err := made.Begin(preview.Preview{Site: 7, Address: "https://shop.example/?" + strings.Repeat("&", 900), Referrer: "https://search.example/?" + strings.Repeat("&", 900)})
		require.NoError(t, err)
		require.Less(t, len(long), 4000)
	})
}
