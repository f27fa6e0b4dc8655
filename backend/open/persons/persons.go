// Package persons is the part of the public API about all that is known of one person: to look at it, and to have it
// erased.
package persons

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// patience is for how long texts are looked through.
const patience = 5 * time.Second

type room struct {
	*frame.Frame
	persons *person.Persons
}

// Sought is by what a person is looked for. It is the body of a call, so that nobody's number stands in an address.
type Sought struct {
	Phones   []string    `json:"phones,omitempty" nullable:"false" maxItems:"20" doc:"Telephone numbers, as people write them."`
	Emails   []string    `json:"emails,omitempty" nullable:"false" maxItems:"20" doc:"E-mail addresses."`
	Visitors []Reference `json:"visitors,omitempty" nullable:"false" maxItems:"20" doc:"Visitors."`
}

// Reference is a visitor, a lead, a call or a conversation of a site.
type Reference struct {
	Site string `json:"site" maxLength:"64" doc:"The key of the site."`
	ID   string `json:"id" pattern:"^[0-9]{1,19}$" doc:"The number, as digits."`
}

// Known is what is known of a person.
type Known struct {
	Person        string           `json:"person" doc:"A hash that stands for the person in the history."`
	Rows          map[string]int64 `json:"rows" nullable:"false" doc:"How many rows there are, by their tables."`
	Named         map[string]int64 `json:"named" nullable:"false" doc:"Those of them that only name the person in a text."`
	IsPartial     bool             `json:"is_partial" doc:"There was no time to look through all texts."`
	Visitors      []Reference      `json:"visitors" nullable:"false"`
	Leads         []Reference      `json:"leads" nullable:"false"`
	Calls         []Reference      `json:"calls" nullable:"false"`
	Conversations []Reference      `json:"chats" nullable:"false"`
}

// Erasure is the erasing of a person.
type Erasure struct {
	ID      int64      `json:"id"`
	Person  string     `json:"person" doc:"The hash that stands for the person."`
	By      string     `json:"by" doc:"The login of who has asked for it, or the name of the program."`
	AskedAt time.Time  `json:"asked_at"`
	EndedAt *time.Time `json:"ended_at" doc:"Null while it goes on."`
	Rows    int64      `json:"rows" doc:"How many rows have been erased."`
}

type soughtInput struct{ Body Sought }

type knownOutput struct{ Body Known }

type erasureOutput struct{ Body Erasure }

type erasuresOutput struct {
	Body struct {
		Erasures []Erasure `json:"erasures" nullable:"false" doc:"The latest at the token's sites, the newest first."`
	}
}

// Mount adds the operations.
func Mount(f *frame.Frame, persons *person.Persons) {
	r := &room{f, persons}
	add := func(method, path, id string, opens token.Scope, summary, description string) frame.Operation {
		return frame.Operation{
			Method: method, Path: path, ID: id, Subject: "Persons", Opens: opens, Summary: summary, Description: description, Does: path != "erasures", Dear: method == http.MethodPost,
			Mistakes: frame.Mistakes{person.ErrNobody: http.StatusUnprocessableEntity},
		}
	}
	frame.Add(f, add("POST", "persons/search", "findPerson", token.ReadPersons, "Look for a person",
		"All that is known of a person at the token's sites. Who has looked stands in the history."), r.look)
	export := add("POST", "persons/export", "exportPerson", token.ReadPersons, "Hand out what is known of a person",
		"All that would be erased, as a file for who has asked for it: an object with tables, of which each is a list of rows. Who has handed it out stands in the history.")
	export.Files = []string{"application/json"}
	frame.Write(f, export, r.export)
	frame.Add(f, add("POST", "erasures", "erasePerson", token.WritePersons, "Erase a person",
		"All that is known of the person at the token's sites is erased, also after a restart. It cannot be undone."), r.erase)
	frame.Add(f, add("GET", "erasures", "listErasures", token.ReadPersons, "List erasures", "Who has had whom erased. Persons are named by a hash alone."), r.list)
}

func erasureOf(e person.Erasure) Erasure {
	told := Erasure{ID: e.ID, Person: e.Person, By: e.By, AskedAt: e.AskedAt.UTC(), Rows: e.Rows}
	if !e.EndedAt.IsZero() {
		told.EndedAt = new(e.EndedAt.UTC())
	}
	return told
}

var errContact = errors.New("expected a telephone number or an e-mail address")

// sought is by what the person is looked for, at the caller's sites.
func (r *room) sought(ctx context.Context, said Sought) (person.Sought, error) {
	s := person.Sought{Sites: frame.Caller(ctx).Sites, Patience: patience}
	for _, contacts := range [][]string{said.Phones, said.Emails} {
		for _, contact := range contacts {
			if err := s.Read(contact); err != nil {
				return s, frame.Wrong("body", errContact, nil)
			}
		}
	}
	for _, of := range said.Visitors {
		at, err := r.Site(ctx, of.Site)
		if err != nil {
			return s, err
		}
		id, _ := strconv.ParseInt(of.ID, 10, 64)
		s.Visitors = append(s.Visitors, person.Visitor{SiteID: at.ID, ID: visit.ID(id)})
	}
	return s, nil
}

func (r *room) look(ctx context.Context, in *soughtInput) (*knownOutput, error) {
	s, err := r.sought(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	known, err := r.persons.Look(ctx, frame.Actor(ctx).By, s)
	if err != nil {
		return nil, err
	}
	out := &knownOutput{Known{Person: known.Person, Rows: rowsOf(known.Rows), Named: rowsOf(known.Named), IsPartial: known.Partial}}
	for _, some := range []struct {
		marks []trace.Mark
		to    *[]Reference
	}{{known.Visitors, &out.Body.Visitors}, {known.Leads, &out.Body.Leads}, {known.Calls, &out.Body.Calls}, {known.Conversations, &out.Body.Conversations}} {
		*some.to = make([]Reference, 0, min(len(some.marks), mostOf))
		for _, m := range some.marks[:min(len(some.marks), mostOf)] {
			key, err := r.Key(ctx, m.SiteID)
			if err != nil {
				return nil, err
			}
			*some.to = append(*some.to, Reference{key, strconv.FormatInt(m.ID, 10)})
		}
	}
	return out, nil
}

// mostOf is how many of each are named.
const mostOf = 1000

func rowsOf(tables []person.TableRows) map[string]int64 {
	rows := make(map[string]int64, len(tables))
	for _, t := range tables {
		rows[t.Table] = t.Rows
	}
	return rows
}

func (r *room) export(ctx context.Context, in *soughtInput) (*frame.Written, error) {
	s, err := r.sought(ctx, in.Body)
	s.Patience = 0 // all that there is
	return &frame.Written{Name: "person-" + r.Now().UTC().Format(time.DateOnly) + ".json", Type: "application/json", Write: func(ctx context.Context, w io.Writer) error {
		return r.persons.Export(ctx, frame.Actor(ctx).By, s, w, nil)
	}}, err
}

func (r *room) erase(ctx context.Context, in *soughtInput) (*erasureOutput, error) {
	s, err := r.sought(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	id, err := r.persons.Erase(ctx, frame.Actor(ctx).By, s)
	if err != nil {
		return nil, err
	}
	e, err := r.persons.Erasure(ctx, id)
	return &erasureOutput{erasureOf(e)}, err
}

func (r *room) list(ctx context.Context, _ *struct{}) (*erasuresOutput, error) {
	erasures, err := r.persons.Erasures(ctx, frame.Caller(ctx).Sites)
	out := new(erasuresOutput)
	out.Body.Erasures = make([]Erasure, len(erasures))
	for i, e := range erasures {
		out.Body.Erasures[i] = erasureOf(e)
	}
	return out, err
}
