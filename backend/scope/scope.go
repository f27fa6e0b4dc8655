// Package scope says which of the installation's sites somebody may see.
package scope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Sites are the sites that somebody may see: all there are and will be, or those
// of a list. The zero Sites are none. They are comparable, and equal when they
// hold the same sites.
type Sites struct {
	text string // see [Sites.String]
}

// all is the text of all sites.
const all = "*"

// All returns all sites. Among them is 0, which stands for what concerns every site.
func All() Sites { return Sites{all} }

// Of returns the sites of the ids, which are positive, in any order.
func Of(ids ...int64) Sites {
	if len(ids) == 0 {
		return Sites{}
	}
	var text strings.Builder
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if id > 0 {
			text.WriteByte(',')
			text.WriteString(strconv.FormatInt(id, 10))
		}
	}
	if text.Len() > 0 {
		text.WriteByte(',')
	}
	return Sites{text.String()}
}

// Parse reads what [Sites.String] wrote.
func Parse(text string) (Sites, error) {
	if text == all || text == "" {
		return Sites{text}, nil
	}
	var ids []int64
	for part := range strings.SplitSeq(strings.Trim(text, ","), ",") {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil || id <= 0 {
			return Sites{}, fmt.Errorf("%.80q is no list of sites", text)
		}
		ids = append(ids, id)
	}
	return Of(ids...), nil
}

// String is the text form: "*" for all sites, else the ids in their order with a
// comma around each, such as ",1,7,".
func (s Sites) String() string { return s.text }

// All tells whether they are all sites.
func (s Sites) All() bool { return s.text == all }

// None tells whether there is no site among them.
func (s Sites) None() bool { return s.text == "" }

// Has tells whether the site is one of them.
func (s Sites) Has(id int64) bool {
	return s.All() || strings.Contains(s.text, ","+strconv.FormatInt(id, 10)+",")
}

// IDs are the ids of the sites, in their order; nil for all sites as for none.
func (s Sites) IDs() (ids []int64) {
	if s.All() || s.None() {
		return nil
	}
	for part := range strings.SplitSeq(strings.Trim(s.text, ","), ",") {
		id, _ := strconv.ParseInt(part, 10, 64)
		ids = append(ids, id)
	}
	return ids
}

// Covers tells whether all of the others are among them.
func (s Sites) Covers(others Sites) bool {
	return s.All() || !others.All() && !slices.ContainsFunc(others.IDs(), func(id int64) bool { return !s.Has(id) })
}

// Common are the sites that both have.
func (s Sites) Common(other Sites) Sites {
	if s.All() {
		return other
	}
	return Of(slices.DeleteFunc(s.IDs(), func(id int64) bool { return !other.Has(id) })...)
}

// Only are those of them that the id names: itself, or with 0 all of them. The
// result is empty when it is none of them.
func (s Sites) Only(id int64) Sites {
	if id == 0 {
		return s
	}
	return s.Common(Of(id))
}

// Within returns what becomes of them when somebody who sees the sites of the
// seer wants them to be others: the sites that the seer does not see stay. They
// are not to be all, unless the seer sees all.
func (s Sites) Within(seer, wanted Sites) Sites {
	if seer.All() {
		return wanted
	}
	stay := slices.DeleteFunc(s.IDs(), seer.Has)
	return Of(append(stay, wanted.Common(seer).IDs()...)...)
}

// SQL is a condition that is true where the column holds one of the sites. It has
// no arguments.
func (s Sites) SQL(column string) string {
	switch {
	case s.All():
		return "1 = 1"
	case s.None():
		return "1 = 0"
	}
	ids := strings.Trim(s.text, ",")
	if !strings.Contains(ids, ",") {
		return column + " = " + ids
	}
	return column + " IN (" + ids + ")"
}

// Column is an expression of SQL for sites that are stored as a table: those of the rows that the query names, or all of
// them where the condition is true. [Sites.Scan] reads it.
func Column(all, rows string) string {
	return `CASE WHEN ` + all + ` THEN '*' ELSE COALESCE((SELECT string_agg(CAST(site_id AS TEXT), ',') FROM ` + rows + `), '') END`
}

// Scan reads a column that holds [Sites.String], or one of [Column].
func (s *Sites) Scan(value any) (err error) {
	switch text := value.(type) {
	case string:
		*s, err = Parse(text)
	case []byte:
		*s, err = Parse(string(text))
	default:
		err = fmt.Errorf("a list of sites is no %T", value)
	}
	return err
}
