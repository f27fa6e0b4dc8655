package captcha_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

const (
	shop, other       = 7, 8
	visitor, stranger = 1001, 1002
)

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
		var err error
		r.Captchas, err = captcha.Open(t.Context(), d, func() time.Time { return time.Now().Add(time.Duration(r.clock.Load())) })
		require.NoError(t, err)
		test(t, r)
	})
}

// issue returns a key and what it asks for.
func (r *room) issue() (key, digits string) {
	key, err := r.Issue(r.t.Context(), shop, visitor, 0)
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

// A key is good for who has asked for it, at that site, with the proof of its puzzle. Asking for that uses nothing up.
func TestKeysBelongToTheirVisitors(t *testing.T) {
	r, err := captcha.Open(t.Context(), dbtest.Open(t, dbtest.SQLite(t)), time.Now)
	require.NoError(t, err)
	for level := range captcha.MaxLevel + 1 {
		key, err := r.Issue(t.Context(), shop, visitor, level)
		require.NoError(t, err)
		puzzle, proof := r.PuzzleOf(shop, key), ""
		require.Equal(t, level > 0, puzzle != nil)
		if puzzle != nil {
			require.EqualValues(t, 1<<(14+level), puzzle.Most)
			for n := int64(0); n < puzzle.Most; n++ {
				sum := sha256.Sum256(fmt.Append(nil, puzzle.Salt, n))
				if hex.EncodeToString(sum[:]) == puzzle.Sum {
					require.Empty(t, proof, "one number solves it")
					proof = fmt.Sprint(n)
				}
				if level > 1 && proof != "" {
					break
				}
			}
			require.NotEmpty(t, proof)
			for _, wrong := range []string{"", proof + "0", "0" + proof, "-" + proof, "x"} {
				require.False(t, r.Proven(shop, visitor, key, wrong), wrong)
			}
		}
		require.True(t, r.Proven(shop, visitor, key, proof))
		require.False(t, r.Proven(shop, stranger, key, proof))
		require.False(t, r.Proven(other, visitor, key, proof))
		for at := range key {
			changed := []byte(key)
			changed[at] = map[bool]byte{true: '3', false: '2'}[changed[at] == '2']
			require.False(t, r.Proven(shop, visitor, string(changed), proof), "%s", changed)
		}
	}
}

func TestLevelsOfPuzzles(t *testing.T) {
	levels := make([]int, 26)
	for asked := range levels {
		levels[asked] = captcha.Level(asked)
	}
	require.Equal(t, []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7}, levels)
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
	r, err := captcha.Open(b.Context(), dbtest.Open(b, dbtest.SQLite(b)), time.Now)
	require.NoError(b, err)
	key, err := r.Issue(b.Context(), shop, visitor, 0)
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
	captchas, err := captcha.Open(f.Context(), d, time.Now)
	require.NoError(f, err)
	for _, seed := range [][2]string{{"", ""}, {"AAAAAAAAAAAAAAAAAAAAAAAAAA", "1234"}, {"' OR 1=1 --", "\x00"}, {"{K}", " 1 2\u20033 4 "}, {"{K}", "0000"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		issued, err := captchas.Issue(t.Context(), shop, visitor, captcha.MaxLevel)
		require.NoError(t, err)
		named := strings.ReplaceAll(key, "{K}", issued)
		require.False(t, captchas.Proven(shop, stranger, named, value))
		require.False(t, captchas.Proven(shop, visitor, named, value), "nobody guesses one of two million")
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
