package lead_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// prose is a text of so many bytes, nearly all of whose words are different.
func prose(size int) string {
	var text strings.Builder
	for text.Len() < size {
		fmt.Fprintf(&text, "Лампа%x №%d, ", rand.Uint32(), rand.IntN(1e6))
	}
	return strings.ToValidUTF8(text.String()[:size], "")
}

func openLeads(b *testing.B, settings db.Settings) (*db.DB, *visit.Visits, *lead.Leads) {
	d := dbtest.Open(b, settings)
	v := visittest.Open(b, d, time.Now)
	return d, v.Visits, lead.New(lead.Subjects{DB: d, Visits: v.Visits, Texts: v.Texts}, time.Now)
}

var engines = map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres}

// BenchmarkBesideLargeLeads lets eight clients send leads of usual size, in turns alone and while four others send
// leads of 1 MB, one after another each.
func BenchmarkBesideLargeLeads(b *testing.B) {
	const clients, attackers, turns, turn = 8, 4, 5, 2 * time.Second
	for name, settings := range engines {
		b.Run(name, func(b *testing.B) {
			_, visits, leads := openLeads(b, settings(b))
			send := func(ctx context.Context, message string) bool {
				view, err := visits.Arrive(ctx, site, 0, visit.Arrival{Nonce: fmt.Sprintf("%022x", rand.Uint64()), URL: "https://shop.example/", Kind: "load"})
				if err == nil {
					_, _, err = leads.Add(ctx, submission.Submission{SiteID: site, Ref: view.Ref, Origin: lead.Script, Region: "RU", Name: "Анна Ёлкина",
						Email: "anna@mail.example", Phone: fmt.Sprintf("8 495 %07d", rand.IntN(1e7)), Message: message})
				}
				if err != nil && ctx.Err() == nil {
					b.Error(err)
				}
				return err == nil
			}
			large := make([]string, 16)
			for i := range large {
				large[i] = prose(1 << 20)
			}
			run := func(attackers int) (honest, sent float64) {
				ctx, stop := context.WithTimeout(b.Context(), turn)
				defer stop()
				var small, big atomic.Int64
				var all sync.WaitGroup
				began := time.Now()
				for i := range clients + attackers {
					all.Go(func() {
						for ctx.Err() == nil {
							if i < clients && send(ctx, prose(200)) {
								small.Add(1)
							}
							if i >= clients && send(ctx, large[rand.IntN(len(large))]) {
								big.Add(1)
							}
						}
					})
				}
				all.Wait()
				took := time.Since(began).Seconds()
				return float64(small.Load()) / took, float64(big.Load()) / took
			}
			for b.Loop() {
				var alone, beside, sent float64
				for range turns {
					honest, _ := run(0)
					alone += honest / turns
					honest, big := run(attackers)
					beside, sent = beside+honest/turns, sent+big/turns
				}
				b.ReportMetric(alone, "alone/s")
				b.ReportMetric(beside, "beside/s")
				b.ReportMetric(sent, "large/s")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkStored measures how many bytes of the database a lead takes, by the size of its text.
func BenchmarkStored(b *testing.B) {
	for name, settings := range engines {
		for _, size := range []int{200, 8 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				const leadsEach = 16
				to := settings(b)
				d, visits, leads := openLeads(b, to)
				view, err := visits.Arrive(b.Context(), site, 0, visit.Arrival{Nonce: "0123456789012345678901", URL: "https://shop.example/", Kind: "load"})
				require.NoError(b, err)
				written := func() (bytes int64) {
					if to.Engine == db.Postgres {
						bytes, _, err := db.One(b.Context(), d.Read(), db.Only[int64], `SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT)`)
						require.NoError(b, err)
						return bytes
					}
					for _, file := range []string{to.Source, to.Source + "-wal"} {
						if info, err := os.Stat(file); err == nil {
							bytes += info.Size()
						}
					}
					return bytes
				}
				for b.Loop() {
					before := written()
					for range leadsEach {
						_, _, err := leads.Add(b.Context(), submission.Submission{SiteID: site, Ref: view.Ref, CallID: fmt.Sprint(rand.Uint64()), Name: "Анна", Message: prose(size)})
						require.NoError(b, err)
					}
					b.ReportMetric(float64(written()-before)/float64(leadsEach*size), "written/received")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkAdd measures what a lead of usual size costs on SQLite, in time of the processors:
//
//	go test -run '^$' -bench Add -benchtime 5000x ./backend/lead
func BenchmarkAdd(b *testing.B) {
	_, visits, leads := openLeads(b, dbtest.SQLite(b))
	refs := make([]visit.Ref, 500)
	for i := range refs {
		view, err := visits.Arrive(b.Context(), site, 0, visit.Arrival{Nonce: fmt.Sprintf("%022x", rand.Uint64()), URL: "https://shop.example/", Kind: "load"})
		require.NoError(b, err)
		refs[i] = view.Ref
	}
	spent := func() time.Duration {
		var usage unix.Rusage
		require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before := spent()
	for i := 0; b.Loop(); i++ {
		_, _, err := leads.Add(b.Context(), submission.Submission{SiteID: site, Ref: refs[i%len(refs)], Origin: lead.Script, CallID: fmt.Sprint(i), Region: "RU", Name: "Анна Ёлкина",
			Email: fmt.Sprintf("anna%d@mail.example", i), Phone: fmt.Sprintf("8 495 %07d", i), FormName: "Order", Message: prose(200)})
		require.NoError(b, err)
	}
	b.ReportMetric(float64((spent()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}
