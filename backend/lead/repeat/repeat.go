// Package repeat knows a submission again that is delivered more than once.
package repeat

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
)

const (
	// Window is how long the same content from the same page view counts as the same lead, when the sender does not say
	// which request it is.
	Window = 10 * time.Minute
	// Memory is for how long the id of a call, or the key that a server chose, is remembered. Senders repeat what failed
	// for hours at most.
	Memory = 30 * 24 * time.Hour
	// forgotten is how many old requests each new lead clears away: more than the one that it adds, so that those of an
	// idle year are gone soon, and few enough to cost it nothing.
	forgotten = 4
	// maxName is the size in bytes of the name of a request. The hash of a longer one is its name.
	maxName = 255
)

// Request is what makes two submissions the same.
type Request struct {
	siteID, leadID int64
	name           string
	within         time.Duration // for how long it does
	at             time.Time
}

// Of returns the request of a submission that would become the lead with that id at that time. named says that its
// FormKey names the client as well.
func Of(s *submission.Submission, leadID int64, at time.Time, named bool) (Request, error) {
	r := Request{siteID: s.SiteID, leadID: leadID, within: Memory, at: at}
	var err error
	switch {
	case s.FormKey != "" && named:
		r.name, r.within = "form:"+short(s.FormKey), Window
	case s.FormKey != "":
		r.name, r.within = fmt.Sprintf("form:%d:%s", s.Visitor, short(s.FormKey)), Window
	case s.Call != 0:
		r.name = fmt.Sprintf("telephone:%d", s.Call)
	case s.CallID != "":
		// Bound to the visitor, so that nobody's call is taken for another's.
		r.name = fmt.Sprintf("call:%d:%s", s.Visitor, s.CallID)
	case s.IdempotencyKey != "" && s.By != "":
		r.name = "program:" + short(s.IdempotencyKey)
	case s.IdempotencyKey != "":
		// Bound to the page view, so that nobody can take a key from another.
		r.name = fmt.Sprintf("key:%d:%s", s.View, short(s.IdempotencyKey))
	default:
		var content string
		content, err = s.Content()
		r.name, r.within = fmt.Sprintf("same:%d:%s", s.View, content), Window
	}
	return r, err
}

// Note notes the request as its lead's. If it made another lead before that is not too old, that lead's id is returned
// and nothing noted.
//
// The unique key decides, so that of two that come at once one makes the lead.
func (r Request) Note(ctx context.Context, tx db.Tx) (earlier int64, err error) {
	_, noted, err := db.One(ctx, tx, db.Only[int64], `INSERT INTO lead_requests (site_id, request, lead_id, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (site_id, request) DO UPDATE SET lead_id = excluded.lead_id, at = excluded.at WHERE lead_requests.at < $5
		RETURNING lead_id`, r.siteID, r.name, r.leadID, r.at.UnixMilli(), r.at.Add(-r.within).UnixMilli())
	if err != nil || noted {
		return 0, err
	}
	earlier, _, err = db.One(ctx, tx, db.Only[int64], `SELECT lead_id FROM lead_requests WHERE site_id = $1 AND request = $2`, r.siteID, r.name)
	return earlier, err
}

// Count has the request, which is noted, count as another lead's.
func (r Request) Count(ctx context.Context, tx db.Tx, leadID int64) error {
	return tx.Send(ctx, `UPDATE lead_requests SET lead_id = $3 WHERE site_id = $1 AND request = $2`, r.siteID, r.name, leadID)
}

// Forget deletes some requests of the site that are older than [Memory].
func (r Request) Forget(ctx context.Context, tx db.Tx) error {
	// Another node may be clearing some.
	return tx.Send(ctx, `DELETE FROM lead_requests WHERE site_id = $1 AND request IN (
			SELECT request FROM lead_requests WHERE site_id = $1 AND at < $2 ORDER BY at LIMIT $3 FOR UPDATE SKIP LOCKED)`,
		r.siteID, r.at.Add(-Memory).UnixMilli(), forgotten)
}

// short is the key, or its hash where it is long.
func short(key string) string {
	if len(key) > maxName || !utf8.ValidString(key) {
		hash := sha256.Sum256([]byte(key))
		return "sha256:" + base64.RawURLEncoding.EncodeToString(hash[:])
	}
	return key
}
