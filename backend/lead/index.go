package lead

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// store stores the lead, which stands alone, and what it is found by.
func (l *Leads) store(ctx context.Context, tx db.Tx, lead *ready) error {
	if err := lead.insert(ctx, tx); err != nil {
		return err
	}
	if err := keepWords(ctx, tx, lead.Lead, lead.words); err != nil || l.numbers == nil || lead.Visitor == 0 {
		return err
	}
	numbers, err := l.numbers(ctx, tx, lead.SiteID, lead.Visitor, lead.At)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if _, err := tx.Exec(ctx, `INSERT INTO lead_numbers (site_id, number, at, lead_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			lead.SiteID, number, lead.At.UnixMilli(), lead.ID); err != nil {
			return err
		}
	}
	return nil
}

// index has the lead found by its words, or the one that it is a part of by the words of both. words are the lead's own,
// if they are known. Those of several leads are of the beginnings of their texts, and so are found in a transaction.
func (l *Leads) index(ctx context.Context, tx db.Tx, lead Lead, words string) error {
	root, err := rootOf(ctx, tx, lead, readBegun)
	if err != nil {
		return err
	}
	parts, err := partsOf(ctx, tx, root.Key(), readBegun)
	if err != nil {
		return err
	}
	if words == "" || len(parts) > 0 {
		words = strings.Join(vocabularyOf(append([]Lead{root}, parts...)), " ")
	}
	return keepWords(ctx, tx, root, words)
}

// keepWords has the lead found by the words, which have blanks between them.
func keepWords(ctx context.Context, tx db.Tx, lead Lead, words string) error {
	if tx.Engine() == db.Postgres {
		_, err := tx.Exec(ctx, `INSERT INTO lead_search (site_id, lead_id, at, words) VALUES ($1, $2, $3, array_to_tsvector(string_to_array($4, ' ')))
			ON CONFLICT (site_id, lead_id) DO UPDATE SET words = EXCLUDED.words`, lead.SiteID, lead.ID, lead.At.UnixMilli(), words)
		return err
	}
	if err := dropWords(ctx, tx, lead.Key()); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO lead_search (rowid, words) VALUES ($1, $2)`, lead.ID, words)
	return err
}

// dropWords has the lead found no more.
func dropWords(ctx context.Context, tx db.Tx, n Name) error {
	if tx.Engine() == db.Postgres {
		_, err := tx.Exec(ctx, `DELETE FROM lead_search WHERE site_id = $1 AND lead_id = $2`, n.SiteID, n.ID)
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM lead_search WHERE rowid = $1`, n.ID)
	return err
}

// indexedAtOnce is how many leads one transaction of IndexOlder takes.
const indexedAtOnce = 50

// IndexOlder has leads found that were stored by an older program, until there are none or ctx
// ends. It returns how many there were.
func (l *Leads) IndexOlder(ctx context.Context) (indexed int, err error) {
	for {
		older, err := readBegun(ctx, l.db.Read(), fmt.Sprintf(`NOT indexed ORDER BY site_id, id LIMIT %d`, indexedAtOnce))
		if err != nil || len(older) == 0 {
			return indexed, err
		}
		words := make([]string, len(older))
		for i, lead := range older {
			words[i] = strings.Join(vocabularyOf([]Lead{lead}), " ")
		}
		err = l.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			for i, lead := range older {
				// What has changed or gone since it was read is read again.
				changed, err := tx.Exec(ctx, `UPDATE leads SET indexed = TRUE WHERE site_id = $1 AND id = $2 AND NOT indexed`, lead.SiteID, lead.ID)
				if err != nil {
					return err
				}
				if changed == 0 {
					continue
				}
				if err := l.index(ctx, tx, lead, words[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return indexed, fmt.Errorf("making leads known to the search: %w", err)
		}
		indexed += len(older)
	}
}

// Numbers are the numbers of pools that the lead's sender had.
func (l *Leads) Numbers(ctx context.Context, n Name) ([]string, error) {
	numbers, err := db.List(ctx, l.db.Read(), db.Only[string], `SELECT number FROM lead_numbers WHERE site_id = $1 AND lead_id = $2 ORDER BY number`, n.SiteID, n.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the numbers of a lead: %w", err)
	}
	return numbers, nil
}

const (
	// scrubbedAtOnce is how many pages of the search's index one transaction writes anew, and scrubPause how many
	// times as long as that took the writer is left to others.
	scrubbedAtOnce = 250
	scrubPause     = 3
)

// scrubWords writes the search's index of SQLite anew, without the words of leads that are gone: until then
// these stand in it, and are only not found.
func (l *Leads) scrubWords(ctx context.Context) error {
	if l.db.Engine() != db.SQLite {
		return nil
	}
	for pages := -scrubbedAtOnce; ; pages = scrubbedAtOnce { // the first has all of it written
		began := time.Now()
		var changed int64
		err := l.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			const changes = `SELECT total_changes()`
			before, _, err := db.One(ctx, tx, db.Only[int64], changes)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO lead_search (lead_search, rank) VALUES ('merge', $1)`, pages); err != nil {
				return err
			}
			after, _, err := db.One(ctx, tx, db.Only[int64], changes)
			changed = after - before
			return err
		})
		if err != nil {
			return fmt.Errorf("scrubbing the search of leads: %w", err)
		}
		if changed < 2 { // as SQLite says that there was nothing to do
			return nil
		}
		if !aside.Sleep(ctx, scrubPause*time.Since(began)) {
			return ctx.Err()
		}
	}
}
