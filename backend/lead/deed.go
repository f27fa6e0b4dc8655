package lead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// Changed is the kind of the journal's entry for what an operator has done with a lead, which is
// its subject. Its data is {"by","deed","was","said"}; of a note the text is left out, and so are tags. Of the deed "sale",
// "was" is empty if the lead was none before, and else "sale".
const Changed = "lead.changed"

// By is the operator who does something. Of a program the ID is 0, and the Login is what the history calls it.
type By struct {
	ID    int64
	Login string
}

// Deed is what an operator has done with a lead.
type Deed struct {
	LeadID int64
	ID     int64
	At     time.Time
	By     By
	// Kind is one of [DeedKinds].
	Kind string
	// Was and Said are states, or the logins of owners, empty for nobody. Said is the text of a
	// note, the tags with commas between them, the amount of a sale, and the id of the other lead of a merge.
	Was, Said string
}

// The kinds of deeds. Of a merge each of the two leads has its own.
const (
	deedState  = "state"
	deedOwner  = "owner"
	deedNote   = "note"
	deedMerged = "merged"
	deedSplit  = "split"
	deedTookIn = "took_in"
	deedLetOut = "let_out"
	deedTags   = "tags"
	deedSale   = "sale"
	deedNoSale = "no_sale"
	deedCalled = "called" // by nobody: the sender has called again
	deedMade   = "made"   // by a program
)

// DeedKinds are all kinds of deeds.
var DeedKinds = []string{deedState, deedOwner, deedNote, deedMerged, deedSplit, deedTookIn, deedLetOut, deedTags, deedSale, deedNoSale, deedCalled, deedMade}

// MaxNote is how many characters a note has at most.
const MaxNote = 4000

// What is wrong with what an operator wants to do.
var (
	ErrLongNote  = fmt.Errorf("a note has at most %d characters", MaxNote)
	ErrNote      = errors.New("a note is a text without control characters")
	ErrEmptyNote = errors.New("a note says something")
	ErrState     = errors.New("there is no such state")
	ErrAmount    = errors.New("expected an amount such as 1500 or 1500.50")
)

// TakenError says that somebody else has the lead by now.
type TakenError struct{ Owner int64 }

func (TakenError) Error() string { return "somebody else has this lead" }

// changing is a lead while it is being changed, in a transaction.
type changing struct {
	Lead
	tx   db.Tx
	done []done
}

type deed struct{ kind, was, said string }

type done struct {
	Lead
	deed
}

// note notes that the deed was done to the lead.
func (c *changing) note(l Lead, d deed) { c.done = append(c.done, done{l, d}) }

// change has f change the lead, which nobody else changes meanwhile, and keeps what was done.
// The error may be ErrUnknown, ErrMerged for a part of another lead, and that of f.
func (l *Leads) change(ctx context.Context, by By, n Key, f func(context.Context, *changing) error) error {
	id, err := l.deedIDs.Next(ctx)
	if err != nil {
		return err
	}
	second, err := l.deedIDs.Next(ctx)
	if err != nil {
		return err
	}
	err = l.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		lead, err := locked(ctx, tx, n)
		if err != nil {
			return err
		}
		c := &changing{Lead: lead, tx: tx}
		if err := f(ctx, c); err != nil {
			return err
		}
		at := l.now()
		for i, d := range c.done {
			if err := keepDeed(ctx, tx, d.SiteID, Deed{LeadID: d.ID, ID: []int64{id, second}[i], At: at, By: by, Kind: d.kind, Was: d.was, Said: d.said}); err != nil {
				return err
			}
			told := d.said
			if d.kind == deedNote || d.kind == deedTags {
				told = ""
			}
			data, err := json.Marshal(map[string]string{"by": by.Login, "deed": d.kind, "was": d.was, "said": told})
			if err != nil {
				return err
			}
			if err := journal.Append(ctx, tx, journal.Entry{SiteID: d.SiteID, At: at, Kind: Changed, SubjectID: d.ID, VisitorID: int64(d.Visitor), Data: data}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("changing a lead: %w", err)
	}
	return nil
}

func keepDeed(ctx context.Context, tx db.Tx, siteID int64, d Deed) error {
	_, err := tx.Exec(ctx, `INSERT INTO lead_deeds (site_id, lead_id, id, at, operator_id, login, kind, was, said) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		siteID, d.LeadID, d.ID, d.At.UnixMilli(), d.By.ID, d.By.Login, d.Kind, d.Was, d.Said)
	return err
}

// locked reads the beginning of the lead, which is no part of another, and has nobody else change it until the
// transaction ends.
func locked(ctx context.Context, tx db.Tx, n Key) (Lead, error) {
	if _, err := tx.Exec(ctx, `UPDATE leads SET state = state WHERE site_id = $1 AND id = $2`, n.SiteID, n.ID); err != nil {
		return Lead{}, err
	}
	found, err := readBegun(ctx, tx, `site_id = $1 AND id = $2`, n.SiteID, n.ID)
	switch {
	case err != nil:
		return Lead{}, err
	case len(found) == 0:
		return Lead{}, ErrUnknown
	case found[0].MergedInto != 0:
		return Lead{}, ErrMerged
	}
	return found[0], nil
}

// SetState has the lead in the state. Whoever begins the work on a lead that nobody has, has it
// from then on. The error may be ErrUnknown, ErrState, or ErrMerged for a part of another lead.
func (l *Leads) SetState(ctx context.Context, by By, n Key, state State) error {
	if state < Fresh || state > Spam {
		return ErrState
	}
	return l.change(ctx, by, n, func(ctx context.Context, c *changing) error {
		if c.State == state {
			return nil
		}
		owner := c.Owner
		if state == InWork && owner == 0 && by.ID != 0 {
			owner = by.ID
			c.note(c.Lead, deed{kind: deedOwner, said: by.Login})
		}
		c.note(c.Lead, deed{deedState, c.State.String(), state.String()})
		return c.set(ctx, state, owner)
	})
}

func (c *changing) set(ctx context.Context, state State, owner int64) error {
	_, err := c.tx.Exec(ctx, `UPDATE leads SET state = $3, owner_id = $4 WHERE site_id = $1 AND id = $2`, c.SiteID, c.ID, int64(state), owner)
	return err
}

// Give gives the lead from one operator to another, of whom either may be nobody, the zero By. A new lead
// that somebody has is in work, and one in work that nobody has is new. The error is a TakenError when
// another operator has it by now, and may be that of SetState.
func (l *Leads) Give(ctx context.Context, by By, n Key, from, to By) error {
	return l.change(ctx, by, n, func(ctx context.Context, c *changing) error {
		if c.Owner == to.ID {
			return nil
		}
		if c.Owner != from.ID {
			return TakenError{c.Owner}
		}
		c.note(c.Lead, deed{deedOwner, from.Login, to.Login})
		state := c.State
		switch {
		case state == Fresh && to.ID != 0:
			state = InWork
		case state == InWork && to.ID == 0:
			state = Fresh
		}
		if state != c.State {
			c.note(c.Lead, deed{deedState, c.State.String(), state.String()})
		}
		return c.set(ctx, state, to.ID)
	})
}

// AddNote keeps a note about the lead, for operators alone. The error may be ErrLongNote, ErrEmptyNote,
// ErrNote, or that of SetState.
func (l *Leads) AddNote(ctx context.Context, by By, n Key, text string) error {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case utf8.RuneCountInString(text) > MaxNote:
		return ErrLongNote
	case text == "":
		return ErrEmptyNote
	case !utf8.ValidString(text), strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return ErrNote
	}
	return l.change(ctx, by, n, func(ctx context.Context, c *changing) error {
		c.note(c.Lead, deed{kind: deedNote, said: text})
		return nil
	})
}

// NoteCall notes that the sender of the lead has called again. The error may be that of SetState.
func (l *Leads) NoteCall(ctx context.Context, n Key) error {
	return l.change(ctx, By{}, n, func(ctx context.Context, c *changing) error {
		c.note(c.Lead, deed{kind: deedCalled})
		return nil
	})
}

// maxDeeds is how many deeds are shown.
const maxDeeds = 300

// Deeds are what operators have done with the leads of a site, the oldest first; of very many, the latest.
func (l *Leads) Deeds(ctx context.Context, siteID int64, leads []int64) ([]Deed, error) {
	type row struct {
		Deed
		at int64
	}
	ids := make([]string, len(leads))
	for i, id := range leads {
		ids[i] = strconv.FormatInt(id, 10)
	}
	rows, err := db.List(ctx, l.db.Read(), func(r *row) []any {
		return []any{&r.LeadID, &r.ID, &r.at, &r.By.ID, &r.By.Login, &r.Kind, &r.Was, &r.Said}
	}, `SELECT lead_id, id, at, operator_id, login, kind, was, said FROM lead_deeds WHERE site_id = $1 AND lead_id IN (`+strings.Join(ids, ", ")+`) ORDER BY at DESC, id DESC LIMIT `+strconv.Itoa(maxDeeds), siteID)
	if err != nil {
		return nil, fmt.Errorf("reading what was done with a lead: %w", err)
	}
	deeds := make([]Deed, len(rows))
	for i, r := range rows {
		r.At = time.UnixMilli(r.at)
		deeds[len(rows)-1-i] = r.Deed
	}
	return deeds, nil
}
