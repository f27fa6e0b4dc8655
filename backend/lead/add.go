package lead

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// RepeatWindow is how long the same content from the same page view counts as
// the same lead, when the sender does not say which delivery it is.
const RepeatWindow = 10 * time.Minute

// DeliveryMemory is for how long the id of a call, or the key that a server
// chose, is remembered. Senders repeat what failed for hours at most.
const DeliveryMemory = 30 * 24 * time.Hour

// Add stores the submission as a lead, adds its phone and e-mail to what is
// known of the visitor, and returns when both are durable. A submission that
// was delivered before is not stored again: the lead that it made is returned,
// with repeated true.
//
// What cannot be stored as it is has been cut then, see [Submission.Check]. The error
// is an [Invalid] when the submission is at fault, and nothing is stored then.
func (l *Leads) Add(ctx context.Context, s Submission) (lead Lead, repeated bool, err error) {
	if err := s.Check(); err != nil {
		return Lead{}, false, err
	}
	id, err := l.ids.Next(ctx)
	if err != nil {
		return Lead{}, false, err
	}
	delivery, within, err := s.delivery()
	if err != nil {
		return Lead{}, false, err
	}
	phone, at := visit.ReadPhone(s.Phone, s.Region), l.now()
	if !s.At.IsZero() && s.At.Before(at) {
		at = s.At
	}
	lead = Lead{
		ID: id, SiteID: s.SiteID, Ref: s.Ref, At: time.UnixMilli(at.UnixMilli()), Origin: s.Origin,
		Name: s.Name, Email: s.Email, Phone: s.Phone, PhoneDigits: phone.Digits, PhoneExtension: phone.Extension,
		Message: s.Message, IsSale: s.IsSale, SaleCost: s.SaleCost, GroupID: s.GroupID, FormName: s.FormName,
		UserFields: s.UserFields, URL: visit.Clip(s.URL, maxAddress),
	}
	// The session keeps its source itself. A lead whose session is gone, or
	// cannot be read now, is a lead all the same.
	if source, err := l.visits.SourceOf(ctx, s.SiteID, s.Session); err == nil {
		lead.Source = source
	}
	var earlier int64
	err = l.db.Write(ctx, l.visits.Key(s.Visitor), func(ctx context.Context, tx db.Tx) error {
		var err error
		if earlier, err = deliver(ctx, tx, lead, delivery, within); err != nil || earlier != 0 {
			return err
		}
		if err := forget(ctx, tx, lead); err != nil {
			return err
		}
		lead.Marks, lead.State = nil, Fresh // it may be the second time
		for _, mark := range s.Marks {
			lead.mark(mark)
		}
		if earlier, err = l.join(ctx, tx, lead, delivery); err != nil {
			return err
		}
		if earlier == 0 {
			if err := lead.markRepeated(ctx, tx); err != nil {
				return err
			}
			if lead.Spam() {
				lead.State = Spam
			}
			if err := l.store(ctx, tx, lead); err != nil {
				return err
			}
		}
		info := visit.Info{Name: lead.Name, Email: lead.Email, Phone: lead.Phone, Region: s.Region}
		err = l.visits.AddInfoTx(ctx, tx, lead.SiteID, lead.Ref, info)
		if err != nil && !errors.Is(err, visit.ErrNothing) && !errors.Is(err, visit.ErrTooMany) {
			return err
		}
		if earlier != 0 {
			return nil
		}
		data, err := json.Marshal(struct {
			Origin   string   `json:"origin"`
			IsSale   bool     `json:"is_sale"`
			FormName string   `json:"form_name,omitempty"`
			Marks    []string `json:"marks,omitempty"`
		}{lead.Origin, lead.IsSale, lead.FormName, lead.Marks})
		if err != nil {
			return err
		}
		return journal.Append(ctx, tx, journal.Entry{
			SiteID: lead.SiteID, At: lead.At, Kind: Added, SubjectID: lead.ID, VisitorID: int64(lead.Visitor), Data: data,
		})
	})
	if err != nil {
		return Lead{}, false, fmt.Errorf("adding a lead: %w", err)
	}
	if earlier == 0 {
		return lead, false, nil
	}
	lead, err = l.made(ctx, Lead{ID: earlier, SiteID: s.SiteID, Ref: s.Ref})
	return lead, true, err
}

// made is a lead that was made earlier. If it has been erased since, no more is known
// of it than what is given; the sender has delivered it all the same.
func (l *Leads) made(ctx context.Context, known Lead) (Lead, error) {
	lead, err := l.Get(ctx, known.SiteID, known.ID)
	if errors.Is(err, ErrUnknown) {
		return known, nil
	}
	return lead, err
}

// deliver notes the delivery as the lead's. If it made another lead before, and
// not longer ago than within, that lead's id is returned and nothing noted.
//
// The unique key decides, so that of two that come at once one makes the lead.
func deliver(ctx context.Context, tx db.Tx, lead Lead, delivery string, within time.Duration) (earlier int64, err error) {
	at := lead.At.UnixMilli()
	stale := lead.At.Add(-within).UnixMilli()
	_, noted, err := db.One(ctx, tx, db.Only[int64], `INSERT INTO lead_deliveries (site_id, delivery, lead_id, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (site_id, delivery) DO UPDATE SET lead_id = excluded.lead_id, at = excluded.at WHERE lead_deliveries.at < $5
		RETURNING lead_id`, lead.SiteID, delivery, lead.ID, at, stale)
	if err != nil || noted {
		return 0, err
	}
	earlier, _, err = db.One(ctx, tx, db.Only[int64], `SELECT lead_id FROM lead_deliveries WHERE site_id = $1 AND delivery = $2`,
		lead.SiteID, delivery)
	return earlier, err
}

// forgotten is how many old deliveries each new lead clears away: more than the
// one that it adds, so that those of an idle year are gone soon, and few enough
// to cost it nothing.
const forgotten = 4

// forget deletes deliveries of the site that are older than DeliveryMemory.
func forget(ctx context.Context, tx db.Tx, lead Lead) error {
	oldest := `SELECT delivery FROM lead_deliveries WHERE site_id = $1 AND at < $2 ORDER BY at LIMIT $3`
	if tx.Engine() == db.Postgres {
		oldest += ` FOR UPDATE SKIP LOCKED` // another node is clearing those
	}
	_, err := tx.Exec(ctx, `DELETE FROM lead_deliveries WHERE site_id = $1 AND delivery IN (`+oldest+`)`,
		lead.SiteID, lead.At.Add(-DeliveryMemory).UnixMilli(), forgotten)
	return err
}

// delivery names what makes two submissions the same, and for how long it does.
func (s *Submission) delivery() (name string, within time.Duration, err error) {
	switch {
	case s.CallID != "":
		// Bound to the visitor, so that nobody's call is taken for another's.
		return fmt.Sprintf("call:%d:%s", s.Visitor, s.CallID), DeliveryMemory, nil
	case s.IdempotencyKey != "":
		// Bound to the page view, so that nobody can take a key from another.
		key := s.IdempotencyKey
		if len(key) > maxDelivery || !utf8.ValidString(key) {
			hash := sha256.Sum256([]byte(key))
			key = "sha256:" + base64.RawURLEncoding.EncodeToString(hash[:])
		}
		return fmt.Sprintf("key:%d:%s", s.Hit, key), DeliveryMemory, nil
	}
	content, err := json.Marshal(s)
	if err != nil {
		return "", 0, fmt.Errorf("comparing a lead with earlier ones: %w", err)
	}
	hash := sha256.Sum256(content)
	return fmt.Sprintf("same:%d:%s", s.Hit, base64.RawURLEncoding.EncodeToString(hash[:])), RepeatWindow, nil
}
