// Package person finds what is known of one person, over all subjects, exports it and erases it. Which rows these are
// the subjects say, by package trace.
//
// A person is looked for by telephone numbers, by addresses, and by visitors. Who has done so is noted in the journal,
// which names the person by a keyed hash alone.
package person

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// ErrNobody is returned where nothing was given by which a person can be known.
var ErrNobody = errors.New("expected a telephone number, an e-mail address or a visitor")

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
		case len(contact.Digits(part)) >= minDigits:
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

// Tables are all that hold traces of persons, for the tests that none is forgotten or is searched in a bad order.
func (p *Persons) Tables() (tables []trace.Table) {
	for _, s := range p.subjects {
		tables = append(tables, s.Tables...)
	}
	return tables
}

// hash stands for a text that names somebody.
func (p *Persons) hash(text string) string {
	mac := hmac.New(sha256.New, p.secret)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:8])
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
