package lead

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/repeat"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
)

// A form may come by several ways: the script of the page tells of it, the proxy sees it pass, and the site's server
// calls. Within [repeat.Window], what one visitor sends by different ways and with the same phone or e-mail is one
// request. Two sales of different amounts are two. A form that the site has answered with an error, and then takes,
// perhaps as the visitor has mended a field, is one request as well.

// joined is the lead of a visitor that another one, which comes by another way, becomes a part of.
type joined struct {
	ready  // with what the other one adds to it
	before version
}

// version differs when a lead has changed meanwhile: whatever changes its texts changes also or siteError.
type version struct {
	id        int64
	also      string
	siteError int
	isSale    bool
	cost      string
}

// other finds the lead that the visitor has just sent by another way, or by a form of which the site has failed. Its
// columns go where fields says.
func other[T any](ctx context.Context, from db.Queries, lead Lead, columns string, fields func(*T) []any) (found T, is bool, err error) {
	if lead.Visitor == 0 || lead.Email == "" && lead.Phone == "" {
		return found, false, nil // it may be anybody's
	}
	return db.One(ctx, from, fields, `SELECT `+columns+` FROM leads
		WHERE site_id = $1 AND visitor_id = $2 AND at >= $3
			AND (origin <> $4 AND NOT EXISTS (SELECT 1 FROM lead_origins o WHERE o.site_id = leads.site_id AND o.lead_id = leads.id AND o.origin = $4)
				OR origin = $4 AND site_error <> 0 AND $9)
			AND ($5 <> '' AND email = $5 OR $6 <> '' AND phone_digits = $6 OR $7 <> '' AND phone = $7)
			AND (sale_cost = '' OR $8 = '' OR sale_cost = $8)
		ORDER BY at DESC, id DESC LIMIT 1`,
		lead.SiteID, int64(lead.Visitor), lead.At.Add(-repeat.Window).UnixMilli(), lead.Origin, lead.Email, lead.PhoneDigits, lead.Phone, lead.SaleCost,
		lead.Origin == Form && lead.SiteError == 0)
}

// joinedBy is the lead that the lead becomes a part of; nil where there is none. Nothing is lost: what the earlier one
// does not have is added to it.
func joinedBy(ctx context.Context, from db.Queries, lead Lead) (*joined, error) {
	found, is, err := other(ctx, from, lead, columns, (*row).fields)
	if err != nil || !is {
		return nil, err
	}
	if err := found.complete(); err != nil {
		return nil, err
	}
	whole := found.Lead
	whole.add(lead)
	r, err := whole.ready()
	return &joined{r, version{found.ID, found.also, found.SiteError, found.IsSale, found.SaleCost}}, err
}

// stale tells whether the lead joins another one than j by now, or has been joined by a third. Nil is none.
func stale(ctx context.Context, tx db.Tx, lead Lead, j *joined) (bool, error) {
	if lead.Visitor != 0 && (lead.Email != "" || lead.Phone != "") {
		// On another node the same may be under way.
		if err := tx.Lock(ctx, int64(lead.Visitor)); err != nil {
			return false, err
		}
	}
	found, is, err := other(ctx, tx, lead, `id, `+alsoColumn+`, site_error, is_sale, sale_cost`, func(v *version) []any {
		return []any{&v.id, &v.also, &v.siteError, &v.isSale, &v.cost}
	})
	if err != nil || j == nil {
		return is, err
	}
	return !is || found != j.before, nil
}

// store stores what was added to the lead, as whose the request counts.
func (j *joined) store(ctx context.Context, tx db.Tx, request repeat.Request) error {
	if _, err := tx.Exec(ctx, `UPDATE leads SET name = $3, email = $4, phone = $5, phone_digits = $6, phone_extension = $7, message = $8,
			is_sale = $9, sale_cost = $10, group_id = $11, form_name = $12, user_fields = $13, url = $14, message_hash = $15, site_error = $16
		WHERE site_id = $1 AND id = $2`, j.SiteID, j.ID, j.Name, j.Email, j.Phone, j.PhoneDigits,
		j.PhoneExtension, j.Message, j.IsSale, j.SaleCost, j.GroupID, j.FormName, j.userFields, j.URL, j.hash, j.SiteError); err != nil {
		return err
	}
	if err := j.keepLists(ctx, tx); err != nil {
		return err
	}
	return request.Count(ctx, tx, j.ID)
}

// add adds what came by another way, or by the same form when the site took it.
func (l *Lead) add(other Lead) {
	fields := maps.Clone(other.UserFields)
	if fields == nil {
		fields = make(map[string]string)
	}
	if other.Origin == l.Origin {
		l.mend(&other, fields)
	} else {
		l.Also = append(l.Also, other.Origin)
	}
	if other.Origin == Form {
		l.SiteError = other.SiteError
	}
	for _, mark := range other.Marks {
		l.mark(mark)
	}
	if l.Phone == "" {
		l.Phone, l.PhoneDigits, l.PhoneExtension = other.Phone, other.PhoneDigits, other.PhoneExtension
	}
	if other.IsSale && !l.IsSale {
		l.IsSale, l.SaleCost = true, other.SaleCost
	}
	l.Name, l.Email, l.FormName, l.URL = cmp.Or(l.Name, other.Name), cmp.Or(l.Email, other.Email), cmp.Or(l.FormName, other.FormName), cmp.Or(l.URL, other.URL)
	l.GroupID = cmp.Or(l.GroupID, other.GroupID)
	if strings.TrimSpace(l.Message) == "" {
		l.Message = other.Message
	} else if said := strings.TrimSpace(other.Message); said != "" && said != strings.TrimSpace(l.Message) {
		fields[submission.Free(fields, "message")] = other.Message
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if l.UserFields == nil {
			l.UserFields = make(map[string]string)
		}
		if value := fields[name]; l.UserFields[name] != value && len(l.UserFields) < submission.MaxUserFields {
			l.UserFields[submission.Free(l.UserFields, name)] = value
		}
	}
}

// mend takes what the other one says, by the same form and later. What it said differently before goes to the fields
// and to the other one.
func (l *Lead) mend(other *Lead, fields map[string]string) {
	if strings.TrimSpace(other.Message) != "" {
		l.Message, other.Message = other.Message, l.Message
	}
	for _, f := range []struct {
		name     string
		was, now *string
	}{{"name", &l.Name, &other.Name}, {"email", &l.Email, &other.Email}, {"phone", &l.Phone, &other.Phone}} {
		if *f.now == "" || *f.now == *f.was {
			continue
		}
		if *f.was != "" {
			fields[submission.Free(fields, f.name)] = *f.was
		}
		*f.was = *f.now
		if f.name == "phone" {
			l.PhoneDigits, l.PhoneExtension = other.PhoneDigits, other.PhoneExtension
		}
	}
}
