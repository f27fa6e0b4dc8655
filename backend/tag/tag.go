// Package tag has the words by which operators sort what they work on. It reads what they type, and keeps the tags of
// things of one kind in a table. The subject that owns the table asks it.
package tag

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// A thing has Most tags at most, and a tag MaxLength characters.
const Most, MaxLength = 10, 30

// MaxTyped bounds in bytes what is typed as tags.
const MaxTyped = Most * (utf8.UTFMax*MaxLength + 2)

// ErrTags is returned for tags that are too many or too long, or that hold what cannot be seen.
var ErrTags = fmt.Errorf("expected at most %d tags of at most %d characters each", Most, MaxLength)

// separator stands between tags, so no tag holds it.
const separator = ","

// Read reads tags as an operator types them, with commas between them. Two that differ only in case are one. The tags
// are in order. The error is ErrTags.
func Read(typed string) ([]string, error) {
	if len(typed) > MaxTyped {
		return nil, ErrTags
	}
	tags := make(map[string]string)
	for tag := range strings.SplitSeq(typed, separator) {
		tag = strings.Join(strings.Fields(tag), " ")
		if tag == "" {
			continue
		}
		if utf8.RuneCountInString(tag) > MaxLength || !utf8.ValidString(tag) || strings.ContainsFunc(tag, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return nil, ErrTags
		}
		if lower := strings.ToLower(tag); tags[lower] == "" {
			tags[lower] = tag
		}
	}
	if len(tags) > Most {
		return nil, ErrTags
	}
	return slices.Sorted(maps.Values(tags)), nil
}

// Written are the tags as they are typed.
func Written(tags []string) string { return strings.Join(tags, separator+" ") }

// Table is where the tags of things of one kind are. It has the columns site_id, Of and tag.
type Table struct {
	// Name is the name of the table, Of the column with the thing's id, and Things the table of the things, whose ids
	// are in the column id.
	Name, Of, Things string
}

// Set gives the thing the tags, and no others.
func (t Table) Set(ctx context.Context, tx db.Tx, siteID, id int64, tags []string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM `+t.Name+` WHERE site_id = $1 AND `+t.Of+` = $2`, siteID, id); err != nil {
		return err
	}
	return t.Add(ctx, tx, siteID, id, tags)
}

// Add gives the thing the tags, besides those that it has.
func (t Table) Add(ctx context.Context, tx db.Tx, siteID, id int64, tags []string) error {
	for _, tag := range tags {
		if _, err := tx.Exec(ctx, `INSERT INTO `+t.Name+` (site_id, `+t.Of+`, tag) VALUES ($1, $2, $3) ON CONFLICT (site_id, `+t.Of+`, tag) DO NOTHING`, siteID, id, tag); err != nil {
			return err
		}
	}
	return nil
}

func (t Table) ofThing() string {
	return t.Name + ` t WHERE t.site_id = ` + t.Things + `.site_id AND t.` + t.Of + ` = ` + t.Things + `.id`
}

// Column is an expression for the tags of a thing, in a query of the things. [Split] reads its value.
func (t Table) Column() string {
	return `(SELECT COALESCE(string_agg(t.tag, '` + separator + `' ORDER BY t.tag), '') FROM ` + t.ofThing() + `)`
}

// Split reads the value of [Table.Column].
func Split(column string) []string {
	if column == "" {
		return nil
	}
	return strings.Split(column, separator)
}

// Has is a condition that is true of the things that have the tag for which the argument stands, such as "$3".
func (t Table) Has(argument string) string {
	return `EXISTS (SELECT 1 FROM ` + t.ofThing() + ` AND t.tag = ` + argument + `)`
}

const (
	// MaxKnown is how many tags [Table.Known] returns at most.
	MaxKnown = 100
	// severalSites bounds the sites whose tags are read.
	severalSites = 16
)

// Known returns the tags that are in use at the sites, which have to be named, in order, MaxKnown at most.
func (t Table) Known(ctx context.Context, from db.Queries, sites scope.Sites) ([]string, error) {
	known := make(map[string]bool)
	ids := sites.IDs()
	for _, id := range ids[:min(len(ids), severalSites)] {
		// The index is asked for the next tag behind each.
		tags, err := db.List(ctx, from, db.Only[string], fmt.Sprintf(`WITH RECURSIVE next(tag, n) AS (
			SELECT (SELECT MIN(tag) FROM %[1]s WHERE site_id = $1), 1
			UNION ALL SELECT (SELECT MIN(tag) FROM %[1]s WHERE site_id = $1 AND tag > next.tag), n + 1 FROM next WHERE next.tag IS NOT NULL AND n < %[2]d)
			SELECT tag FROM next WHERE tag IS NOT NULL`, t.Name, MaxKnown), id)
		if err != nil {
			return nil, fmt.Errorf("reading tags: %w", err)
		}
		for _, tag := range tags {
			known[tag] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(known))
	return sorted[:min(len(sorted), MaxKnown)], nil
}

// Trace describes the table for erasing and export. Marks of the kind lead to the things.
func (t Table) Trace(by trace.Kind) trace.Table {
	return trace.Table{Name: t.Name, By: by, Where: `site_id = $1 AND ` + t.Of + ` = $2`, Texts: []string{"tag"}, Key: []string{"site_id", t.Of, "tag"}, Of: t.Of}
}
