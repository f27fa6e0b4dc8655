package lead

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
)

// store stores the lead, which stands alone, and what it is found by.
func (l *Leads) store(ctx context.Context, tx db.Tx, lead *ready) error {
	if err := lead.insert(ctx, tx); err != nil {
		return err
	}
	if err := search.Keep(ctx, tx, lead.SiteID, lead.ID, lead.At, lead.words); err != nil || l.numbers == nil || lead.Visitor == 0 {
		return err
	}
	numbers, err := l.numbers(ctx, tx, lead.SiteID, lead.Visitor, lead.At)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if err := tx.Send(ctx, `INSERT INTO lead_numbers (site_id, number, at, lead_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			lead.SiteID, number, lead.At.UnixMilli(), lead.ID); err != nil {
			return err
		}
	}
	return nil
}

// index has the lead found by its words, or the one that it is a part of by the words of both. words are the lead's
// own, if they are known. Those of several leads are of the beginnings of their texts, and so are found in a
// transaction.
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
		words = wordsOf(append([]Lead{root}, parts...)...)
	}
	return search.Keep(ctx, tx, root.SiteID, root.ID, root.At, words)
}

// wordsOf are those by which a lead is found that the leads are parts of.
func wordsOf(leads ...Lead) string {
	texts := make([]search.Texts, len(leads))
	for i, l := range leads {
		texts[i] = search.Texts{
			SiteID: l.SiteID, ID: l.ID, Phone: l.Phone, PhoneDigits: l.PhoneDigits, Name: l.Name, Email: l.Email, FormName: l.FormName, Message: l.Message, UserFields: l.UserFields,
		}
	}
	return search.Words(texts...)
}

// indexedAtOnce is how many leads one transaction of scrub takes.
const indexedAtOnce = 50

// scrub brings the index of words in line with the leads that are left: it has those found whose whole was erased, and
// takes out the words of those that are gone.
func (l *Leads) scrub(ctx context.Context) error {
	if err := l.Index(ctx); err != nil {
		return err
	}
	return search.Scrub(ctx, l.db)
}

// Index has the leads found by their words whose words have changed.
func (l *Leads) Index(ctx context.Context) error {
	for indexed := indexedAtOnce; indexed == indexedAtOnce; {
		parts, err := readBegun(ctx, l.db.Read(), fmt.Sprintf(`NOT indexed ORDER BY site_id, id LIMIT %d`, indexedAtOnce))
		if err != nil {
			return err
		}
		words := make([]string, len(parts))
		for i, lead := range parts {
			words[i] = wordsOf(lead)
		}
		err = l.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			for i, lead := range parts {
				// What has changed or gone since it was read is read again.
				changed, err := tx.Exec(ctx, `UPDATE leads SET indexed = TRUE WHERE site_id = $1 AND id = $2 AND NOT indexed`, lead.SiteID, lead.ID)
				if err == nil && changed > 0 {
					err = l.index(ctx, tx, lead, words[i])
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("making leads known to the search: %w", err)
		}
		indexed = len(parts)
	}
	return nil
}

// Numbers are the numbers of pools that the lead's sender had.
func (l *Leads) Numbers(ctx context.Context, n Key) ([]string, error) {
	numbers, err := db.List(ctx, l.db.Read(), db.Only[string], `SELECT number FROM lead_numbers WHERE site_id = $1 AND lead_id = $2 ORDER BY number`, n.SiteID, n.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the numbers of a lead: %w", err)
	}
	return numbers, nil
}
