package lead

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Traces are what is kept of a person's leads.
func (l *Leads) Traces() trace.Subject {
	const ofLead = `site_id = $1 AND lead_id = $2`
	return trace.Subject{
		Find:  findTraces,
		Scrub: l.scrub,
		Tables: []trace.Table{
			{Name: "lead_requests", By: trace.Lead, Where: ofLead},
			{Name: "lead_deeds", By: trace.Lead, Where: ofLead, Texts: []string{"was", "said"}, Key: []string{"site_id", "lead_id", "id"}, Of: "lead_id"},
			{Name: "lead_numbers", By: trace.Lead, Where: ofLead},
			{Name: "lead_origins", By: trace.Lead, Where: ofLead},
			Tags.Trace(trace.Lead),
			{Name: "lead_marks", By: trace.Lead, Where: ofLead},
			{Name: "leads", By: trace.Lead, Where: `site_id = $1 AND id = $2`, JSON: []string{"user_fields"},
				Texts: append([]string{"name", "phone", "email", "message", "form_name", "user_fields", "url"}, source.WrittenColumns...), Key: []string{"site_id", "id"}, Of: "id"},
		},
	}
}

// plain is what is left of a column's text without the signs that stand between the digits of a number.
func plain(column string) string {
	for _, sign := range []string{" ", "-", "(", ")", ".", "+", "/", "\u00a0", "\u2011", "\u2013"} {
		column = `replace(` + column + `, '` + sign + `', '')`
	}
	return column
}

// findTraces finds leads by their contacts and visitors, and the leads with which one is merged.
func findTraces(ctx context.Context, from db.Queries, m trace.Mark) (marks []trace.Mark, err error) {
	ask := func(query string, args ...any) {
		if err != nil {
			return
		}
		type row struct{ site, id, visitor int64 }
		var rows []row
		rows, err = db.List(ctx, from, func(r *row) []any { return []any{&r.site, &r.id, &r.visitor} }, query, args...)
		for _, r := range rows {
			marks = append(marks, trace.Mark{Kind: trace.Lead, SiteID: r.site, ID: r.id})
			if r.visitor != 0 {
				marks = append(marks, trace.Mark{Kind: trace.Visitor, SiteID: r.site, ID: r.visitor})
			}
		}
	}
	const leads = `SELECT site_id, id, visitor_id FROM leads WHERE `
	switch m.Kind {
	case trace.Phone:
		ask(leads+`phone_digits = $1`, m.Text)
	case trace.Written: // also in the middle of a text
		ask(leads+`phone_digits = '' AND phone <> '' AND `+plain("phone")+` LIKE $1`, "%"+m.Text+"%")
	case trace.Email:
		ask(leads+`lower(email) = lower($1) AND email <> ''`, m.Text)
	case trace.Visitor:
		ask(leads+`site_id = $1 AND visitor_id = $2`, m.SiteID, m.ID)
	case trace.Lead:
		ask(leads+`site_id = $1 AND merged_into = $2 AND merged_into <> 0`, m.SiteID, m.ID)
		ask(leads+`site_id = $1 AND id = (SELECT merged_into FROM leads WHERE site_id = $1 AND id = $2)`, m.SiteID, m.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("finding a person's leads: %w", err)
	}
	return marks, nil
}
