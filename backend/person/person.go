// Package person finds what is known of one person, over all subjects, exports it and erases it. Which rows these are
// the subjects say, by package trace.
//
// A person is looked for by telephone numbers, by addresses, and by visitors. Who has done so is noted in the journal,
// which names the person by a keyed hash alone.
package person

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// ErrNobody is returned where nothing was given by which a person can be known.
var ErrNobody = errors.New("expected a telephone number, an e-mail address or a visitor")

// maxMarks bounds by how much a person is known.
const maxMarks = 100_000

// Sought is by what a person is looked for, and where.
type Sought struct {
	// Phones and Emails are as somebody writes them.
	Phones, Emails []string
	Visitors       []Visitor
	// Patience is for how long texts are looked through at most by [Persons.Look]; 0 for as long as it takes.
	Patience time.Duration
	// Sites are those whose rows are looked at.
	Sites scope.Sites
}

// Visitor is one of a site.
type Visitor struct {
	SiteID int64
	ID     visit.ID
}

// Read adds what the text names: telephone numbers and addresses, with commas or line breaks between them.
func (s *Sought) Read(text string) error {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' || r == '\r' }) {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case strings.Contains(part, "@"):
			s.Emails = append(s.Emails, part)
		case len(visit.Digits(part)) >= minDigits:
			s.Phones = append(s.Phones, part)
		default:
			return ErrNobody
		}
	}
	return nil
}

// minDigits is how many digits a number has at least that persons are looked for by: shorter ones stand in other texts,
// too.
const minDigits = 7

// Persons looks over all subjects. It is safe for concurrent use.
type Persons struct {
	db       *db.DB
	now      func() time.Time
	logger   *zap.Logger
	subjects []trace.Subject
	regions  func(context.Context) []string
	ids      *db.Sequence
	secret   []byte
}

// New returns the persons of the subjects. regions tells the countries in whose way the visitors of the sites write
// numbers.
func New(ctx context.Context, d *db.DB, now func() time.Time, logger *zap.Logger, regions func(context.Context) []string, subjects ...trace.Subject) (*Persons, error) {
	secret, err := d.Secret(ctx, "person.hash")
	if err != nil {
		return nil, err
	}
	return &Persons{db: d, now: now, logger: logger, subjects: subjects, regions: regions, ids: d.Sequence("person.erasures", 1), secret: secret}, nil
}

// Tables are all that hold traces of persons, for the test that none is forgotten.
func (p *Persons) Tables() (names []string) {
	for _, s := range p.subjects {
		for _, t := range s.Tables {
			names = append(names, t.Name)
		}
	}
	return names
}

// hash stands for a text that names somebody.
func (p *Persons) hash(text string) string {
	mac := hmac.New(sha256.New, p.secret)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// marks are those that the person is looked for by.
func (p *Persons) marks(ctx context.Context, s Sought) ([]trace.Mark, error) {
	marks := newMarks(s.Sites)
	var regions []string
	if len(s.Phones) > 0 {
		regions = p.regions(ctx)
	}
	for _, text := range s.Phones {
		typed := visit.Digits(text)
		if len(typed) < minDigits {
			return nil, ErrNobody
		}
		marks.add(trace.Mark{Kind: trace.Written, Text: typed})
		readings := []string{visit.ReadPhone(text, "").Digits, visit.ReadPhone("+"+typed, "").Digits}
		for _, region := range regions {
			readings = append(readings, visit.ReadPhone(text, region).Digits)
		}
		for _, digits := range readings {
			if digits == "" {
				continue
			}
			marks.add(trace.Mark{Kind: trace.Phone, Text: digits})
			for _, writing := range visit.Writings(digits) {
				if len(writing) >= minDigits {
					marks.add(trace.Mark{Kind: trace.Written, Text: writing})
				}
			}
		}
	}
	for _, address := range s.Emails {
		marks.add(trace.Mark{Kind: trace.Email, Text: lower(address)})
	}
	for _, v := range s.Visitors {
		if v.ID > 0 {
			marks.add(trace.Mark{Kind: trace.Visitor, SiteID: v.SiteID, ID: int64(v.ID)})
		}
	}
	if len(marks.list) == 0 {
		return nil, ErrNobody
	}
	return marks.list, nil
}

// name is the hash by which the person of these marks is noted.
func (p *Persons) name(marks []trace.Mark) string {
	var all []string
	for _, m := range marks {
		if m.Kind != trace.Written {
			all = append(all, fmt.Sprint(m.Kind, " ", m.SiteID, " ", m.ID, " ", m.Text))
		}
	}
	if all == nil {
		for _, m := range marks {
			all = append(all, m.Text)
		}
	}
	slices.Sort(all)
	return p.hash(strings.Join(all, "\n"))
}

// markSet are marks, each once.
type markSet struct {
	sites scope.Sites
	list  []trace.Mark
	at    map[trace.Mark]int // where each is, Named or not
}

func newMarks(sites scope.Sites) *markSet {
	return &markSet{sites: sites, at: make(map[trace.Mark]int)}
}

// has reports whether the mark is there, Named or not.
func (s *markSet) has(m trace.Mark) bool {
	m.Named = false
	_, has := s.at[m]
	return has
}

// add adds the mark. One that is the person's own is no more Named.
func (s *markSet) add(m trace.Mark) {
	key := m
	key.Named = false
	if at, has := s.at[key]; has {
		s.list[at].Named = s.list[at].Named && m.Named
		return
	}
	if len(s.list) >= maxMarks || m.Text == "" && !s.sites.Has(m.SiteID) {
		return
	}
	s.at[key] = len(s.list)
	s.list = append(s.list, m)
}

// follow adds all marks to which these lead. What only names the person leads to what it is one with, as merged leads are.
func (p *Persons) follow(ctx context.Context, sites scope.Sites, from []trace.Mark) ([]trace.Mark, error) {
	marks := newMarks(sites)
	for _, m := range from {
		marks.add(m)
	}
	for i := 0; i < len(marks.list); i++ {
		for _, s := range p.subjects {
			if s.Find == nil {
				continue
			}
			found, err := s.Find(ctx, p.db.Read(), marks.list[i])
			if err != nil {
				return nil, err
			}
			for _, next := range found {
				if from := marks.list[i]; from.Named {
					if next.Kind != from.Kind {
						continue
					}
					next.Named = true
				}
				marks.add(next)
			}
		}
	}
	return marks.list, nil
}

// Known is what is known of a person.
type Known struct {
	// Person is the hash that stands for the person.
	Person string
	// Rows are how many there are in each table. Tables without are missing.
	Rows []TableRows
	// Named are those of them that only name the person in a text.
	Named []TableRows
	// Partial tells that there was no time to look through all texts.
	Partial bool
	// Visitors, Leads and Calls are the marks of those, and Conversations of those in which the person is named.
	Visitors, Leads, Calls, Conversations []trace.Mark
}

// TableRows is how many rows a table has.
type TableRows struct {
	Table string
	Rows  int64
}

// Total is the number of all rows.
func (k Known) Total() (n int64) {
	for _, t := range k.Rows {
		n += t.Rows
	}
	return n
}

// plus are the rows of the tables with so many more.
func plus(rows []TableRows, table string, n int64) []TableRows {
	at := slices.IndexFunc(rows, func(r TableRows) bool { return r.Table == table })
	if at < 0 {
		at, rows = len(rows), append(rows, TableRows{Table: table})
	}
	rows[at].Rows += n
	return rows
}

// Look returns what is known of the person, and notes who has looked, by login, or empty for whoever runs the server.
// The error is [ErrNobody] where nobody is named.
func (p *Persons) Look(ctx context.Context, by string, s Sought) (Known, error) {
	found, err := p.look(ctx, s)
	if err != nil {
		return Known{}, err
	}
	return found.Known, p.note(ctx, operator.PersonLooked, by, s.Sites, found.Person, found.Total())
}

// found is what is known of a person, with what leads to it.
type found struct {
	Known
	marks []trace.Mark
	rows  []trace.Row // that name the person, without those to which the marks lead
}

func (p *Persons) look(ctx context.Context, s Sought) (f found, err error) {
	given, err := p.marks(ctx, s)
	if err != nil {
		return f, err
	}
	f.Person = p.name(given)
	if f.marks, err = p.follow(ctx, s.Sites, given); err != nil {
		return f, err
	}
	if err := p.lookThrough(ctx, s, given, &f); err != nil {
		return f, err
	}
	for _, m := range f.marks {
		switch m.Kind {
		case trace.Visitor:
			f.Visitors = append(f.Visitors, m)
		case trace.Lead:
			f.Leads = append(f.Leads, m)
		case trace.Call:
			f.Calls = append(f.Calls, m)
		}
	}
	newest := func(a, b trace.Mark) int { return cmp.Compare(b.ID, a.ID) }
	slices.SortFunc(f.Leads, newest)
	slices.SortFunc(f.Calls, newest)
	err = p.each(f.marks, func(t trace.Table, m trace.Mark) error {
		n, err := t.Count(ctx, p.db.Read(), m)
		if n > 0 {
			f.Rows = plus(f.Rows, t.Name, n)
			if m.Named {
				f.Named = plus(f.Named, t.Name, n)
			}
		}
		return err
	})
	for _, r := range f.rows {
		f.Rows, f.Named = plus(f.Rows, r.Table(), 1), plus(f.Named, r.Table(), 1)
	}
	return f, err
}

// lookThrough adds the rows that name the person in their texts, as far as there is time.
func (p *Persons) lookThrough(ctx context.Context, s Sought, given []trace.Mark, f *found) error {
	hurried := ctx
	if s.Patience > 0 {
		var stop context.CancelFunc
		hurried, stop = context.WithTimeout(ctx, s.Patience)
		defer stop()
	}
	known, whole, conversations := newMarks(s.Sites), newMarks(s.Sites), newMarks(s.Sites)
	for _, m := range f.marks {
		known.add(m)
	}
	err := p.named(hurried, s.Sites, namesOf(given), func(rows []trace.Row) error {
		for _, r := range rows {
			m, has := r.Mark()
			switch {
			case has && known.has(m):
			case r.Whole():
				m.Named = true
				whole.add(m)
			case len(f.rows) < maxMarks:
				f.rows = append(f.rows, r)
				if m.Kind == trace.Conversation {
					conversations.add(m)
				}
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil && hurried.Err() != nil {
		f.Partial, err = true, nil
	}
	f.Conversations = conversations.list
	if err != nil {
		return err
	}
	named, err := p.follow(ctx, s.Sites, whole.list)
	for _, m := range named {
		known.add(m)
	}
	f.marks = known.list
	return err
}

// named goes through all texts at the sites, in parts, and hands the rows to each that name the person. What other
// subjects refer to comes first, and page views come last, which are the most.
func (p *Persons) named(ctx context.Context, sites scope.Sites, n names, each func([]trace.Row) error) error {
	if n.none() {
		return nil
	}
	for _, s := range slices.Backward(p.subjects) {
		for i := range s.Tables {
			if err := s.Tables[i].Named(ctx, p.db.Read(), sites, n.in, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do for each table and mark that lead to rows, in the order of erasing.
func (p *Persons) each(marks []trace.Mark, do func(trace.Table, trace.Mark) error) error {
	for _, s := range p.subjects {
		for _, t := range s.Tables {
			for _, m := range marks {
				if m.Kind != t.By {
					continue
				}
				if err := do(t, m); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// note notes in the journal what somebody has done.
func (p *Persons) note(ctx context.Context, kind, by string, sites scope.Sites, person string, rows int64) error {
	err := p.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		return p.noteTx(ctx, tx, kind, by, sites, person, rows)
	})
	if err != nil {
		return fmt.Errorf("noting who has looked at a person: %w", err)
	}
	return nil
}

func (p *Persons) noteTx(ctx context.Context, tx db.Tx, kind, by string, sites scope.Sites, person string, rows int64) error {
	return operator.NoteHandled(ctx, tx, kind, p.now(), sites, operator.Handled{By: by, What: "person", Person: person, Rows: rows})
}

// lower is the form in which addresses are compared.
func lower(address string) string { return strings.ToLower(strings.TrimSpace(address)) }
