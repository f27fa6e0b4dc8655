package captcha_test

import (
	"bytes"
	"context"
	"image/png"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const shop, other = 7, 8

// room is where captchas are issued, with a clock that can be moved.
type room struct {
	*captcha.Captchas
	t     *testing.T
	db    *db.DB
	clock atomic.Int64
}

func each(t *testing.T, test func(*testing.T, *room)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := &room{t: t, db: d}
		r.Captchas = captcha.New(d, func() time.Time { return time.Now().Add(time.Duration(r.clock.Load())) })
		test(t, r)
	})
}

// issue returns a key and what it asks for.
func (r *room) issue() (key, digits string) {
	key, err := r.Issue(r.t.Context(), shop)
	require.NoError(r.t, err)
	return key, r.stored(key)
}

func (r *room) stored(key string) string {
	digits, _, err := db.One(r.t.Context(), r.db.Read(), db.Only[string], `SELECT digits FROM captchas WHERE key = $1`, key)
	require.NoError(r.t, err)
	return digits
}

func (r *room) solve(siteID int64, key, value string) bool {
	right, err := r.Solve(r.t.Context(), siteID, key, value)
	require.NoError(r.t, err)
	return right
}

func TestOneTry(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		key, digits := r.issue()
		require.Regexp(t, `^[0-9]{4}$`, digits)
		require.False(t, r.solve(other, key, digits), "it is another site's")
		require.True(t, r.solve(shop, key, " "+digits[:2]+" "+digits[2:]+" "))
		require.False(t, r.solve(shop, key, digits), "it is used up")

		key, digits = r.issue()
		require.False(t, r.solve(shop, key, "0"+digits))
		require.False(t, r.solve(shop, key, digits), "the wrong value has used it up")

		key, _ = r.issue()
		require.False(t, r.solve(shop, key, ""))
		for _, strange := range []string{"", "x", key + "A", "' OR 1=1 --", "\x00"} {
			require.False(t, r.solve(shop, strange, ""), "%q", strange)
		}
	})
}

func TestOneOfManyAtOnceIsRight(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		key, digits := r.issue()
		var right atomic.Int64
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if solved, err := r.Solve(context.Background(), shop, key, digits); err == nil && solved {
					right.Add(1)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, right.Load())
	})
}

func TestLife(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		key, digits := r.issue()
		r.clock.Add(int64(captcha.Life + time.Second))
		require.False(t, r.solve(shop, key, digits))
		_, err := r.Picture(t.Context(), shop, key)
		require.ErrorIs(t, err, captcha.ErrUnknown)

		require.NotEmpty(t, r.stored(key))
		fresh, _ := r.issue()
		require.Empty(t, r.stored(key), "the next one of the site takes it away")
		require.NoError(t, r.Prune(t.Context()))
		require.NotEmpty(t, r.stored(fresh))
		r.clock.Add(int64(captcha.Life + time.Second))
		require.NoError(t, r.Prune(t.Context()))
		require.Empty(t, r.stored(fresh))
	})
}

func TestPictureAndSound(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		key, digits := r.issue()
		picture, err := r.Picture(t.Context(), shop, key)
		require.NoError(t, err)
		drawn, err := png.Decode(bytes.NewReader(picture))
		require.NoError(t, err)
		require.True(t, drawn.Bounds().Dx() >= 120 && drawn.Bounds().Dy() >= 40)
		again, err := r.Picture(t.Context(), shop, key)
		require.NoError(t, err)
		require.Equal(t, picture, again, "each look shows the same")

		heard := make(map[string]bool)
		for _, language := range captcha.Languages {
			sound, err := r.Sound(t.Context(), shop, key, language)
			require.NoError(t, err)
			require.Equal(t, "RIFF", string(sound[:4]))
			heard[string(sound)] = true
		}
		require.Len(t, heard, len(captcha.Languages))
		_, err = r.Sound(t.Context(), other, key, "en")
		require.ErrorIs(t, err, captcha.ErrUnknown)
		require.True(t, r.solve(shop, key, digits), "looking is no try")
	})
}

func BenchmarkPicture(b *testing.B) {
	r := captcha.New(dbtest.Open(b, dbtest.SQLite(b)), time.Now)
	key, err := r.Issue(b.Context(), shop)
	require.NoError(b, err)
	for _, form := range []struct {
		name string
		make func() ([]byte, error)
	}{
		{"picture", func() ([]byte, error) { return r.Picture(b.Context(), shop, key) }},
		{"sound", func() ([]byte, error) { return r.Sound(b.Context(), shop, key, "en") }},
	} {
		b.Run(form.name, func(b *testing.B) {
			for b.Loop() {
				content, err := form.make()
				require.NoError(b, err)
				b.ReportMetric(float64(len(content)), "bytes")
			}
		})
	}
}

// FuzzSolve holds that no answer is right but that of the key, which is used up by any.
func FuzzSolve(f *testing.F) {
	d := dbtest.Open(f, dbtest.SQLite(f))
	captchas := captcha.New(d, time.Now)
	for _, seed := range [][2]string{{"", ""}, {"AAAAAAAAAAAAAAAAAAAAAAAAAA", "1234"}, {"' OR 1=1 --", "\x00"}, {"{K}", " 1 2\u20033 4 "}, {"{K}", "0000"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		issued, err := captchas.Issue(t.Context(), shop)
		require.NoError(t, err)
		named := strings.ReplaceAll(key, "{K}", issued)
		digits, _, err := db.One(t.Context(), d.Read(), db.Only[string], `SELECT digits FROM captchas WHERE site_id = $1 AND key = $2`, shop, named)
		require.NoError(t, err)
		right, err := captchas.Solve(t.Context(), shop, named, value)
		require.NoError(t, err)
		require.Equal(t, digits != "" && strings.Join(strings.Fields(value), "") == digits, right)
		again, err := captchas.Solve(t.Context(), shop, named, digits)
		require.NoError(t, err)
		require.False(t, again, "it is used up")
		for _, read := range []func(context.Context, int64, string) ([]byte, error){captchas.Picture, func(ctx context.Context, site int64, key string) ([]byte, error) {
			return captchas.Sound(ctx, site, key, value)
		}} {
			_, err = read(t.Context(), shop, named)
			require.ErrorIs(t, err, captcha.ErrUnknown)
		}
	})
}
