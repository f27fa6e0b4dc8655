package db

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// inboxMigration makes what leads are worked on with. The engines differ in how text is
// searched: SQLite has FTS5 and PostgreSQL has GIN over tsvector, and neither needs an
// extension or special rights. What belongs to a lead goes with it, by triggers, so that
// whoever deletes leads need not know of it.
func (d *DB) inboxMigration() *goose.Migration {
	statements := append(inboxTables, inboxOfSQLite...)
	if d.engine == Postgres {
		statements = append(inboxTables, inboxOfPostgres...)
	}
	up := func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}
	return goose.NewGoMigration(26, &goose.GoFunc{RunTx: up}, nil)
}

// Amount is a lead's sale_cost as a number, NULL where there is none. An index is of just
// this expression.
const Amount = `CAST(NULLIF(sale_cost, '') AS NUMERIC)`

var inboxTables = []string{
	// The state is one of package lead; owner_id is the operator who has the lead, merged_into
	// the lead of the same site that it is a part of; each 0 for none. Of a lead that is not
	// indexed, the search does not know yet.
	`ALTER TABLE leads ADD COLUMN state BIGINT NOT NULL DEFAULT 0`,
	`ALTER TABLE leads ADD COLUMN owner_id BIGINT NOT NULL DEFAULT 0`,
	`ALTER TABLE leads ADD COLUMN merged_into BIGINT NOT NULL DEFAULT 0`,
	`ALTER TABLE leads ADD COLUMN indexed BIGINT NOT NULL DEFAULT 0`,
	`CREATE INDEX leads_listed ON leads (site_id, at, id) WHERE merged_into = 0 AND state <> 3`,
	`CREATE INDEX leads_of_state ON leads (site_id, state, at, id) WHERE merged_into = 0`,
	`CREATE INDEX leads_of_owner ON leads (site_id, owner_id, at, id) WHERE merged_into = 0`,
	`CREATE INDEX leads_of_work ON leads (site_id, owner_id, state, at, id) WHERE merged_into = 0`,
	`CREATE INDEX leads_of_source ON leads (site_id, source_kind, at, id) WHERE merged_into = 0`,
	`CREATE INDEX leads_of_form ON leads (site_id, form_name, at, id) WHERE merged_into = 0`,
	`CREATE INDEX leads_of_amount ON leads (site_id, (` + Amount + `), at, id) WHERE merged_into = 0 AND sale_cost <> ''`,
	`CREATE INDEX leads_sold ON leads (site_id, at, id) WHERE merged_into = 0 AND sale_cost <> ''`,
	`CREATE INDEX leads_of_phone ON leads (site_id, phone_digits, at, id) WHERE merged_into = 0 AND phone_digits <> ''`,
	`CREATE INDEX leads_of_email ON leads (site_id, lower(email), at, id) WHERE merged_into = 0 AND email <> ''`,
	`CREATE INDEX leads_merged ON leads (site_id, merged_into, at) WHERE merged_into <> 0`,
	`CREATE INDEX leads_unindexed ON leads (site_id, id) WHERE indexed = 0`,

	// What operators have done with a lead, their notes among it.
	`CREATE TABLE lead_deeds (
		site_id     BIGINT NOT NULL,
		lead_id     BIGINT NOT NULL,
		id          BIGINT NOT NULL,
		at          BIGINT NOT NULL,
		operator_id BIGINT NOT NULL,
		login       TEXT NOT NULL,
		kind        TEXT NOT NULL,
		was         TEXT NOT NULL,
		said        TEXT NOT NULL,
		PRIMARY KEY (site_id, lead_id, id)
	)`,

	// The numbers of pools that the sender had when the lead came.
	`CREATE TABLE lead_numbers (
		site_id BIGINT NOT NULL,
		number  TEXT NOT NULL,
		at      BIGINT NOT NULL,
		lead_id BIGINT NOT NULL,
		PRIMARY KEY (site_id, number, at, lead_id)
	)`,
	`CREATE INDEX lead_numbers_of_lead ON lead_numbers (site_id, lead_id)`,
	`INSERT INTO lead_numbers (site_id, number, at, lead_id)
		SELECT l.site_id, n.digits, l.at, l.id FROM leads l JOIN leases n ON n.site_id = l.site_id AND n.visitor_id = l.visitor_id
			WHERE l.visitor_id <> 0 AND n.begun_at <= l.at AND n.ended_at >= l.at
		UNION SELECT l.site_id, n.digits, l.at, l.id FROM leads l JOIN pool_numbers n ON n.site_id = l.site_id AND n.visitor_id = l.visitor_id
			WHERE l.visitor_id <> 0 AND n.begun_at <= l.at AND n.until >= l.at`,
}

var inboxOfSQLite = []string{
	// Words without places, by the id of the lead, which is one for all sites.
	`CREATE VIRTUAL TABLE lead_search USING fts5(words, content='', contentless_delete=1, detail=none, prefix='2 3 4', tokenize="ascii tokenchars '_'")`,
	`CREATE VIRTUAL TABLE lead_words USING fts5vocab(lead_search, instance)`,
	// Of the leads that have the words, it has what is asked most.
	`CREATE INDEX leads_by_id ON leads (id, site_id, at, state, owner_id, merged_into)`,
	`CREATE TRIGGER leads_erased AFTER DELETE ON leads BEGIN
		DELETE FROM lead_deeds WHERE site_id = OLD.site_id AND lead_id = OLD.id;
		DELETE FROM lead_numbers WHERE site_id = OLD.site_id AND lead_id = OLD.id;
		DELETE FROM lead_search WHERE rowid = OLD.id;
		UPDATE leads SET merged_into = 0, indexed = 0 WHERE site_id = OLD.site_id AND merged_into = OLD.id AND merged_into <> 0;
	END`,
}

var inboxOfPostgres = []string{
	`CREATE TABLE lead_search (
		site_id BIGINT NOT NULL,
		lead_id BIGINT NOT NULL,
		at      BIGINT NOT NULL,
		words   TSVECTOR NOT NULL,
		PRIMARY KEY (site_id, lead_id)
	)`,
	`CREATE INDEX lead_search_words ON lead_search USING gin (words)`,
	`CREATE FUNCTION leads_erased() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		DELETE FROM lead_deeds WHERE site_id = OLD.site_id AND lead_id = OLD.id;
		DELETE FROM lead_numbers WHERE site_id = OLD.site_id AND lead_id = OLD.id;
		DELETE FROM lead_search WHERE site_id = OLD.site_id AND lead_id = OLD.id;
		UPDATE leads SET merged_into = 0, indexed = 0 WHERE site_id = OLD.site_id AND merged_into = OLD.id AND merged_into <> 0;
		RETURN NULL;
	END $$`,
	`CREATE TRIGGER leads_erased AFTER DELETE ON leads FOR EACH ROW EXECUTE FUNCTION leads_erased()`,
}
