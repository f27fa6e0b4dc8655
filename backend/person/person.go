// Package person finds what is known of one person, over all subjects, exports it and erases it.
// Which rows these are the subjects say, by package trace.
//
// A person is looked for by telephone numbers, by addresses, and by visitors. Who has done so is noted in
// the journal, which names the person by a keyed hash alone.
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

// minDigits is how many digits a number has at least that persons are looked for by: shorter ones stand in
// other texts, too.
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

// New returns the persons of the subjects. regions tells the countries in whose way the visitors of the sites
// write numbers.
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
	known map[trace.Mark]bool
}

func newMarks(sites scope.Sites) *markSet {
	return &markSet{sites: sites, known: make(map[trace.Mark]bool)}
}

func (s *markSet) add(m trace.Mark) {
	if s.known[m] || len(s.list) >= maxMarks || m.Text == "" && !s.sites.Has(m.SiteID) {
		return
	}
	s.known[m] = true
	s.list = append(s.list, m)
}

// follow adds all marks to which these lead.
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
			for _, m := range found {
				marks.add(m)
			}
		}
	}
	return marks.list, nil
}

// Known is what is known of a person.
type Known struct {
	// Person is the hash that stands for the person.
	Person string
	// Rows are how many there are in each table, in the order of erasing. Tables without are missing.
	Rows []TableRows
	// Visitors, Leads and Calls are the marks of those.
	Visitors, Leads, Calls []trace.Mark
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

// Look returns what is known of the person, and notes who has looked, by login, or empty for whoever runs the
// server. The error is [ErrNobody] where nobody is named.
func (p *Persons) Look(ctx context.Context, by string, s Sought) (Known, error) {
	known, _, err := p.look(ctx, s)
	if err != nil {
		return Known{}, err
	}
	return known, p.note(ctx, operator.PersonLooked, by, s.Sites, known.Person, known.Total())
}

func (p *Persons) look(ctx context.Context, s Sought) (Known, []trace.Mark, error) {
	given, err := p.marks(ctx, s)
	if err != nil {
		return Known{}, nil, err
	}
	known := Known{Person: p.name(given)}
	marks, err := p.follow(ctx, s.Sites, given)
	if err != nil {
		return Known{}, nil, err
	}
	for _, m := range marks {
		switch m.Kind {
		case trace.Visitor:
			known.Visitors = append(known.Visitors, m)
		case trace.Lead:
			known.Leads = append(known.Leads, m)
		case trace.Call:
			known.Calls = append(known.Calls, m)
		}
	}
	newest := func(a, b trace.Mark) int { return cmp.Compare(b.ID, a.ID) }
	slices.SortFunc(known.Leads, newest)
	slices.SortFunc(known.Calls, newest)
	err = p.each(marks, func(t trace.Table, m trace.Mark) error {
		n, err := t.Count(ctx, p.db.Read(), m)
		if n > 0 {
			at := slices.IndexFunc(known.Rows, func(r TableRows) bool { return r.Table == t.Name })
			if at < 0 {
				at, known.Rows = len(known.Rows), append(known.Rows, TableRows{Table: t.Name})
			}
			known.Rows[at].Rows += n
		}
		return err
	})
	return known, marks, err
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
