package lead

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// A form may come by several ways: the script of the page tells of it, the proxy sees it pass, and the
// site's server calls. Within RepeatWindow, what one visitor sends by different ways and with the same
// phone or e-mail is one request. Two sales of different amounts are two.

// join makes the lead a part of the one that the visitor has just sent by another way, and returns that
// one's id; 0 where there is none. Nothing is lost: what the earlier one does not have is added to it.
func (l *Leads) join(ctx context.Context, tx db.Tx, lead Lead, delivery string) (earlier int64, err error) {
	if lead.Visitor == 0 || lead.Email == "" && lead.Phone == "" {
		return 0, nil // it may be anybody's
	}
	// On another node the same may be under way.
	if err := tx.Lock(ctx, l.visits.Key(lead.Visitor)); err != nil {
		return 0, err
	}
	found, is, err := db.One(ctx, tx, (*row).fields, `SELECT `+columns+` FROM leads
		WHERE site_id = $1 AND visitor_id = $2 AND at >= $3 AND origin <> $4 AND ' ' || also || ' ' NOT LIKE $5
			AND ($6 <> '' AND email = $6 OR $7 <> '' AND phone_digits = $7 OR $8 <> '' AND phone = $8)
			AND (sale_cost = '' OR $9 = '' OR sale_cost = $9)
		ORDER BY at DESC, id DESC LIMIT 1`,
		lead.SiteID, int64(lead.Visitor), lead.At.Add(-RepeatWindow).UnixMilli(), lead.Origin, "% "+lead.Origin+" %", lead.Email, lead.PhoneDigits, lead.Phone, lead.SaleCost)
	if err != nil || !is {
		return 0, err
	}
	if err := found.complete(); err != nil {
		return 0, err
	}
	whole := found.Lead
	whole.add(lead)
	userFields, err := json.Marshal(whole.UserFields)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `UPDATE leads SET also = $3, name = $4, email = $5, phone = $6, phone_digits = $7, phone_extension = $8, message = $9,
			is_sale = $10, sale_cost = $11, group_id = $12, form_name = $13, user_fields = $14, url = $15, marks = $16, message_hash = $17
		WHERE site_id = $1 AND id = $2`, whole.SiteID, whole.ID, strings.Join(whole.Also, " "), whole.Name, whole.Email, whole.Phone, whole.PhoneDigits,
		whole.PhoneExtension, whole.Message, whole.IsSale, whole.SaleCost, whole.GroupID, whole.FormName, string(userFields), whole.URL, strings.Join(whole.Marks, ","), hashOf(whole.Message)); err != nil {
		return 0, err
	}
	if err := l.index(ctx, tx, whole); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `UPDATE lead_deliveries SET lead_id = $3 WHERE site_id = $1 AND delivery = $2`, whole.SiteID, delivery, whole.ID)
	return whole.ID, err
}

// add adds what came by another way.
func (l *Lead) add(other Lead) {
	l.Also = append(l.Also, other.Origin)
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
	fields := maps.Clone(other.UserFields)
	if strings.TrimSpace(l.Message) == "" {
		l.Message = other.Message
	} else if said := strings.TrimSpace(other.Message); said != "" && said != strings.TrimSpace(l.Message) {
		if fields == nil {
			fields = make(map[string]string)
		}
		fields[free(fields, "message")] = other.Message
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if l.UserFields == nil {
			l.UserFields = make(map[string]string)
		}
		if value := fields[name]; l.UserFields[name] != value && len(l.UserFields) < maxUserFields {
			l.UserFields[free(l.UserFields, name)] = value
		}
	}
}
