package person_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

var others = flag.Int("leads", 2000, "among how many leads of others the benchmarks look for a person")

// manyLeads has so many leads of usual size, each of somebody else.
func manyLeads(b *testing.B, d *db.DB, leads *lead.Leads) {
	b.Helper()
	_, _, err := leads.Add(b.Context(), submission.Submission{SiteID: site, Origin: lead.Server, Name: "Boris Godunov", Phone: "+7 912 000-00-00", Email: "boris@mail.example",
		Message:    "Is the lamp in stock? I should like two of them, by Friday if that is possible. My address is 12 Long Street, the bell is the third from above. Please call after 6 p.m.",
		UserFields: map[string]string{"city": "London", "lamp": "desk lamp, green, no. 4711"}, URL: "https://shop.example/lamps/desk?utm_source=news&utm_campaign=autumn"})
	require.NoError(b, err)
	rows, err := d.Read().QueryContext(b.Context(), `SELECT * FROM leads`)
	require.NoError(b, err)
	columns, err := rows.Columns()
	require.NoError(b, err)
	require.NoError(b, rows.Close())
	values := slices.Clone(columns)
	for column, value := range map[string]string{
		"id": "-i", "phone": "'+7 912 ' || (1000000 + i)", "phone_digits": "'7912' || (1000000 + i)", "email": "'boris' || i || '@mail.example'", "message": "message || ' ' || i",
	} {
		at := slices.Index(columns, column)
		require.GreaterOrEqual(b, at, 0, column)
		values[at] = value
	}
	const atOnce = 5000
	for from := 1; from < *others; from += atOnce {
		require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO leads (`+strings.Join(columns, ", ")+`)
				WITH RECURSIVE n(i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $2) SELECT `+strings.Join(values, ", ")+` FROM leads, n WHERE id > 0`,
				from, min(from+atOnce, *others)-1)
			return err
		}))
	}
	many, _, err := db.One(b.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM leads`)
	require.NoError(b, err)
	require.Equal(b, *others, many)
}

// BenchmarkPerson finds and erases somebody who has left one lead, and is named in the text of another one, among the leads
// of others.
func BenchmarkPerson(b *testing.B) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, settings(b))
			visits := visittest.Open(b, d, time.Now)
			leads := lead.New(lead.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts}, time.Now)
			manyLeads(b, d, leads)
			persons, err := person.New(b.Context(), d, time.Now, zap.NewNop(), func(context.Context) []string { return nil }, visits.Traces(), leads.Traces())
			require.NoError(b, err)
			n := 0
			come := func(b *testing.B) person.Sought {
				b.Helper()
				n++
				address := fmt.Sprintf("ada%d@example.com", n)
				for _, s := range []submission.Submission{{Email: address}, {Name: "Carl", Message: "Write to " + address + ", too"}} {
					s.SiteID, s.Origin = site, lead.Server
					_, _, err := leads.Add(b.Context(), s)
					require.NoError(b, err)
				}
				return person.Sought{Emails: []string{address}, Sites: scope.All()}
			}
			perLead := func(b *testing.B) {
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(*others), "µs/lead")
			}
			for of, sites := range map[string]scope.Sites{"look": scope.All(), "look at a site": scope.Of(site)} {
				b.Run(of, func(b *testing.B) {
					sought := come(b)
					sought.Sites = sites
					for b.Loop() {
						known, err := persons.Look(b.Context(), "vera", sought)
						require.NoError(b, err)
						require.Len(b, known.Leads, 2)
					}
					perLead(b)
				})
			}
			b.Run("erase", func(b *testing.B) {
				for b.Loop() {
					id, err := persons.Erase(b.Context(), "vera", come(b))
					require.NoError(b, err)
					require.NoError(b, persons.EraseAsked(b.Context()))
					e, err := persons.Erasure(b.Context(), id)
					require.NoError(b, err)
					require.False(b, e.EndedAt.IsZero())
				}
				perLead(b)
			})
		})
	}
}
