package inbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Filter says which leads are meant. What is empty narrows nothing, but for Sites.
type Filter struct {
	Sites scope.Sites
	// Lagging leaves out what has been stored in the last seconds, see [db.DB.Lagging].
	Lagging bool
	// State, where it is nil, is any but [lead.Spam]; with a Search it is any.
	State *lead.State
	// Owner is the operator who has them, and a pointer to 0 nobody.
	Owner *int64
	// Source is the kind of the visitor's source, one of source.Kinds.
	Source string
	// Form is the name of the form.
	Form string
	// Tag is one of the tags.
	Tag string
	// Failed is of those alone of which the site has failed, see [lead.Lead.SiteError].
	Failed bool
	// Among has the leads of which alone they are; nil for any.
	Among []lead.Key
	// Number is one of a pool that the sender had, as digits.
	Number string
	// From and To bound the amount of sales, as decimals with a point; both belong to it.
	From, To string
	// Since and Until are when they came: not before, and before.
	Since, Until time.Time
	// Search is what somebody has typed: each of its words begins a word of the lead's texts or is
	// a part of its contacts, and a telephone number is found in any writing.
	Search string
}

// ErrAmount is returned for an amount that is none.
var ErrAmount = errors.New("an amount is a decimal such as 1500 or 1500.50")

var amountForm = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,4})?$`)

// Check tells what is wrong with the filter: ErrAmount, or what [search.Read] says.
func (f Filter) Check() error {
	for _, amount := range []string{f.From, f.To} {
		if amount != "" && !amountForm.MatchString(amount) {
			return ErrAmount
		}
	}
	_, err := search.Read(f.Search)
	return err
}

// condition is one on the leads, of which the table is leads.
type condition struct {
	sql  string
	args []any
}

// marks are the numbers of arguments, which a [query] gives anew.
var marks = regexp.MustCompile(`\$[0-9]+`)

// saleAmount is a lead's sale_cost as a number, NULL where there is none.
const saleAmount = `CAST(NULLIF(sale_cost, '') AS NUMERIC)`

// conditions are those of the filter on columns that indexes of leads by their times have.
func (f Filter) conditions() []condition {
	all := []condition{{sql: `merged_into = 0`}}
	add := func(sql string, args ...any) { all = append(all, condition{sql, args}) }
	switch {
	case f.State != nil:
		add(`state = ?`, int64(*f.State))
	case f.Search == "":
		add(`state <> ?`, int64(lead.Spam))
	}
	if f.Owner != nil {
		add(`owner_id = ?`, *f.Owner)
	}
	if f.Source != "" {
		add(`source_kind = ?`, f.Source)
	}
	if f.Form != "" {
		add(`form_name = ?`, f.Form)
	}
	if f.Tag != "" {
		add(lead.Tags.Has(`?`), f.Tag)
	}
	if f.Failed {
		add(`site_error <> 0`)
	}
	if len(f.Among) > 0 {
		set, args := db.Among(db.Padded(f.Among), func(k *lead.Key) []any { return []any{&k.SiteID, &k.ID} })
		add(`(leads.site_id, leads.id) IN (`+marks.ReplaceAllString(set, `?`)+`)`, args...)
	}
	if f.From != "" {
		add(saleAmount+` >= CAST(? AS NUMERIC)`, f.From)
	}
	if f.To != "" {
		add(saleAmount+` <= CAST(? AS NUMERIC)`, f.To)
	}
	return all
}

// times writes that the column has a time of the filter.
func (f Filter) times(q *query, column string) {
	if !f.Since.IsZero() {
		q.add(` AND `+column+` >= ?`, f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		q.add(` AND `+column+` < ?`, f.Until.UnixMilli())
	}
}

// query is a query that is being written, with its arguments.
type query struct {
	text strings.Builder
	args []any
}

// add writes a part, with a value for each "?" in it.
func (q *query) add(sql string, args ...any) {
	for part := range strings.SplitAfterSeq(sql, "?") {
		if before, is := strings.CutSuffix(part, "?"); is {
			q.args = append(q.args, args[0])
			args = args[1:]
			part = before + "$" + strconv.Itoa(len(q.args))
		}
		q.text.WriteString(part)
	}
}

// all writes the conditions, each behind an AND.
func (q *query) all(conditions ...condition) {
	for _, c := range conditions {
		q.add(` AND `+c.sql, c.args...)
	}
}

// MaxForms is how many names of forms are returned.
const MaxForms = 100

// Forms are the names of the forms of the sites, which have to be named, in order, MaxForms at most.
func (b *Inbox) Forms(ctx context.Context, sites scope.Sites) ([]string, error) {
	forms := make(map[string]bool)
	ids := sites.IDs()
	for _, id := range ids[:min(len(ids), severalSites)] {
		// The index is asked for the next name behind each.
		names, err := db.List(ctx, b.db.Read(), db.Only[string], fmt.Sprintf(`WITH RECURSIVE next(name, n) AS (
			SELECT (SELECT MIN(form_name) FROM leads WHERE merged_into = 0 AND site_id = $1 AND form_name <> ''), 1
			UNION ALL SELECT (SELECT MIN(form_name) FROM leads WHERE merged_into = 0 AND site_id = $1 AND form_name <> '' AND form_name > next.name), n + 1 FROM next WHERE next.name IS NOT NULL AND n < %d)
			SELECT name FROM next WHERE name IS NOT NULL`, MaxForms), id)
		if err != nil {
			return nil, fmt.Errorf("reading the names of forms: %w", err)
		}
		for _, name := range names {
			forms[name] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(forms))
	return sorted[:min(len(sorted), MaxForms)], nil
}

// Tags are the tags of the leads of the sites; see [tag.Table.Known].
func (b *Inbox) Tags(ctx context.Context, sites scope.Sites) ([]string, error) {
	return lead.Tags.Known(ctx, b.db.Read(), sites)
}
