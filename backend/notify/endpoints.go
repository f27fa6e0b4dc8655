package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/signature"
)

// Kinds of the journal's entries about endpoints. Their subject is the endpoint, and their
// data {"by", "name"}: who did it, and the endpoint's host or address.
const (
	EndpointAdded   = "site.endpoint_added"
	EndpointChanged = "site.endpoint_changed"
	EndpointPaused  = "site.endpoint_paused"
	EndpointResumed = "site.endpoint_resumed"
	EndpointGone    = "site.endpoint_gone" // by its receiver
	EndpointRemoved = "site.endpoint_removed"
	SecretChanged   = "site.endpoint_secret"
	EndpointTested  = "site.endpoint_tested"
)

// ErrUnknown is returned for an endpoint that is not there, or a delivery.
var ErrUnknown = errors.New("unknown endpoint")

// ErrChanged is returned for a change of an endpoint that somebody else has changed meanwhile.
var ErrChanged = errors.New("the endpoint has been changed by somebody else meanwhile")

// ErrTooMany is returned for one endpoint more than [MaxEndpoints].
var ErrTooMany = fmt.Errorf("a site has at most %d endpoints", MaxEndpoints)

// Endpoints keeps where the news of all sites goes. It is safe for concurrent use.
type Endpoints struct {
	db       *db.DB
	settings func() Settings
	now      func() time.Time
	resumed  func(context.Context) error // sends what has waited
	outlet   func() Outlet
}

// endpointRow is a row of the endpoints' table.
type endpointRow struct {
	Endpoint
	events                   string
	created, paused, earlier int64
}

const endpointColumns = `site_id, id, kind, address, events, language, subject, template, content_type, settings, secret, earlier_secret, earlier_until, version, created_at, begun, paused_at, gone`

func (r *endpointRow) fields() []any {
	return []any{&r.SiteID, &r.ID, &r.Kind, &r.Address, &r.events, &r.Language, &r.Subject, &r.Template, &r.ContentType, &r.Endpoint.Settings, &r.secret, &r.Endpoint.earlier, &r.earlier,
		&r.Version, &r.created, &r.Endpoint.begun, &r.paused, &r.Gone}
}

func (r *endpointRow) endpoint() Endpoint {
	e := r.Endpoint
	for name := range strings.FieldsSeq(r.events) {
		e.Events = append(e.Events, Event(name))
	}
	if e.IsOut() {
		e.Credential = e.secret
	}
	e.CreatedAt, e.PausedAt, e.EarlierUntil = db.Time(r.created), db.Time(r.paused), db.Time(r.earlier)
	return e
}

// written is the list as it is stored.
func written(events []Event) string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = string(e)
	}
	return strings.Join(names, " ")
}

// endpoints are those of the site, oldest first.
func endpoints(ctx context.Context, from db.Queries, siteID int64) ([]Endpoint, error) {
	rows, err := db.List(ctx, from, (*endpointRow).fields, `SELECT `+endpointColumns+` FROM endpoints WHERE site_id = $1 ORDER BY id`, siteID)
	if err != nil {
		return nil, fmt.Errorf("reading endpoints: %w", err)
	}
	list := make([]Endpoint, len(rows))
	for i := range rows {
		list[i] = rows[i].endpoint()
	}
	return list, nil
}

// endpoint is one of the site, or ErrUnknown.
func endpoint(ctx context.Context, from db.Queries, siteID, id int64) (Endpoint, error) {
	row, found, err := db.One(ctx, from, (*endpointRow).fields, `SELECT `+endpointColumns+` FROM endpoints WHERE site_id = $1 AND id = $2`, siteID, id)
	switch {
	case err != nil:
		return Endpoint{}, fmt.Errorf("reading an endpoint: %w", err)
	case !found:
		return Endpoint{}, ErrUnknown
	}
	return row.endpoint(), nil
}

// List returns the endpoints of the site, oldest first.
func (a *Endpoints) List(ctx context.Context, siteID int64) ([]Endpoint, error) {
	return endpoints(ctx, a.db.Read(), siteID)
}

// Get returns an endpoint of the site, or [ErrUnknown].
func (a *Endpoints) Get(ctx context.Context, siteID, id int64) (Endpoint, error) {
	return endpoint(ctx, a.db.Read(), siteID, id)
}

// Sites returns the sites that have endpoints of outlets.
func (a *Endpoints) Sites(ctx context.Context) ([]int64, error) {
	sites, err := db.List(ctx, a.db.Read(), db.Only[int64], `SELECT DISTINCT site_id FROM endpoints WHERE kind NOT IN ($1, $2)`, string(Webhook), string(Mail))
	if err != nil {
		return nil, fmt.Errorf("reading which sites have endpoints: %w", err)
	}
	return sites, nil
}

// Check returns an [Invalid] for the first thing that is wrong with the endpoint.
func (a *Endpoints) Check(e Endpoint) error {
	if out := a.outlet(); out != nil && e.IsOut() {
		return out.Check(e)
	}
	return e.Check(a.settings().Allowed)
}

// Add adds the endpoint to its site, and returns it with the secret that signs its messages, which is not shown again;
// a mail address has none. by is the login of who did it. The error may be an [Invalid] or [ErrTooMany].
func (a *Endpoints) Add(ctx context.Context, e Endpoint, by string) (made Endpoint, secret string, err error) {
	if err := a.Check(e); err != nil {
		return Endpoint{}, "", err
	}
	ids := a.db.Sequence("endpoints", 1)
	if e.ID, err = ids.Next(ctx); err != nil {
		return Endpoint{}, "", fmt.Errorf("adding an endpoint: %w", err)
	}
	if e.Kind == Webhook {
		secret = signature.NewSecret()
	}
	e.secret, e.earlier, e.Version, e.CreatedAt = cmp.Or(secret, e.Credential), "", 1, a.now()
	err = a.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error { return a.insert(ctx, tx, e, by) })
	switch {
	case errors.Is(err, ErrTooMany):
		return Endpoint{}, "", err
	case err != nil:
		return Endpoint{}, "", fmt.Errorf("adding an endpoint: %w", err)
	}
	return e, secret, nil
}

// insert adds the endpoint with its secret.
func (a *Endpoints) insert(ctx context.Context, tx db.Tx, e Endpoint, by string) error {
	there, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM endpoints WHERE site_id = $1`, e.SiteID)
	switch {
	case err != nil:
		return err
	case there >= MaxEndpoints:
		return ErrTooMany
	}
	if _, err := tx.Exec(ctx, `INSERT INTO endpoints (`+endpointColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', 0, 1, $12, FALSE, 0, FALSE)`,
		e.SiteID, e.ID, string(e.Kind), e.Address, written(e.Events), e.Language, e.Subject, e.Template, e.ContentType, e.Settings, e.secret, db.Millis(e.CreatedAt)); err != nil {
		return err
	}
	return a.append(ctx, tx, e, EndpointAdded, by)
}

// Put adds the endpoint, which has been checked, in a transaction, with the secret that signs its messages or by which an
// outlet proves itself. It does nothing if the site has one of the kind at the address. The error may be [ErrTooMany].
func (a *Endpoints) Put(ctx context.Context, tx db.Tx, e Endpoint, secret, by string) (added bool, err error) {
	same, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM endpoints WHERE site_id = $1 AND kind = $2 AND address = $3`, e.SiteID, string(e.Kind), e.Address)
	if err != nil || same > 0 {
		return false, err
	}
	if e.ID, err = a.db.Sequence("endpoints", 1).Take(ctx, tx, 1); err != nil {
		return false, err
	}
	e.secret, e.Version, e.CreatedAt = secret, 1, a.now()
	return true, a.insert(ctx, tx, e, by)
}

// append notes what was done to the endpoint.
func (a *Endpoints) append(ctx context.Context, tx db.Tx, e Endpoint, kind, by string) error {
	data, err := json.Marshal(map[string]string{"by": by, "name": e.Host()})
	if err != nil {
		return err
	}
	return journal.Append(ctx, tx, journal.Entry{SiteID: e.SiteID, At: a.now(), Kind: kind, SubjectID: e.ID, Data: data})
}

// change changes an endpoint of the site in one transaction and notes it by kind; f changes the row, and may refuse.
func (a *Endpoints) change(ctx context.Context, siteID, id int64, kind, by string, f func(ctx context.Context, tx db.Tx, e Endpoint) error) error {
	err := a.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		e, err := endpoint(ctx, tx, siteID, id)
		if err != nil {
			return err
		}
		if err := f(ctx, tx, e); err != nil {
			return err
		}
		return a.append(ctx, tx, e, kind, by)
	})
	if err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrChanged) {
		return fmt.Errorf("changing an endpoint: %w", err)
	}
	return err
}

// Change stores what the endpoint is to be, over the version that it was made from. Its
// kind stays. The error may be an [Invalid], [ErrUnknown] or [ErrChanged].
func (a *Endpoints) Change(ctx context.Context, e Endpoint, by string) error {
	if err := a.Check(e); err != nil {
		return err
	}
	return a.change(ctx, e.SiteID, e.ID, EndpointChanged, by, func(ctx context.Context, tx db.Tx, _ Endpoint) error {
		changed, err := tx.Exec(ctx, `UPDATE endpoints SET address = $1, events = $2, language = $3, subject = $4, template = $5, content_type = $6, settings = $7,
			secret = CASE WHEN $8 = '' THEN secret ELSE $8 END, version = version + 1 WHERE site_id = $9 AND id = $10 AND version = $11 AND kind = $12`,
			e.Address, written(e.Events), e.Language, e.Subject, e.Template, e.ContentType, e.Settings, e.Credential, e.SiteID, e.ID, e.Version, string(e.Kind))
		if err == nil && changed == 0 {
			return ErrChanged
		}
		return err
	})
}

// Rotate gives the webhook another secret, which is not shown again. The one before signs
// beside it for [EarlierHolds], or until [Endpoints.EndEarlier].
func (a *Endpoints) Rotate(ctx context.Context, siteID, id int64, by string) (secret string, err error) {
	secret = signature.NewSecret()
	return secret, a.change(ctx, siteID, id, SecretChanged, by, func(ctx context.Context, tx db.Tx, e Endpoint) error {
		if e.Kind != Webhook {
			return ErrUnknown
		}
		_, err := tx.Exec(ctx, `UPDATE endpoints SET earlier_secret = secret, earlier_until = $1, secret = $2 WHERE site_id = $3 AND id = $4`,
			a.now().Add(EarlierHolds).UnixMilli(), secret, siteID, id)
		return err
	})
}

// EndEarlier ends the earlier secret of the webhook.
func (a *Endpoints) EndEarlier(ctx context.Context, siteID, id int64, by string) error {
	return a.change(ctx, siteID, id, SecretChanged, by, func(ctx context.Context, tx db.Tx, _ Endpoint) error {
		_, err := tx.Exec(ctx, `UPDATE endpoints SET earlier_secret = '', earlier_until = 0 WHERE site_id = $1 AND id = $2`, siteID, id)
		return err
	})
}

// Pause has nothing sent to the endpoint; what happens meanwhile waits. With paused false
// it goes on, also when its receiver had said that it is gone, and gets what waits.
func (a *Endpoints) Pause(ctx context.Context, siteID, id int64, paused bool, by string) error {
	kind, at := EndpointResumed, int64(0)
	if paused {
		kind, at = EndpointPaused, a.now().UnixMilli()
	}
	err := a.change(ctx, siteID, id, kind, by, func(ctx context.Context, tx db.Tx, e Endpoint) error {
		if err := incident.End(ctx, tx, siteID, incident.Endpoint, e.about(), a.now()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE endpoints SET paused_at = $1, gone = FALSE WHERE site_id = $2 AND id = $3`, at, siteID, id)
		return err
	})
	if err == nil && !paused {
		err = a.resumed(ctx)
	}
	return err
}

// Remove removes the endpoint, with what waits for it and its log.
func (a *Endpoints) Remove(ctx context.Context, siteID, id int64, by string) error {
	return a.change(ctx, siteID, id, EndpointRemoved, by, func(ctx context.Context, tx db.Tx, e Endpoint) error {
		if err := incident.End(ctx, tx, siteID, incident.Endpoint, e.about(), a.now()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM endpoints WHERE site_id = $1 AND id = $2`, siteID, id)
		return err
	})
}

// Try has a test sent to the endpoint, on the way of all news.
func (a *Endpoints) Try(ctx context.Context, siteID, id int64, by string) error {
	return a.change(ctx, siteID, id, EndpointTested, by, func(context.Context, db.Tx, Endpoint) error { return nil })
}
