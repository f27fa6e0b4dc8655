package lists

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// viewsOfVisit are the page views of each visit that is made up. Reports read how many there are, and not the views.
const viewsOfVisit = 10

// Reports measures how long it takes to make the figures of reports, and to answer questions from them.
func Reports(ctx context.Context, folder string, visits, rounds int) error {
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	for _, settings := range []db.Settings{
		{Engine: db.SQLite, Source: filepath.Join(folder, "reports.db")},
		{Engine: db.Postgres, Source: postgres.Source()},
	} {
		if err := reportsOn(ctx, settings, visits, rounds); err != nil {
			return fmt.Errorf("%s: %w", settings.Engine, err)
		}
	}
	return onReplica(ctx, postgres, rounds)
}

// fillReports makes visits, calls and leads of four sites and two years, the same each time.
func fillReports(ctx context.Context, settings db.Settings, visits int) error {
	driver := map[string]string{db.SQLite: "sqlite", db.Postgres: "pgx"}[settings.Engine]
	d, err := sql.Open(driver, settings.Source)
	if err != nil {
		return err
	}
	defer d.Close()
	d.SetMaxOpenConns(1)
	series := func(n int) string {
		if settings.Engine == db.Postgres {
			return fmt.Sprintf(`(SELECT generate_series(1, %d)::BIGINT AS i) s`, n)
		}
		return fmt.Sprintf(`(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT i FROM s) s`, n)
	}
	at := func(n int) string {
		return fmt.Sprintf(`%d + CAST(i * 1.0 * %d / %d AS BIGINT)`, int64(inboxEnd-inboxYears), int64(inboxYears), n)
	}
	// What rows differ in comes from their numbers.
	among := func(prime, n int) string { return fmt.Sprintf(`(i * %d / 7 %% %d)`, prime, n) }
	source := `CASE WHEN ` + among(7919, 10) + ` < 4 THEN 'direct' WHEN ` + among(7919, 10) + ` < 6 THEN 'search' WHEN ` + among(7919, 10) + ` < 8 THEN 'ad' WHEN ` + among(7919, 10) + ` = 8 THEN 'campaign' ELSE 'referral' END, ` +
		`'source' || ` + among(104729, 12) + `, CASE WHEN ` + among(1299709, 3) + ` = 0 THEN 'cpc' ELSE '' END, 'campaign ' || ` + among(15485863, 60) + `, 'word ' || ` + among(32452843, 2000) + `, 'banner ' || ` + among(49979687, 20) +
		`, '', '', 'https://site' || ` + among(67867967, 300) + ` || '.example/page', 'https://shop.example/page/' || ` + among(86028121, 800)
	statements := []string{
		`INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, source_kind, source_name, source_medium, source_campaign, source_term,
			source_content, source_click_id_name, source_click_id, source_referrer, source_landing)
		SELECT 1 + i % 4, i, CASE WHEN ` + among(7, 10) + ` < 6 OR i < 500000 THEN i ELSE i - 4 * (` + among(982451653, 100000) + `) END, ` + at(visits) + `, ` + at(visits) + `, ` + fmt.Sprint(viewsOfVisit) + `, i, '', '', ` + among(15485863, 20) + ` = 0,
			CASE WHEN i % 3 = 0 THEN 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1'
				ELSE 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36' END, 'en-GB,en;q=0.9', ` + source + ` FROM ` + series(visits),
		`INSERT INTO calls (site_id, id, platform, call_id, called, caller, started_at, start_told, answered_at, ended_at, status, talk, wait, recording, price, currency, notes, told_at,
			reason, confidence, replaces, conditions, visitor_id, visit_id, source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing)
		SELECT 1 + i % 4, i, 'p', 'c' || i, '7495123456' || i % 10, '7999' || (1000000 + ` + among(7919, 60000) + `), ` + at(visits/10) + `, TRUE, 0, 0, CASE WHEN i % 5 = 0 THEN 'missed' ELSE 'answered' END, 60, 5, '', '', '', '', 0,
			'', '', '', '', 0, 0, ` + source + ` FROM ` + series(visits/10),
		`INSERT INTO leads (site_id, id, visitor_id, visit_id, view_id, at, origin, name, email, phone, phone_digits, message, is_sale, sale_cost, group_id, form_name, user_fields, url, state,
			source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing)
		SELECT 1 + i % 4, i, 0, 0, 0, ` + at(visits/10) + `, 'form', '', 'somebody' || ` + among(7919, 60000) + ` || '@mail.example', '', '', '', i % 9 = 0, '1500', 0, 'Form ' || i % 8, '{}', 'https://shop.example/order', i % 4,
			` + source + ` FROM ` + series(visits/10),
		`DELETE FROM report_due`,
	}
	if settings.Engine == db.SQLite {
		statements = append([]string{`PRAGMA cache_size = -500000`, `PRAGMA synchronous = OFF`}, statements...)
	} else {
		statements = append(statements, `VACUUM ANALYZE`)
	}
	for _, statement := range statements {
		if _, err := d.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%.80s: %w", statement, err)
		}
	}
	return nil
}

func reportsOn(ctx context.Context, settings db.Settings, visits, rounds int) error {
	d, err := opened(ctx, settings)
	if err != nil {
		return err
	}
	defer d.Close()
	keys, err := key.Open(ctx, d, time.Now)
	if err != nil {
		return err
	}
	if _, err := keys.Parts.Cover(ctx, 1, int64(visits)); err != nil {
		return err
	}
	begun := time.Now()
	if err := fillReports(ctx, settings, visits); err != nil {
		return err
	}
	made := time.Since(begun)
	if err := knowVisitors(ctx, d, keys, visits/10); err != nil {
		return err
	}
	end := time.UnixMilli(inboxEnd)
	k, err := keeper.Open(ctx, d, keys, func() time.Time { return end })
	if err != nil {
		return err
	}
	begun = time.Now()
	if err := k.Rebuild(ctx, func(keeper.Rebuilt) {}); err != nil {
		return err
	}
	took := time.Since(begun)
	bytes, _, err := db.One(ctx, d.Read(), db.Only[int64], `SELECT CAST(SUM(LENGTH(content) + LENGTH(name) + 24) AS BIGINT) FROM report_columns`)
	if err != nil {
		return err
	}
	views := visits * viewsOfVisit
	fmt.Printf("Reports of %d visits with %d views and %d inquiries of four sites and two years on %s (made in %v)\n", visits, views, visits/5, settings.Engine, made.Round(time.Second))
	fmt.Printf("rebuilt in %v: %.0f views a second; %.1f bytes for a view\n", took.Round(100*time.Millisecond), float64(views)/took.Seconds(), float64(bytes)/float64(views))
	return askReports(ctx, report.New(d, keys, func() time.Time { return end }), end, rounds)
}

// knowVisitors gives the calls and the leads visitors who were there.
func knowVisitors(ctx context.Context, d *db.DB, keys *key.Keys, n int) error {
	for _, table := range []string{"calls", "leads"} {
		for first := 1; first <= n; first += 500 {
			if err := d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
				var cases strings.Builder
				for i := first; i < first+500; i++ {
					if i%3 != 0 { // of the others, nobody knows
						fmt.Fprintf(&cases, " WHEN %d THEN %d", i, keys.Visitors.ID(int64(i*10+i%4-i*10%4)))
					}
				}
				_, err := tx.Exec(ctx, fmt.Sprintf(`UPDATE %s SET visitor_id = CASE id%s ELSE 0 END WHERE site_id IN (1, 2, 3, 4) AND id >= %d AND id < %d`, table, cases.String(), first, first+500))
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func askReports(ctx context.Context, r *report.Reports, end time.Time, rounds int) error {
	last := period.DateOf(end, time.UTC) - 1
	random := rand.New(rand.NewPCG(24, 1))
	fmt.Printf("%-24s %12s %12s %12s %14s %14s %8s\n", "milliseconds", "p50", "p95", "max", "four sites p50", "p95", "rows")
	for _, days := range []int{1, 28, 90, 365, 730} {
		for dimensions := range 3 {
			line, rows := fmt.Sprintf("%-24s", fmt.Sprintf("%d days, %d dimensions", days, dimensions)), 0
			for _, sites := range [][]int64{{3}, {1, 2, 3, 4}} {
				var took []time.Duration
				for range rounds {
					q := report.Question{SiteIDs: sites, PersonWindow: 30 * 24 * time.Hour, Credit: credit.Rule{Model: credit.Models[random.IntN(len(credit.Models))], Window: 30 * 24 * time.Hour},
						Period: period.Period{First: last - period.Date(days-1), Last: last, Step: period.Day, Zone: time.UTC}}
					for _, n := range random.Perm(len(report.Dimensions))[:dimensions] {
						q.By = append(q.By, report.Dimensions[n])
					}
					begun := time.Now()
					answer, err := r.Ask(ctx, q)
					if err != nil {
						return err
					}
					took = append(took, time.Since(begun))
					rows = max(rows, len(answer.Rows))
				}
				slices.Sort(took)
				at := func(share float64) float64 {
					return float64(took[min(len(took)-1, int(share*float64(len(took))))].Microseconds()) / 1000
				}
				line += fmt.Sprintf(" %12.1f %12.1f", at(0.5), at(0.95))
				if len(sites) == 1 {
					line += fmt.Sprintf(" %12.1f ", at(1))
				}
			}
			fmt.Printf("%s %8d\n", line, rows)
		}
	}
	return nil
}
