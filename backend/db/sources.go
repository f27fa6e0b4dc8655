package db

import (
	"context"
	"database/sql"
	"strings"

	"github.com/pressly/goose/v3"
)

// sourcesMigration makes columns of the sources of sessions and leads, which were
// texts of JSON, so that they can be counted by. The engines differ in how JSON is
// read. Each table is written anew, in one pass: to change its rows in place would
// leave it twice as large on PostgreSQL.
//
// The index of a visitor's sessions begins with the visitor. While a table is small,
// PostgreSQL takes all indexes that begin with the site for equally good to find one
// row of a site, and keeps the plan while the table grows.
func (d *DB) sourcesMigration() *goose.Migration {
	stored := "source"
	if d.engine == Postgres {
		stored = "source::json"
	}
	up := func(ctx context.Context, tx *sql.Tx) error {
		for statement := range strings.SplitSeq(strings.ReplaceAll(sourcesInColumns, "{source}", stored), ";") {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}
	return goose.NewGoMigration(14, &goose.GoFunc{RunTx: up}, nil)
}

const sourcesInColumns = `
ALTER TABLE sessions RENAME TO sessions_before;
CREATE TABLE sessions (
	site_id              BIGINT NOT NULL,
	id                   BIGINT NOT NULL,
	visitor_id           BIGINT NOT NULL,
	started_at           BIGINT NOT NULL,
	last_at              BIGINT NOT NULL,
	hits                 BIGINT NOT NULL,
	hit_id               BIGINT NOT NULL,
	recent               TEXT NOT NULL,
	campaign             TEXT NOT NULL,
	bot                  BOOLEAN NOT NULL,
	user_agent           TEXT NOT NULL,
	language             TEXT NOT NULL,` + definedSource + `,
	PRIMARY KEY (site_id, id)
);
INSERT INTO sessions
	SELECT site_id, id, visitor_id, started_at, last_at, hits, hit_id, recent, campaign, bot, user_agent, language,` + storedSource + `
	FROM sessions_before ORDER BY site_id, id;
DROP TABLE sessions_before;
CREATE INDEX sessions_of_visitor ON sessions (visitor_id, site_id, started_at);
CREATE INDEX sessions_live ON sessions (last_at) WHERE NOT bot;
CREATE INDEX sessions_live_of_site ON sessions (site_id, last_at) WHERE NOT bot;

ALTER TABLE leads RENAME TO leads_before;
CREATE TABLE leads (
	site_id              BIGINT NOT NULL,
	id                   BIGINT NOT NULL,
	visitor_id           BIGINT NOT NULL,
	session_id           BIGINT NOT NULL,
	hit_id               BIGINT NOT NULL,
	at                   BIGINT NOT NULL,
	origin               TEXT NOT NULL,
	name                 TEXT NOT NULL,
	email                TEXT NOT NULL,
	phone                TEXT NOT NULL,
	phone_digits         TEXT NOT NULL,
	message              TEXT NOT NULL,
	is_sale              BOOLEAN NOT NULL,
	sale_cost            TEXT NOT NULL,
	group_id             BIGINT NOT NULL,
	form_name            TEXT NOT NULL,
	user_fields          TEXT NOT NULL,
	url                  TEXT NOT NULL,` + definedSource + `,
	PRIMARY KEY (site_id, id)
);
INSERT INTO leads
	SELECT site_id, id, visitor_id, session_id, hit_id, at, origin, name, email, phone, phone_digits, message,
		is_sale, sale_cost, group_id, form_name, user_fields, url,` + storedSource + `
	FROM leads_before ORDER BY site_id, id;
DROP TABLE leads_before;
CREATE INDEX leads_newest ON leads (at, id);
CREATE INDEX leads_of_site ON leads (site_id, at, id);
CREATE INDEX leads_of_visitor ON leads (site_id, visitor_id, at, id)`

const definedSource = `
	source_kind          TEXT NOT NULL,
	source_name          TEXT NOT NULL,
	source_medium        TEXT NOT NULL,
	source_campaign      TEXT NOT NULL,
	source_term          TEXT NOT NULL,
	source_content       TEXT NOT NULL,
	source_click_id_name TEXT NOT NULL,
	source_click_id      TEXT NOT NULL,
	source_referrer      TEXT NOT NULL,
	source_landing       TEXT NOT NULL`

const storedSource = `
		COALESCE({source} ->> 'kind', ''), COALESCE({source} ->> 'source', ''), COALESCE({source} ->> 'medium', ''),
		COALESCE({source} ->> 'campaign', ''), COALESCE({source} ->> 'term', ''), COALESCE({source} ->> 'content', ''),
		COALESCE({source} ->> 'click_id_name', ''), COALESCE({source} ->> 'click_id', ''),
		COALESCE({source} ->> 'referrer', ''), COALESCE({source} ->> 'landing', '')`
