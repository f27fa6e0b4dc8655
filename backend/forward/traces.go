package forward

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Traces are what waits, or was refused, of a person's. Among the jobs these alone hold what somebody has written.
func (f *Forwards) Traces() trace.Subject {
	return trace.Subject{
		Find: findTraces,
		Tables: []trace.Table{
			{Name: "jobs", By: trace.Job, Where: `site_id = $1 AND id = $2`, JSON: []string{"payload"}},
			{Name: "jobs", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2 AND visitor_id <> 0`, JSON: []string{"payload"}},
		},
	}
}

// readAtOnce bounds how many items are looked through together.
const readAtOnce = 500

// findTraces looks through all items. There are few, but after an outage.
func findTraces(ctx context.Context, from db.Queries, m trace.Mark) (marks []trace.Mark, err error) {
	if m.Kind != trace.Phone && m.Kind != trace.Written && m.Kind != trace.Email {
		return nil, nil
	}
	type row struct {
		site, id int64
		payload  string
	}
	for last := int64(0); ; {
		rows, err := db.List(ctx, from, func(r *row) []any { return []any{&r.site, &r.id, &r.payload} },
			`SELECT site_id, id, payload FROM jobs WHERE kind = $1 AND id > $2 ORDER BY id LIMIT $3`, Kind, last, readAtOnce)
		if err != nil {
			return nil, fmt.Errorf("looking through what is to be forwarded: %w", err)
		}
		for _, r := range rows {
			last = r.id
			var item Item
			if json.Unmarshal([]byte(r.payload), &item) == nil && item.names(m) {
				marks = append(marks, trace.Mark{Kind: trace.Job, SiteID: r.site, ID: r.id})
			}
		}
		if len(rows) < readAtOnce {
			return marks, nil
		}
	}
}

// names tells whether the person of the mark stands in one of the texts.
func (i *Item) names(m trace.Mark) bool {
	return slices.ContainsFunc(i.texts(), func(text string) bool {
		if m.Kind == trace.Email {
			return strings.Contains(strings.ToLower(text), strings.ToLower(m.Text))
		}
		return strings.Contains(digits(text), m.Text)
	})
}

// texts are those that somebody may have written, as they were before they were encoded for their way.
func (i *Item) texts() (texts []string) {
	for _, fields := range []url.Values{i.Fields, i.Information} {
		for _, values := range fields {
			texts = append(texts, values...)
		}
	}
	if i.Call == nil {
		return texts
	}
	_, query, _ := strings.Cut(i.Call.Path, "?")
	for _, encoded := range []string{query, i.Call.Body} {
		texts = append(texts, encoded)
		if form, err := url.ParseQuery(encoded); err == nil {
			for _, values := range form {
				texts = append(texts, values...)
			}
		}
	}
	return texts
}

// digits is the text without the signs that stand between the digits of a number.
func digits(text string) string {
	return strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", ".", "", "/", "", "\u00a0", "", "\u2011", "", "\u2013", "").Replace(text)
}
