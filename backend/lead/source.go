package lead

import (
	"context"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// source is what a page is looked for along: an index that has leads by their time.
type source struct {
	// from writes the query of the keys behind the place, of the site or of all (0).
	from func(q *query, site int64, place *key, order string)
	// tested are the conditions that the index does not hold; tests tells that there is something
	// to be tested.
	tested []condition
	tests  bool
	// searched: the source is that of the words, which goes by ids.
	searched bool
}

// fewTested is how many leads are read for their words on SQLite, which does not find out quickly
// whether one lead has a word.
const fewTested = 300

// countedTo is how far the leads of an index are counted to choose one.
const countedTo = 1000

// choose returns the source by which the fewest leads have to be looked at. Where there are few that
// can be meant at all, it returns their keys instead.
func (b *browsing) choose(ctx context.Context) (source, []key, error) {
	if b.searched == nil && (b.filter.From != "" || b.filter.To != "") {
		amounts := func(q *query) {
			q.add(`SELECT site_id, id, at FROM leads WHERE merged_into = 0 AND sale_cost <> '' AND ` + b.filter.Sites.SQL("site_id"))
			for _, c := range b.conditions {
				if !c.at {
					q.all(c)
				}
			}
			b.times(q, b.place)
		}
		n, err := b.counted(ctx, amounts, few+1)
		if err == nil && n <= few {
			rare, err := b.set(ctx, amounts)
			return source{}, rare, err
		}
		if err != nil {
			return source{}, nil, err
		}
	}
	best, least := b.by(-1), -1
	var candidates []int
	for i, c := range b.conditions {
		if c.at && len(b.sites) > 0 && (c.sql != notSpam || len(candidates) == 0 && b.filter.Number == "") {
			candidates = append(candidates, i)
		}
	}
	words := b.searched != nil && b.db.Engine() == db.SQLite
	if len(candidates) == 1 && b.filter.Number == "" && !words {
		return b.by(candidates[0]), nil, nil
	}
	if words && len(candidates) == 0 && b.filter.Number == "" {
		return b.byWords(), nil, nil
	}
	consider := func(s source, count func(*query)) error {
		n, err := b.counted(ctx, count, countedTo)
		if words && !s.searched && n > fewTested { // their words would have to be read
			return err
		}
		if err == nil && (least < 0 || n < least) {
			best, least = s, n
		}
		return err
	}
	if b.filter.Number != "" {
		if err := consider(b.byNumber(), func(q *query) {
			q.add(`SELECT 1 FROM lead_numbers WHERE number = ? AND `+b.filter.Sites.SQL("site_id"), b.filter.Number)
			b.bounds(q, "at")
		}); err != nil {
			return best, nil, err
		}
	}
	if words {
		if err := consider(b.byWords(), func(q *query) {
			q.add(`SELECT 1 FROM lead_search WHERE lead_search MATCH ?`, b.searched.FTS5(b.sites, b.known))
		}); err != nil {
			return best, nil, err
		}
	}
	for _, i := range candidates {
		if err := consider(b.by(i), func(q *query) {
			q.add(`SELECT 1 FROM leads WHERE merged_into = 0 AND ` + b.filter.Sites.SQL("site_id"))
			q.all(b.conditions[i])
			b.bounds(q, "at")
		}); err != nil {
			return best, nil, err
		}
	}
	return best, nil, nil
}

// by is the source of the condition's index, or of all leads with -1.
func (b *browsing) by(i int) source {
	var held []condition
	tested := slices.Clone(b.conditions)
	if i >= 0 {
		held, tested = b.conditions[i:i+1], slices.Delete(tested, i, i+1)
	}
	return source{
		from: func(q *query, site int64, place *key, order string) {
			// Where no index of a site is walked, that of all leads is, and all is tested.
			q.add(`SELECT site_id, id, at FROM leads WHERE `)
			switch {
			case site != 0:
				q.add(`site_id = ?`, site)
			default:
				q.add(b.filter.Sites.SQL("site_id"))
			}
			if i >= 0 {
				q.add(` AND merged_into = 0`)
				q.all(held...)
			}
			b.times(q, place)
			q.add(order)
		},
		tested: tested, tests: i < 0 || len(tested) > 0 || b.searched != nil,
	}
}

// byNumber is the source of the number that senders had.
func (b *browsing) byNumber() source {
	return source{
		from: func(q *query, site int64, place *key, order string) {
			q.add(`SELECT site_id, lead_id AS id, at FROM lead_numbers WHERE number = ? AND `, b.filter.Number)
			if site != 0 {
				q.add(`site_id = ?`, site)
			} else {
				q.add(b.filter.Sites.SQL("site_id"))
			}
			q.add(` AND (at, lead_id) < (?, ?)`, place.at, place.ID)
			b.bounds(q, "at")
			q.add(order)
		},
		tested: b.conditions, tests: true,
	}
}

// byWords is the source of the words on SQLite. It goes by the ids of leads, which are drawn in the
// order in which they are stored.
func (b *browsing) byWords() source { return source{tested: b.conditions, tests: true, searched: true} }

// stepOfWords is [browsing.step] of byWords.
func (b *browsing) stepOfWords(q *query, place *key, step int) {
	q.add(`SELECT leads.site_id, leads.id, leads.at, CASE WHEN leads.merged_into = 0`)
	q.all(b.conditions...)
	q.add(` THEN 1 ELSE 0 END FROM lead_search CROSS JOIN leads ON leads.id = lead_search.rowid
		WHERE lead_search MATCH ? AND lead_search.rowid < ? AND `+b.filter.Sites.SQL("leads.site_id"), b.searched.FTS5(b.sites, b.known), place.ID)
	b.bounds(q, "leads.at")
	q.add(` ORDER BY lead_search.rowid DESC LIMIT ` + strconv.Itoa(step))
}

// SQLite keeps the leads of beginnings of up to four letters. Those of longer ones it gathers from all
// words that begin so, which takes long where one of these is in every lead. So the words are looked
// up, and each of a few is searched by itself.
const (
	keptBeginning = 4
	fewWords      = 40
)

// wordsLike are the words in leads that begin like those that are searched, where they are few.
func (b *browsing) wordsLike(ctx context.Context) (map[string][]string, error) {
	known := make(map[string][]string)
	for _, word := range b.searched.all() {
		if utf8.RuneCountInString(word) <= keptBeginning || known[word] != nil {
			continue
		}
		// The index of words is entered anew behind each: all leads of one word stand in a row there.
		like, err := db.List(ctx, b.db.Read(), db.Only[string], `WITH RECURSIVE found(word, n) AS (
			SELECT (SELECT term FROM lead_words WHERE term >= $1 LIMIT 1), 1
			UNION ALL SELECT (SELECT term FROM lead_words WHERE term >= found.word || char(1) LIMIT 1), n + 1 FROM found
				WHERE substr(found.word, 1, length($1)) = $1 AND n <= $2)
			SELECT word FROM found WHERE substr(word, 1, length($1)) = $1`, word, fewWords)
		if err != nil {
			return nil, err
		}
		if len(like) <= fewWords {
			known[word] = like
		}
	}
	return known, nil
}
