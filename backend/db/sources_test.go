package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// beforeSources is the last version of the schema with sources in JSON.
const beforeSources = 13

func eachBeforeSources[T testing.TB](t T, run func(name string, test func(T)), test func(T, *db.DB)) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		run(name, func(t T) {
			d, err := db.Open(t.Context(), settings(t), zap.NewNop())
			require.NoError(t, err)
			t.Cleanup(func() { d.Close() })
			require.NoError(t, d.MigrateTo(t.Context(), beforeSources))
			test(t, d)
		})
	}
}

const insertSessions = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
	INSERT INTO sessions (site_id, id, visitor_id, started_at, last_at, hits, hit_id, recent, campaign, bot, user_agent, language, source)
	SELECT 1, i, i, 1, 1, 1, i, '0123456789abcdef01230000000000001', 'c', FALSE, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36', 'en', $1 FROM n`

func TestSourcesBecomeColumns(t *testing.T) {
	eachBeforeSources(t, func(name string, test func(*testing.T)) { t.Run(name, test) }, func(t *testing.T, d *db.DB) {
		whole := `{"kind":"campaign","source":"news <\"lämp\">","medium":"mail","campaign":"May","term":"a\tb","content":"c","click_id_name":"gclid","click_id":"x1","referrer":"news.example","landing":"/lamps"}`
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			if _, err := tx.Exec(ctx, insertSessions, whole, 1); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO sessions (site_id, id, visitor_id, started_at, last_at, hits, hit_id, recent, campaign, bot, user_agent, language, source)
				VALUES (1, 2, 1, 1, 1, 1, 1, '', '', TRUE, '', '', '{"kind":"direct"}')`); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO leads (site_id, id, visitor_id, session_id, hit_id, at, origin, name, email, phone, phone_digits, message,
				is_sale, sale_cost, group_id, form_name, user_fields, url, source)
				VALUES (1, 7, 1, 1, 1, 5, 'script', 'Ann', '', '', '', '', FALSE, '', 0, '', '{}', '', $1)`, whole)
			return err
		}))
		require.NoError(t, d.Migrate(t.Context()))
		const columns = `source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing`
		rows := func(table string) [][10]string {
			found, err := db.List(t.Context(), d.Read(), func(texts *[10]string) (fields []any) {
				for i := range texts {
					fields = append(fields, &texts[i])
				}
				return fields
			}, `SELECT `+columns+` FROM `+table+` ORDER BY id`)
			require.NoError(t, err)
			return found
		}
		want := [10]string{"campaign", `news <"lämp">`, "mail", "May", "a\tb", "c", "gclid", "x1", "news.example", "/lamps"}
		require.Equal(t, [][10]string{want, {"direct"}}, rows("sessions"))
		require.Equal(t, [][10]string{want}, rows("leads"))
	})
}

// BenchmarkSourcesBecomeColumns migrates as many sessions as it has rounds:
//
//	go test -run '^$' -bench Sources -benchtime 1000000x ./backend/db
func BenchmarkSourcesBecomeColumns(b *testing.B) {
	eachBeforeSources(b, func(name string, test func(*testing.B)) { b.Run(name, test) }, func(b *testing.B, d *db.DB) {
		source := `{"kind":"ad","source":"google","medium":"cpc","campaign":"lamps in May","click_id_name":"gclid","click_id":"Cj0KCQjw4bCSBhDARIsAPDHF8Jd","referrer":"www.google.com","landing":"/lamps/birch"}`
		_, err := d.Writer().ExecContext(b.Context(), insertSessions, source, b.N)
		require.NoError(b, err)
		b.ResetTimer()
		began := time.Now()
		require.NoError(b, d.Migrate(b.Context()))
		b.ReportMetric(time.Since(began).Seconds(), "s")
		count, _, err := db.One(b.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM sessions WHERE source_kind = 'ad'`)
		require.NoError(b, err)
		require.Equal(b, b.N, count, fmt.Sprint(b.N))
	})
}
