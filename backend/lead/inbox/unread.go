package inbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Read is the kind of the journal's entry for leads that an operator has read. Its
// subject is the operator; its site is where, or 0 for all of them.
const Read = "lead.read"

// MaxUnread is how many unread leads are told of, the newest.
const MaxUnread = 200

// Unread returns the leads of the sites that the operator has not read, newest first, MaxUnread at most: those that
// came after the time, up to the place in the journal, which keeps a month. What has become spam or a part of another lead
// is not among them, as it is not in the list.
func (b *Inbox) Unread(ctx context.Context, operatorID int64, sites scope.Sites, since time.Time, upto journal.Position) ([]lead.Key, error) {
	type mark struct {
		site int64
		at   journal.Position
	}
	rows, err := db.List(ctx, b.db.Read(), func(m *mark) []any { return []any{&m.site, &m.at.Tx, &m.at.Seq} },
		`SELECT site_id, tx, seq FROM lead_read WHERE operator_id = $1`, operatorID)
	if err != nil {
		return nil, fmt.Errorf("reading what is read: %w", err)
	}
	marks := make(map[int64]journal.Position, len(rows))
	for _, m := range rows {
		marks[m.site] = m.at
	}
	entries, err := b.journal.LatestLeads(ctx, sites, marks[0], upto, 2*MaxUnread)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	opened, err := db.List(ctx, b.db.Read(), func(n *lead.Key) []any { return []any{&n.SiteID, &n.ID} },
		`SELECT site_id, lead_id FROM lead_opened WHERE operator_id = $1`, operatorID)
	if err != nil {
		return nil, fmt.Errorf("reading what is read: %w", err)
	}
	read := make(map[lead.Key]bool, len(opened))
	for _, n := range opened {
		read[n] = true
	}
	var unread []lead.Key
	for _, e := range entries {
		name := lead.Key{SiteID: e.SiteID, ID: e.SubjectID}
		if !read[name] && e.Behind(marks[e.SiteID]) && !e.At.Before(since) && len(unread) < MaxUnread && !lead.CameAsSpam(e) {
			unread = append(unread, name)
		}
	}
	return b.listed(ctx, unread)
}

// listed returns those of the leads that the list has, in their order.
func (b *Inbox) listed(ctx context.Context, leads []lead.Key) ([]lead.Key, error) {
	if len(leads) == 0 {
		return nil, nil
	}
	fields := func(k *lead.Key) []any { return []any{&k.SiteID, &k.ID} }
	set, args := db.Among(db.Padded(leads), fields, int64(lead.Spam))
	found, err := db.List(ctx, b.db.Read(), fields, `SELECT site_id, id FROM leads WHERE (site_id, id) IN (`+set+`) AND merged_into = 0 AND state <> $1`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading what is read: %w", err)
	}
	return slices.DeleteFunc(leads, func(k lead.Key) bool { return !slices.Contains(found, k) }), nil
}

// MarkRead notes that the operator has read all leads that are there now: of the site, or with siteID 0 of all.
func (b *Inbox) MarkRead(ctx context.Context, operatorID, siteID int64) error {
	end, err := b.journal.End(ctx)
	if err == nil {
		err = b.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM lead_opened WHERE operator_id = $1 AND (site_id = $2 OR $2 = 0)`, operatorID, siteID)
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `INSERT INTO lead_read (operator_id, site_id, tx, seq) VALUES ($1, $2, $3, $4)
				ON CONFLICT (operator_id, site_id) DO UPDATE SET tx = EXCLUDED.tx, seq = EXCLUDED.seq`, operatorID, siteID, end.Tx, end.Seq)
			if err != nil {
				return err
			}
			return b.noteRead(ctx, tx, operatorID, siteID)
		})
	}
	if err != nil {
		return fmt.Errorf("marking leads as read: %w", err)
	}
	return nil
}

// Open notes that the operator has read the lead.
func (b *Inbox) Open(ctx context.Context, operatorID int64, n lead.Key) error {
	err := b.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO lead_opened (operator_id, site_id, lead_id) VALUES ($1, $2, $3)
			ON CONFLICT (operator_id, site_id, lead_id) DO NOTHING`, operatorID, n.SiteID, n.ID)
		if err != nil {
			return err
		}
		return b.noteRead(ctx, tx, operatorID, n.SiteID)
	})
	if err != nil {
		return fmt.Errorf("marking a lead as read: %w", err)
	}
	return nil
}

func (b *Inbox) noteRead(ctx context.Context, tx db.Tx, operatorID, siteID int64) error {
	return journal.Append(ctx, tx, journal.Entry{SiteID: siteID, At: b.now(), Kind: Read, SubjectID: operatorID})
}
