package visit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// maxContacts bounds how many e-mails, and how many phones, a visitor has.
const maxContacts = 50

// Info is what a visitor tells of themselves (browser interface, section 2.3).
type Info struct {
	Name, Email, Phone string
	// Region is the country, such as "RU", whose way of writing a phone without
	// a country code follows; it may be empty.
	Region string
}

// AddInfo stores what is filled in: a new name replaces the old one, an e-mail
// and a phone join those that are there, each once. It returns ErrNothing when
// nothing is filled in, and ErrTooMany when there is no room.
func (v *Visits) AddInfo(ctx context.Context, siteID int64, ref Ref, info Info) error {
	err := v.db.Write(ctx, v.visitors.number(ref.Visitor), func(ctx context.Context, tx db.Tx) error {
		return v.AddInfoTx(ctx, tx, siteID, ref, info)
	})
	if err != nil {
		return fmt.Errorf("storing visitor information: %w", err)
	}
	return nil
}

// AddInfoTx is AddInfo within a write of the caller's.
func (v *Visits) AddInfoTx(ctx context.Context, tx db.Tx, siteID int64, ref Ref, info Info) error {
	name, email, phone := strings.TrimSpace(info.Name), normalizeEmail(info.Email), strings.TrimSpace(info.Phone)
	if name == "" && email == "" && phone == "" {
		return ErrNothing
	}
	visitor, at := v.visitors.number(ref.Visitor), v.now().UnixMilli()
	var news bool
	if name != "" {
		changed, err := run(ctx, tx, `UPDATE visitors SET name = $3 WHERE site_id = $1 AND id = $2 AND name <> $3`, siteID, visitor, name)
		if err != nil {
			return err
		}
		news = changed > 0
	}
	for _, contact := range []struct{ kind, value, written string }{
		{"email", email, strings.TrimSpace(info.Email)}, {"phone", NormalizePhone(phone, info.Region), phone},
	} {
		if contact.written == "" {
			continue
		}
		added, err := addContact(ctx, tx, siteID, visitor, contact.kind, contact.value, contact.written, at)
		if err != nil {
			return err
		}
		news = news || added
	}
	if !news {
		return nil
	}
	data, err := json.Marshal(map[string]string{"name": name, "email": email, "phone": phone})
	if err != nil {
		return err
	}
	return appendVisit(ctx, tx, siteID, ref, InfoAdded, at, data)
}

func addContact(ctx context.Context, tx db.Tx, siteID, visitor int64, kind, value, written string, at int64) (added bool, err error) {
	query, err := tx.Prepared(ctx, `SELECT COUNT(*), COUNT(CASE WHEN value = $4 THEN 1 END) FROM contacts WHERE site_id = $1 AND visitor_id = $2 AND kind = $3`)
	if err != nil {
		return false, err
	}
	var all, same int
	if err := query.QueryRowContext(ctx, siteID, visitor, kind, value).Scan(&all, &same); err != nil || same > 0 {
		return false, err
	}
	if all >= maxContacts {
		return false, ErrTooMany
	}
	changed, err := run(ctx, tx, `INSERT INTO contacts (site_id, visitor_id, kind, value, written, at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (site_id, visitor_id, kind, value) DO NOTHING`, siteID, visitor, kind, value, written, at)
	return changed > 0, err
}

func appendVisit(ctx context.Context, tx db.Tx, siteID int64, ref Ref, kind string, at int64, data []byte) error {
	tx.Wake(LiveTopic)
	return journal.Append(ctx, tx, journal.Entry{SiteID: siteID, At: time.UnixMilli(at), Kind: kind, VisitorID: int64(ref.Visitor), Data: data})
}

// normalizeEmail trims an address and lower-cases its domain, which is all of
// it that is written either way (RFC 5321, section 2.4).
func normalizeEmail(address string) string {
	address = strings.TrimSpace(address)
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return address[:at] + strings.ToLower(address[at:])
}

// NormalizePhone is the number in international form, digits alone; the region
// says how to read one that is written without a country code. What is no
// valid number is returned as its digits, and without any as it is.
func NormalizePhone(text, region string) string {
	text = strings.TrimSpace(text)
	if len(text) <= 100 { // longer ones are no numbers
		if number, err := phonenumbers.Parse(text, region); err == nil && phonenumbers.IsValidNumber(number) {
			return strings.TrimPrefix(phonenumbers.Format(number, phonenumbers.E164), "+")
		}
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	if digits == "" {
		return text
	}
	return digits
}
