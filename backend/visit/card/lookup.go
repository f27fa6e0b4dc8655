package card

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

const (
	// maxNamed is how many visitors with a name are looked through, the latest first.
	maxNamed = 20_000
	// leastDigits is how many digits a number has at least that visitors are found by.
	leastDigits = 7
)

// LookUp returns visitors of the sites whose name has the words, in any case, or whose telephone number or address is the
// text: at most limit, the latest first, without what has come in the last seconds. regions are the countries, such as "RU", by which a number is read.
func (cards *Cards) LookUp(ctx context.Context, sites scope.Sites, typed string, regions []string, limit int) ([]Of, error) {
	words := strings.Fields(strings.ToLower(typed))
	if len(words) == 0 {
		return nil, nil
	}
	type row struct {
		site, visitor int64
		name          string
	}
	values := contactsOf(strings.ToLower(strings.TrimSpace(typed)), regions)
	marks, args := make([]string, len(values)), make([]any, len(values))
	for i, value := range values {
		marks[i], args[i] = fmt.Sprintf("$%d", i+1), value
	}
	from := cards.db.Lagging()
	found, err := db.List(ctx, from, func(r *row) []any { return []any{&r.site, &r.visitor} },
		`SELECT site_id, visitor_id FROM contacts WHERE lower(value) IN (`+strings.Join(marks, ", ")+`) AND `+sites.SQL("site_id")+fmt.Sprintf(` LIMIT %d`, limit), args...)
	if err != nil {
		return nil, fmt.Errorf("looking for visitors by contacts: %w", err)
	}
	named, err := db.List(ctx, from, func(r *row) []any { return []any{&r.site, &r.visitor, &r.name} },
		`SELECT site_id, id, name FROM visitors WHERE name <> '' AND `+sites.SQL("site_id")+fmt.Sprintf(` ORDER BY id DESC LIMIT %d`, maxNamed))
	if err != nil {
		return nil, fmt.Errorf("looking for visitors by names: %w", err)
	}
	for _, r := range named {
		name := strings.ToLower(r.name)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(name, word) }) {
			found = append(found, row{site: r.site, visitor: r.visitor})
		}
	}
	slices.SortFunc(found, func(a, b row) int { return cmp.Or(cmp.Compare(b.visitor, a.visitor), cmp.Compare(a.site, b.site)) })
	found = slices.Compact(found)
	visitors := make([]Of, min(limit, len(found)))
	for i := range visitors {
		visitors[i] = Of{found[i].site, cards.keys.Visitors.ID(found[i].visitor)}
	}
	return visitors, nil
}

// contactsOf are the values that contacts have which are written so.
func contactsOf(typed string, regions []string) []string {
	values := []string{typed}
	digits := contact.Digits(typed)
	if len(digits) < leastDigits {
		return values
	}
	values = append(values, digits, contact.WithoutCountry(digits))
	for _, region := range regions {
		if read := contact.ReadPhone(typed, region).Digits; read != "" && !slices.Contains(values, read) {
			values = append(values, read)
		}
	}
	return values
}
