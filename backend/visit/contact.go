package visit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// maxContacts is how many e-mails, and how many phones, a visitor may have.
const maxContacts = 50

// Info is what visitors tell of themselves (browser interface, section 2.3).
type Info struct {
	Name, Email, Phone string
	// Region is the country, such as "RU", whose rules a phone without a country code follows. It is empty if it is not
	// known. See [ReadPhone].
	Region string
}

// Check returns [ErrNothing] if nothing is filled in.
func (i Info) Check() error {
	if strings.TrimSpace(i.Name) == "" && strings.TrimSpace(i.Email) == "" && strings.TrimSpace(i.Phone) == "" {
		return ErrNothing
	}
	return nil
}

// StoredInfo is an [Info] as it is stored. The zero StoredInfo is nothing.
type StoredInfo struct {
	name     string
	contacts []storedContact
}

// storedContact is an e-mail or a phone.
type storedContact struct {
	kind string
	contact.Contact
}

// Read brings the contacts into the form by which they are compared, which is not to be done in a transaction. The error
// is [ErrNothing] if nothing is filled in.
func (i Info) Read() (StoredInfo, error) {
	stored := StoredInfo{name: strings.TrimSpace(i.Name)}
	if email := strings.TrimSpace(i.Email); email != "" {
		stored.contacts = append(stored.contacts, storedContact{"email", contact.OfEmail(email)})
	}
	if phone := strings.TrimSpace(i.Phone); phone != "" {
		stored.contacts = append(stored.contacts, storedContact{"phone", contact.OfPhone(phone, i.Region)})
	}
	return stored, i.Check()
}

// AddInfo stores what is filled in. A new name replaces the old one. An e-mail or a phone is added, unless it is there
// already. AddInfo returns ErrNothing if nothing is filled in, ErrTooMany if there is no room, and ErrForeign if the
// ids of ref do not belong together. It then stores nothing.
func (v *Visits) AddInfo(ctx context.Context, siteID int64, ref Ref, info Info) error {
	stored, err := info.Read()
	if err != nil {
		return err
	}
	r := v.keys.Row(ref)
	err = v.db.Attempt(ctx, int64(ref.Visitor), func(ctx context.Context, tx db.Tx) error {
		if err := v.present(ctx, tx, siteID, r); err != nil {
			return err
		}
		return v.AddInfoTx(ctx, tx, siteID, ref, stored)
	})
	if err != nil {
		return fmt.Errorf("storing visitor information: %w", err)
	}
	return nil
}

// AddInfoTx does what AddInfo does, in a transaction of the caller. It checks only whether the visitor is known, and
// stores nothing for an unknown visitor. If it returns ErrTooMany, it has stored what there is room for. The caller's
// own write matters more.
func (v *Visits) AddInfoTx(ctx context.Context, tx db.Tx, siteID int64, ref Ref, info StoredInfo) error {
	if info.name == "" && len(info.contacts) == 0 {
		return nil
	}
	visitor, at := v.keys.Visitors.Number(ref.Visitor), v.now().UnixMilli()
	before, found, err := db.One(ctx, tx, db.Only[string], `SELECT name FROM visitors WHERE site_id = $1 AND id = $2`, siteID, visitor)
	if err != nil || !found {
		return err
	}
	var news []string
	if info.name != "" && info.name != before {
		if _, err := tx.Exec(ctx, `UPDATE visitors SET name = $3 WHERE site_id = $1 AND id = $2`, siteID, visitor, info.name); err != nil {
			return err
		}
		news = append(news, "name")
	}
	var full error
	for _, c := range info.contacts {
		added, err := addContact(ctx, tx, siteID, visitor, c, at)
		switch {
		case errors.Is(err, ErrTooMany):
			full = err
		case err != nil:
			return err
		case added:
			news = append(news, c.kind)
		}
	}
	if len(news) == 0 {
		return full
	}
	data := []byte(`{"fields":["` + strings.Join(news, `","`) + `"]}`) // words that JSON leaves as they are
	if err := appendVisit(ctx, tx, siteID, ref, InfoAdded, at, data); err != nil {
		return err
	}
	return full
}

// Correction is what somebody has corrected of what is known of a visitor.
type Correction struct {
	// Info is as it is to be. What is empty is taken away.
	Info
	// NameWas is the name, and EmailWas and PhoneWas the values of the contacts, that it replaces; empty for none. Other
	// contacts of the visitor stay.
	NameWas, EmailWas, PhoneWas string
}

// Correct replaces a name and contacts. What is as it was stays as it is by now. The error is ErrUnknown if the visitor
// is not known, and ErrTooMany if there is no room.
func (v *Visits) Correct(ctx context.Context, siteID int64, of ID, c Correction) error {
	stored, err := c.Read()
	if err != nil && !errors.Is(err, ErrNothing) {
		return err
	}
	was := map[string]string{"email": c.EmailWas, "phone": c.PhoneWas}
	for _, now := range stored.contacts {
		if was[now.kind] == now.Value {
			delete(was, now.kind)
		}
	}
	err = v.db.Attempt(ctx, int64(of), func(ctx context.Context, tx db.Tx) error {
		visitor, at := v.keys.Visitors.Number(of), v.now().UnixMilli()
		name, found, err := db.One(ctx, tx, db.Only[string], `SELECT name FROM visitors WHERE site_id = $1 AND id = $2`, siteID, visitor)
		if err == nil && !found {
			err = ErrUnknown
		}
		if err == nil && stored.name != c.NameWas && stored.name != name {
			_, err = tx.Exec(ctx, `UPDATE visitors SET name = $3 WHERE site_id = $1 AND id = $2`, siteID, visitor, stored.name)
		}
		for kind, value := range was {
			if err == nil && value != "" {
				_, err = tx.Exec(ctx, `DELETE FROM contacts WHERE site_id = $1 AND visitor_id = $2 AND kind = $3 AND value = $4`, siteID, visitor, kind, value)
			}
		}
		for _, now := range stored.contacts {
			if err == nil {
				_, err = addContact(ctx, tx, siteID, visitor, now, at)
			}
		}
		if err != nil {
			return err
		}
		return appendVisit(ctx, tx, siteID, Ref{Visitor: of}, InfoAdded, at, []byte(`{"fields":["name","email","phone"]}`))
	})
	if err != nil {
		return fmt.Errorf("correcting what is known of a visitor: %w", err)
	}
	return nil
}

func addContact(ctx context.Context, tx db.Tx, siteID, visitor int64, c storedContact, at int64) (added bool, err error) {
	// Where a partial index is of one kind, SQLite prepares a query anew for each kind that it looks for.
	have, _, err := db.One(ctx, tx, func(h *struct{ all, same int }) []any { return []any{&h.all, &h.same} },
		`SELECT COUNT(CASE WHEN kind = $3 THEN 1 END), COUNT(CASE WHEN kind = $3 AND value = $4 THEN 1 END) FROM contacts WHERE site_id = $1 AND visitor_id = $2`, siteID, visitor, c.kind, c.Value)
	if err != nil || have.same > 0 {
		return false, err
	}
	if have.all >= maxContacts {
		return false, ErrTooMany
	}
	changed, err := tx.Exec(ctx, `INSERT INTO contacts (site_id, visitor_id, kind, value, written, at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (site_id, visitor_id, kind, value) DO NOTHING`, siteID, visitor, c.kind, c.Value, c.Written, at)
	return changed > 0, err
}

func appendVisit(ctx context.Context, tx db.Tx, siteID int64, ref Ref, kind string, at int64, data []byte) error {
	tx.Wake(LiveTopic)
	return journal.Append(ctx, tx, journal.Entry{SiteID: siteID, At: time.UnixMilli(at), Kind: kind, VisitorID: int64(ref.Visitor), Data: data})
}
