package console

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

const login, password = "admin", "correct horse battery"

// Fill makes a database with an admin, and with so many sites and leads. The first site is the demo shop, which has a
// thousand visits with all that comes of them; its leads are the newest. The others' rows are made of their numbers alone.
func Fill(ctx context.Context, settings db.Settings, sites, leads int) error {
	d, err := db.Open(ctx, settings, zap.NewNop())
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Migrate(ctx); err != nil {
		return err
	}
	if err := operator.New(d, time.Now).Add(ctx, login, password, operator.Admin); err != nil {
		return err
	}
	plan := demo.Year(time.Now())
	plan.Days, plan.Visits = 3, 1000
	if err := demo.Fill(ctx, d, plan, func(time.Time, int64) {}); err != nil {
		return err
	}
	keys, err := key.Open(ctx, d, time.Now)
	if err != nil {
		return err
	}
	if _, err := keys.Parts.Cover(ctx, 1, 2_000_000_000); err != nil { // for the numbers of the made-up visits
		return err
	}
	if err := multiply(ctx, settings, plan.Last.AddDate(0, 0, -plan.Days), sites, leads); err != nil {
		return err
	}
	figures, err := keeper.Open(ctx, d, keys, time.Now)
	if err != nil {
		return err
	}
	return figures.Rebuild(ctx, func(keeper.Rebuilt) {})
}

// hostOf is the key of a site. Like those of real sites, they have little in common.
func hostOf(n int) string {
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru")
	random := rand.New(rand.NewPCG(1, uint64(n)))
	host := ""
	for range 3 + random.IntN(3) {
		host += syllables[random.IntN(len(syllables))]
	}
	return fmt.Sprintf("%s%d.example", host, n)
}

// named are the rows of so many sites behind the first.
func named(sites int, at int64) (rows []string) {
	for n := range sites {
		rows = append(rows, fmt.Sprintf(`(%d, '%s', %d)`, n+2, hostOf(n), at))
	}
	return rows
}

// source are the columns of where a visit has come from.
const (
	sourceColumns = `source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing`
	source        = `CASE WHEN i * 7919 / 7 % 10 < 4 THEN 'direct' WHEN i * 7919 / 7 % 10 < 7 THEN 'search' ELSE 'ad' END, 'source' || i * 104729 / 7 % 12, CASE WHEN i % 3 = 0 THEN 'cpc' ELSE '' END,
		'campaign ' || i * 15485863 / 7 % 60, '', '', '', '', 'https://site' || i * 67867967 / 7 % 300 || '.example/page', 'https://shop.example/page/' || i * 86028121 / 7 % 800`
)

// multiply adds sites, and to these a visit for each lead, a call for each tenth and a conversation for each twentieth.
// Their times are the ninety days before the end. The second site has a tenth of all.
func multiply(ctx context.Context, settings db.Settings, end time.Time, sites, leads int) error {
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
	const span = 90 * 24 * 3600 * 1000
	at := func(n int) string {
		return fmt.Sprintf(`%d + CAST(i * 1.0 * %d / %d AS BIGINT)`, end.UnixMilli()-span, int64(span), n)
	}
	site := fmt.Sprintf(`CASE WHEN i %% 10 = 0 THEN 2 ELSE 2 + i %% %d END`, sites-1)
	calls, conversations := max(1, leads/10), max(1, leads/20)
	const id = `1000000000 + i` // behind those that the program draws
	statements := []string{
		`INSERT INTO sites (id, key, created_at) VALUES ` + strings.Join(named(sites-1, end.UnixMilli()-span), ", "),
		`INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, ` + sourceColumns + `)
		SELECT ` + site + `, ` + id + `, ` + id + `, ` + at(leads) + `, ` + at(leads) + `, 1, ` + id + `, '', '', i % 20 = 1,
			'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36', 'en-GB,en;q=0.9', ` + source + ` FROM ` + series(leads),
		`INSERT INTO leads (site_id, id, visitor_id, visit_id, view_id, at, origin, name, email, phone, phone_digits, message, is_sale, sale_cost, group_id, form_name, user_fields, url, state, owner_id, ` + sourceColumns + `)
		SELECT ` + site + `, ` + id + `, 0, 0, 0, ` + at(leads) + `, 'form', 'Somebody ' || i, 'somebody' || i || '@mail.example', '8 (495) ' || (10000000 + i), '7495' || (10000000 + i), 'Is the lamp in stock? We would like ' || i % 30 || ' of them.',
			i % 9 = 0, CASE WHEN i % 9 = 0 THEN '1500' ELSE '' END, 0, 'Form ' || i % 8, '{}', 'https://shop.example/order', CASE WHEN i % 10 < 3 THEN 0 ELSE 2 END, 0, ` + source + ` FROM ` + series(leads),
		`INSERT INTO calls (site_id, id, platform, call_id, called, caller, started_at, start_told, answered_at, ended_at, status, talk, wait, recording, price, currency, notes, told_at,
			reason, confidence, replaces, conditions, visitor_id, visit_id, ` + sourceColumns + `)
		SELECT ` + site + `, ` + id + `, 'p', 'c' || i, '7495123456' || i % 10, '7999' || (1000000 + i * 7919 / 7 % 60000), ` + at(calls) + `, TRUE, 0, 0, CASE WHEN i % 5 = 0 THEN 'missed' ELSE 'answered' END, 60, 5, '', '', '', '', 0,
			'', '', '', '', 0, 0, ` + source + ` FROM ` + series(calls),
		`INSERT INTO conversations (site_id, id, visitor_id, visit_id, view_id, group_id, state, operator_id, seq, visitor_read, operator_read, opened_at, waiting_since, last_at, last_from, banned, url, language, lead_id)
		SELECT ` + site + `, ` + id + `, ` + id + `, ` + id + `, ` + id + `, 0, 'closed', 0, 2, 2, 2, ` + at(conversations) + `, 0, ` + at(conversations) + `, 'operator', FALSE, 'https://shop.example/', 'en', 0 FROM ` + series(conversations),
		`INSERT INTO messages (site_id, conversation_id, seq, author, operator_id, client_id, code, text, file_id, at)
		SELECT ` + site + `, ` + id + `, 1, 'visitor', 0, 'first', '', 'Is the lamp in stock?', 0, ` + at(conversations) + ` FROM ` + series(conversations),
		`INSERT INTO messages (site_id, conversation_id, seq, author, operator_id, client_id, code, text, file_id, at)
		SELECT ` + site + `, ` + id + `, 2, 'operator', 1, 'second', '', 'Yes, it is.', 0, ` + at(conversations) + ` FROM ` + series(conversations),
		`DELETE FROM report_due`, // all figures are made at once
	}
	if settings.Engine == db.SQLite { // nobody needs it after a power cut
		statements = append([]string{`PRAGMA cache_size = -500000`, `PRAGMA synchronous = OFF`}, append(statements, `PRAGMA wal_checkpoint(TRUNCATE)`)...)
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
