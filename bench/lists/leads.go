// Package lists measures the lists and reports of the console over a large database.
package lists

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// Leads measures how long each filter and search of the console's list of leads takes among many.
func Leads(ctx context.Context, folder string, leads, rounds int) error {
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	words := inboxWords()
	for _, settings := range []db.Settings{
		{Engine: db.SQLite, Source: filepath.Join(folder, "inbox.db")},
		{Engine: db.Postgres, Source: postgres.Source()},
	} {
		if err := inboxOn(ctx, settings, words, leads, rounds); err != nil {
			return fmt.Errorf("%s: %w", settings.Engine, err)
		}
	}
	return nil
}

// inboxWords are the words of made-up leads, the most frequent first.
func inboxWords() []string {
	random := rand.New(rand.NewPCG(7, 7))
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru")
	words, known := []string{}, map[string]bool{}
	for len(words) < 20000 {
		word := ""
		for range 2 + random.IntN(3) {
			word += syllables[random.IntN(len(syllables))]
		}
		if !known[word] {
			known[word] = true
			words = append(words, word)
		}
	}
	return words
}

// The leads are of two years, which end at inboxEnd.
const (
	inboxEnd   = 1_790_000_000_000
	inboxYears = 2 * 365 * 24 * 3600 * 1000
)

// fillInbox makes the leads by statements that both engines know.
func fillInbox(ctx context.Context, settings db.Settings, words []string, leads int) error {
	driver, series := "sqlite", fmt.Sprintf(`WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d)`, leads)
	random := `(abs(random() % 1000000) / 1000000.0)`
	whole := func(expression string) string { return `CAST(` + expression + ` AS INTEGER)` }
	if settings.Engine == db.Postgres {
		driver, series = "pgx", fmt.Sprintf(`WITH s(i) AS (SELECT generate_series(1, %d))`, leads)
		random = `random()`
		whole = func(expression string) string { return `CAST(floor(` + expression + `) AS BIGINT)` }
	}
	d, err := sql.Open(driver, settings.Source)
	if err != nil {
		return err
	}
	defer d.Close()
	d.SetMaxOpenConns(1)
	pick := func(i int) string { // frequent words often, and most seldom
		return fmt.Sprintf(`(SELECT word FROM made_words WHERE n = r%d)`, i)
	}
	var picked, drawn []string
	for i := range 12 {
		picked = append(picked, pick(i))
		drawn = append(drawn, whole(fmt.Sprintf(`%d * %s * %s * %s`, len(words), random, random, random))+fmt.Sprintf(` AS r%d`, i))
	}
	among := func(n int) string { return whole(fmt.Sprintf(`%d * %s`, n, random)) }
	var statements []string
	if settings.Engine == db.SQLite { // it is made in memory, and nobody needs it after a power cut
		statements = append(statements, `PRAGMA cache_size = -1000000`, `PRAGMA synchronous = OFF`, `PRAGMA temp_store = MEMORY`)
	}
	statements = append(statements, `CREATE TABLE made_words (n BIGINT PRIMARY KEY, word TEXT NOT NULL)`)
	for some := range slices.Chunk(words, 500) {
		var rows []string
		for _, word := range some {
			rows = append(rows, fmt.Sprintf(`(%d, '%s')`, slices.Index(words, word), word))
		}
		statements = append(statements, `INSERT INTO made_words VALUES `+strings.Join(rows, ", "))
	}
	draw := `CREATE TABLE made AS ` + series + ` SELECT i, ` + strings.Join(drawn, ", ") + `, ` + among(1000) + ` AS p, ` + among(1000) + ` AS q, ` + among(1000) + ` AS state, ` +
		among(1000) + ` AS form, ` + among(10_000_000) + ` AS phone FROM s`
	site := `CASE WHEN p < 600 THEN 1 WHEN p < 900 THEN 2 WHEN p < 999 THEN 3 ELSE 4 END`
	insert := `INSERT INTO leads (site_id, id, visitor_id, visit_id, view_id, at, origin, name, email, phone, phone_digits, message, is_sale, sale_cost, group_id, form_name, user_fields, url,
		source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing, state, owner_id, indexed)
		SELECT ` + site + `, i, i, i, i, ` + fmt.Sprintf(`%d + CAST(i * 1.0 * %d / %d AS BIGINT)`, inboxEnd-inboxYears, inboxYears, leads) + `, 'script', ` + pick(0) + ` || ' ' || ` + pick(1) + `, ` + pick(1) + ` || i || '@mail.example',
		'8 (495) ' || (10000000 + phone), '7495' || (10000000 + phone), ` + strings.Join(picked[2:], ` || ' ' || `) + `, q < 100, CASE WHEN i % 20000 = 0 THEN '1500000' WHEN q < 100 THEN CAST(1000 + phone % 90000 AS TEXT) ELSE '' END, 0,
		CASE WHEN i % 30000 = 1 THEN 'Seldom' ELSE 'Form ' || CAST(form / 100 AS TEXT) END, '{}', 'https://shop.example/order',
		CASE WHEN i % 25000 = 2 THEN 'map' WHEN form % 10 < 4 THEN 'direct' WHEN form % 10 < 7 THEN 'ad' WHEN form % 10 < 9 THEN 'search' ELSE 'campaign' END, '', '', '', '', '', '', '', '', '',
		CASE WHEN state < 300 THEN 0 WHEN state < 350 THEN 1 WHEN state < 900 THEN 2 ELSE 3 END, CASE WHEN i % 50000 = 3 THEN 99 WHEN state >= 300 AND state < 900 THEN 1 + q % 20 ELSE 0 END, TRUE FROM made`
	if settings.Engine == db.Postgres {
		insert = strings.Replace(insert, "q < 100, CASE", "(q < 100), CASE", 1)
	}
	statements = append(statements, draw, insert,
		`INSERT INTO lead_numbers (site_id, number, at, lead_id) SELECT site_id, '7800' || (1000000 + id % 200), at, id FROM leads WHERE id % 5 = 0`,
		`INSERT INTO lead_tags (site_id, lead_id, tag) SELECT site_id, id, CASE WHEN id % 50000 = 4 THEN 'seldom' ELSE 'often' END FROM leads WHERE id % 10 = 4`)
	suffixes := []string{}
	for i := 1; i <= 10; i++ {
		suffixes = append(suffixes, fmt.Sprintf(`substr(phone_digits, %d)`, i))
	}
	found := `'_' || site_id || ' ' || id || ' ' || name || ' ' || substr(name, 2) || ' ' || substr(name, 3) || ' ' || replace(replace(email, '@', ' '), '.', ' ') || ' ail xample ample mple ple form ' || ` +
		strings.Join(suffixes, ` || ' ' || `) + ` || ' ' || message`
	if settings.Engine == db.Postgres {
		statements = append(statements, `DROP INDEX lead_search_words`,
			`INSERT INTO lead_search (site_id, lead_id, at, words) SELECT site_id, id, at, array_to_tsvector(array_remove(string_to_array(`+found+`, ' '), '')) FROM leads`,
			`CREATE INDEX lead_search_words ON lead_search USING gin (words)`, `DROP TABLE made`, `VACUUM ANALYZE`)
	} else {
		statements = append(statements, `INSERT INTO lead_search (rowid, words) SELECT id, `+found+` FROM leads ORDER BY id`, `DROP TABLE made`,
			`PRAGMA wal_checkpoint(TRUNCATE)`) // reading through a log as large as the file would be measured
	}
	for _, statement := range statements {
		if _, err := d.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%.80s: %w", statement, err)
		}
	}
	return nil
}

// asked is what is measured: a filter, anew for each round.
type asked struct {
	name   string
	filter func(random *rand.Rand) inbox.Filter
	deep   bool // from somewhere far back in the list
}

func inboxAsked(words []string) []asked {
	simple := func(f inbox.Filter) func(*rand.Rand) inbox.Filter { return func(*rand.Rand) inbox.Filter { return f } }
	search := func(text func(*rand.Rand) string) func(*rand.Rand) inbox.Filter {
		return func(r *rand.Rand) inbox.Filter { return inbox.Filter{Search: text(r)} }
	}
	word := func(from, to int) func(*rand.Rand) string {
		return func(r *rand.Rand) string { return words[from+r.IntN(to-from)] }
	}
	state := func(s lead.State) *lead.State { return &s }
	return []asked{
		{"the newest", simple(inbox.Filter{}), false}, {"somewhere in the list", simple(inbox.Filter{}), true},
		{"state: new", simple(inbox.Filter{State: state(lead.Fresh)}), false}, {"state: in work", simple(inbox.Filter{State: state(lead.InWork)}), true},
		{"state: done", simple(inbox.Filter{State: state(lead.Done)}), true}, {"state: spam", simple(inbox.Filter{State: state(lead.Spam)}), false},
		{"an operator's", func(r *rand.Rand) inbox.Filter { return inbox.Filter{Owner: new(1 + r.Int64N(20))} }, true},
		{"one who has 20", simple(inbox.Filter{Owner: new(int64(99))}), false}, {"nobody's", simple(inbox.Filter{Owner: new(int64)}), true},
		{"source", simple(inbox.Filter{Source: source.Ad}), true}, {"source of 40 leads", simple(inbox.Filter{Source: source.Map}), false},
		{"form", func(r *rand.Rand) inbox.Filter { return inbox.Filter{Form: fmt.Sprint("Form ", r.IntN(10))} }, true}, {"form of 33 leads", simple(inbox.Filter{Form: "Seldom"}), false},
		{"tag of 1 in 10", simple(inbox.Filter{Tag: "often"}), true}, {"tag of 20 leads", simple(inbox.Filter{Tag: "seldom"}), false},
		{"number shown", func(r *rand.Rand) inbox.Filter { return inbox.Filter{Number: fmt.Sprint("7800", 1000000+5*r.IntN(40))} }, true},
		{"amount, common", simple(inbox.Filter{From: "20000", To: "60000"}), true}, {"amount of 50 leads", simple(inbox.Filter{From: "1000000"}), false},
		{"amount, 1 in 1000 sales", simple(inbox.Filter{From: "5000", To: "5090"}), true},
		{"a week, long ago", func(r *rand.Rand) inbox.Filter {
			since := time.UnixMilli(inboxEnd - r.Int64N(inboxYears))
			return inbox.Filter{Since: since, Until: since.Add(7 * 24 * time.Hour)}
		}, false},
		{"new, by a form and a source", simple(inbox.Filter{State: state(lead.Fresh), Form: "Form 3", Source: source.Search}), true},
		{"an operator's in work, of a form", func(r *rand.Rand) inbox.Filter {
			return inbox.Filter{State: state(lead.InWork), Owner: new(1 + r.Int64N(20)), Form: fmt.Sprint("Form ", r.IntN(10))}
		}, false},
		{"in work that nobody has (none)", simple(inbox.Filter{State: state(lead.InWork), Owner: new(int64)}), false},
		{"a word of every second lead", search(word(0, 3)), false}, {"a common word", search(word(20, 200)), true}, {"a word of 1 in 1000", search(word(2000, 4000)), false},
		{"a rare word", search(word(15000, 20000)), false}, {"two letters", search(func(r *rand.Rand) string { return words[r.IntN(1000)][:2] }), false},
		{"three letters", search(func(r *rand.Rand) string { return words[r.IntN(1000)][:3] }), false}, {"five letters", search(func(r *rand.Rand) string { w := words[r.IntN(10000)]; return w[:min(5, len(w))] }), false},
		{"two words", search(func(r *rand.Rand) string { return words[r.IntN(300)] + " " + words[r.IntN(3000)] }), false},
		{"telephone number", search(func(r *rand.Rand) string { return fmt.Sprintf("8 (495) 1%07d", r.IntN(10_000_000)) }), false},
		{"four digits of one", search(func(r *rand.Rand) string { return fmt.Sprintf("%04d", r.IntN(10_000)) }), false},
		{"e-mail", search(func(r *rand.Rand) string {
			return words[r.IntN(5000)] + fmt.Sprint(r.IntN(1_000_000)) + "@mail.example"
		}), false},
		{"what every e-mail has", search(func(*rand.Rand) string { return "mail.example" }), true},
		{"nothing has it", search(func(*rand.Rand) string { return "qqqqqq" }), false},
		{"a common word, in work", func(r *rand.Rand) inbox.Filter {
			return inbox.Filter{Search: words[20+r.IntN(100)], State: state(lead.InWork)}
		}, false},
		{"a common word, of a rare form", func(r *rand.Rand) inbox.Filter { return inbox.Filter{Search: words[r.IntN(50)], Form: "Seldom"} }, false},
	}
}

// opened is the database, migrated.
func opened(ctx context.Context, settings db.Settings) (*db.DB, error) {
	d, err := db.Open(ctx, settings, zap.NewNop())
	if err != nil {
		return nil, err
	}
	if err := d.Migrate(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func inboxOn(ctx context.Context, settings db.Settings, words []string, leads, rounds int) error {
	d, err := opened(ctx, settings)
	if err != nil {
		return err
	}
	defer d.Close()
	begun := time.Now()
	if err := fillInbox(ctx, settings, words, leads); err != nil {
		return err
	}
	visits, err := visittest.Make(ctx, d, time.Now)
	if err != nil {
		return err
	}
	all := lead.New(lead.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts}, time.Now)
	list := inbox.New(d, all, time.Now)
	fmt.Printf("The inbox with %d leads of four sites on %s (made in %v), %d rounds each; milliseconds for a page of 50\n", leads, settings.Engine, time.Since(begun).Round(time.Second), rounds)
	fmt.Printf("%-34s %10s %10s %12s %12s %8s\n", "", "p50", "p95", "one site p50", "one site p95", "leads")
	random := rand.New(rand.NewPCG(1, 1))
	for _, a := range inboxAsked(words) {
		line, found := fmt.Sprintf("%-34s", a.name), 0
		for _, sites := range []scope.Sites{scope.Of(1, 2, 3, 4), scope.Of(3)} {
			var took []time.Duration
			for range rounds {
				f := a.filter(random)
				f.Sites = sites
				behind := lead.Cursor{}
				if a.deep {
					behind = lead.Cursor{At: time.UnixMilli(inboxEnd - random.Int64N(inboxYears)), ID: 1 << 40}
					if f.Search != "" { // SQLite goes by ids there
						behind.ID = random.Int64N(int64(leads))
					}
				}
				start := time.Now()
				page, err := list.List(ctx, f, behind, 50)
				if err == nil {
					var names []lead.Key
					for _, l := range page.Leads {
						names = append(names, l.Key())
					}
					_, err = all.PartsOf(ctx, names)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", a.name, err)
				}
				took = append(took, time.Since(start))
				found = max(found, len(page.Leads))
			}
			slices.Sort(took)
			ms := func(share float64) float64 {
				return float64(took[int(share*float64(len(took)-1)+0.5)].Microseconds()) / 1000
			}
			line += fmt.Sprintf(" %10.1f %10.1f ", ms(0.5), ms(0.95))
		}
		fmt.Printf("%s %8d\n", line, found)
	}
	begun, exported := time.Now(), 0
	for behind := (lead.Cursor{}); exported < 100_000; {
		page, err := list.List(ctx, inbox.Filter{Sites: scope.Of(1, 2, 3, 4)}, behind, 500)
		if err != nil {
			return err
		}
		if exported += len(page.Leads); page.Next == (lead.Cursor{}) {
			break
		}
		behind = page.Next
	}
	fmt.Printf("read for a table: %.0f leads a second\n\n", float64(exported)/time.Since(begun).Seconds())
	return nil
}
