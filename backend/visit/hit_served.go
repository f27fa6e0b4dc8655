package visit

import (
	"context"
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// A view may be stored when its page is sent. The script then reports the view under a nonce of its own, and names the
// nonce of the page. The first report that does so takes the view over. A cached page names a view that was taken over
// already, or a view of another visitor.

// join lets the report take over the visitor's view that was stored when the page was sent, and adds to the view what
// only the script knows. The result is not repeated if there is no such view.
func (a *arriving) join(ctx context.Context, tx db.Tx, visitor int64) (stay, error) {
	if a.served == "" {
		return stay{}, nil
	}
	visit, err := a.latestOf(ctx, tx, visitor)
	if err != nil {
		return stay{}, err
	}
	views, taken, err := db.One(ctx, tx, db.Only[recent], `UPDATE visits SET last_at = CASE WHEN last_at > $3 THEN last_at ELSE $3 END, recent = replace(recent, $4, $5)
		WHERE site_id = $1 AND id = $2 AND recent LIKE $6 RETURNING recent`,
		a.siteID, visit, a.at, string(a.served), string(a.mark), "%"+string(a.served)+"%")
	if err != nil || !taken {
		return stay{}, err
	}
	s := stay{row: row{visitor, visit, views.find(a.mark)}, repeated: true}
	// The address stays that of the request, which has the source, since scripts of a site may remove it. Only the
	// fragment is added, which servers do not see.
	s.at, _, err = db.One(ctx, tx, db.Only[int64], `UPDATE views SET title = $4, url = CASE WHEN substr(CAST($5 AS TEXT), 1, length(url) + 1) = url || '#' THEN $5 ELSE url END
		WHERE site_id = $1 AND visit_id = $2 AND id = $3 RETURNING at`, a.siteID, visit, s.view, a.Title, a.URL)
	if err == nil && !a.bot {
		tx.Wake(LiveTopic)
	}
	return s, err
}

// ofServed finds the view of a visitor whose browser sends no cookie, by the nonce of the page. It does so for at least
// ten minutes. The result is not repeated if there is no such view.
func (a *arriving) ofServed(ctx context.Context, tx db.Tx) (stay, error) {
	if a.served == "" || a.visitor != 0 {
		return stay{}, nil
	}
	tx.Alone() // the visitor may be opening another page now
	visitor, err := a.arrivedWith(ctx, tx, a.served)
	if err != nil || visitor == 0 {
		return stay{}, err
	}
	s, err := a.join(ctx, tx, visitor)
	if err == nil && !s.repeated {
		var last latest
		if last, err = a.latest(ctx, tx, visitor); err == nil {
			s, err = a.again(ctx, tx, visitor, last)
		}
	}
	if errors.Is(err, ErrUnknown) || err == nil && !s.repeated {
		a.marked = false
		return stay{}, nil
	}
	return s, err
}
