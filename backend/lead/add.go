package lead

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead/repeat"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Add stores the submission as a lead, adds its phone and e-mail to what is known of the visitor, and returns when both
// are durable. A submission that was delivered before is not stored again: the lead that it made is returned, with
// repeated true.
//
// What cannot be stored as it is has been cut then, see [submission.Submission.Check]. The error
// is an [submission.Invalid] when the submission is at fault, and nothing is stored then.
func (l *Leads) Add(ctx context.Context, s submission.Submission) (lead Lead, repeated bool, err error) {
	if err := s.Check(); err != nil {
		return Lead{}, false, err
	}
	id, err := l.ids.Next(ctx)
	if err != nil {
		return Lead{}, false, err
	}
	phone, at := contact.ReadPhone(s.Phone, s.Region), l.now()
	if !s.At.IsZero() && s.At.Before(at) {
		at = s.At
	}
	lead = Lead{
		ID: id, SiteID: s.SiteID, Ref: s.Ref, At: time.UnixMilli(at.UnixMilli()), Origin: s.Origin,
		Name: s.Name, Email: s.Email, Phone: s.Phone, PhoneDigits: phone.Digits, PhoneExtension: phone.Extension,
		Message: s.Message, IsSale: s.IsSale, SaleCost: s.SaleCost, GroupID: s.GroupID, FormName: s.FormName,
		UserFields: s.UserFields, URL: clip.Text(s.URL, submission.MaxAddress), SiteError: s.SiteError, Source: s.Source, Tags: s.Tags,
	}
	// The visit keeps its source itself. A lead whose visit is gone, or cannot be read now, is a lead all the same.
	if sources, err := l.visits.Sources(ctx, s.SiteID, s.Visit); err == nil {
		if its, found := sources[s.Visit]; found {
			lead.Source = its
		}
	}
	for _, mark := range s.Marks {
		lead.mark(mark)
	}
	info := visit.Info{Name: lead.Name, Email: lead.Email, Phone: lead.Phone, Region: s.Region}
	if s.Call != 0 { // a caller is not always the visitor for whom the number was
		info = visit.Info{}
	}
	request, err := repeat.Of(&s, id, lead.At, s.Origin == Form)
	if err != nil {
		return Lead{}, false, err
	}
	adding := adding{lead: lead, request: request, size: s.Size(), ofForm: s.Origin == Form || s.FormKey != ""}
	if adding.info, err = info.Read(); err != nil && !errors.Is(err, visit.ErrNothing) {
		return Lead{}, false, err
	}
	if s.By != "" {
		adding.made = Deed{At: l.now(), By: By{Login: s.By}, Kind: deedMade}
		if adding.made.ID, err = l.deedIDs.Next(ctx); err != nil {
			return Lead{}, false, err
		}
	}
	if err := l.add(ctx, &adding); err != nil {
		return Lead{}, false, fmt.Errorf("adding a lead: %w", err)
	}
	if adding.earlier == 0 {
		if l.stored != nil {
			l.stored(s.Origin)
		}
		return adding.stored.Lead, false, nil
	}
	lead, err = l.Made(ctx, Lead{ID: adding.earlier, SiteID: s.SiteID, Ref: s.Ref})
	return lead, true, err
}

// adding is a lead while it is being added.
type adding struct {
	lead    Lead
	request repeat.Request
	info    visit.StoredInfo // empty where the lead has no contacts
	size    int              // of the texts
	ofForm  bool             // it was seen on its way to the site
	made    Deed             // of the program that makes it; its ID is 0 for none

	stored  ready // the lead as it is stored
	earlier int64 // the lead that it is instead, or has become a part of; 0 for none
}

// joinTries is how often a lead is prepared anew that comes by several ways at the same moment.
const joinTries = 5

// add stores the lead, once for each request. It is prepared outside of the writer's transaction, in which it only
// turns out whether what it was prepared for still holds.
func (l *Leads) add(ctx context.Context, a *adding) error {
	alone, err := a.lead.ready()
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		into, err := joinedBy(ctx, l.db.Read(), a.lead)
		if err != nil {
			return err
		}
		isStale := false
		err = l.db.WriteOwn(ctx, int64(a.lead.Visitor), func(ctx context.Context, tx db.Tx) (err error) {
			a.stored, a.earlier = alone, 0 // it may be the second time
			a.stored.Marks = slices.Clone(alone.Marks)
			if isStale, err = stale(ctx, tx, a.lead, into); err != nil || isStale && try < joinTries {
				return err
			}
			if isStale {
				into = nil
			}
			if a.earlier, err = a.request.Note(ctx, tx); err != nil {
				return err
			}
			if a.earlier != 0 {
				tx.Alone() // the earlier one may be another visitor's
				return reachSite(ctx, tx, a)
			}
			return l.addTx(ctx, tx, a, into)
		})
		if err != nil || !isStale || try == joinTries {
			return err
		}
	}
}

// addTx stores the lead, as a part of the other one if that is not nil.
func (l *Leads) addTx(ctx context.Context, tx db.Tx, a *adding, into *joined) error {
	lead := &a.stored
	if lead.Origin != Chat { // else they were counted as they were said
		l.texts.Count(tx, lead.SiteID, lead.Visitor, a.size)
	}
	if err := a.request.Forget(ctx, tx); err != nil {
		return err
	}
	if into != nil {
		tx.Alone() // it may be a part of another visitor's
		a.earlier = into.ID
		if err := into.store(ctx, tx, a.request); err != nil {
			return err
		}
		if into.IsSale && !into.before.isSale {
			entry := journal.Entry{SiteID: lead.SiteID, At: lead.At, Kind: Changed, SubjectID: into.ID, VisitorID: int64(lead.Visitor), Data: []byte(`{"deed":"sale"}`)}
			if err := journal.Append(ctx, tx, entry); err != nil {
				return err
			}
		}
		if err := l.index(ctx, tx, into.Lead, into.words); err != nil {
			return err
		}
	} else {
		if lead.Spam() {
			lead.State = Spam
		}
		if err := l.store(ctx, tx, lead); err != nil {
			return err
		}
		if err := lead.markRepeated(ctx, tx); err != nil {
			return err
		}
	}
	if into == nil || len(into.Tags) == 0 {
		if err := Tags.Add(ctx, tx, lead.SiteID, cmp.Or(a.earlier, lead.ID), lead.Tags); err != nil {
			return err
		}
	}
	if a.made.ID != 0 {
		made := a.made
		made.LeadID = cmp.Or(a.earlier, lead.ID)
		if err := keepDeed(ctx, tx, lead.SiteID, made); err != nil {
			return err
		}
	}
	if err := l.visits.AddInfoTx(ctx, tx, lead.SiteID, lead.Ref, a.info); err != nil && !errors.Is(err, visit.ErrTooMany) {
		return err
	}
	if into != nil {
		return nil
	}
	data, err := json.Marshal(struct {
		Origin   string   `json:"origin"`
		IsSale   bool     `json:"is_sale"`
		FormName string   `json:"form_name,omitempty"`
		Marks    []string `json:"marks,omitempty"`
	}{lead.Origin, lead.IsSale, lead.FormName, lead.Marks})
	if err != nil {
		return err
	}
	return journal.Append(ctx, tx, journal.Entry{
		SiteID: lead.SiteID, At: lead.At, Kind: Added, SubjectID: lead.ID, VisitorID: int64(lead.Visitor), Data: data,
	})
}

// reachSite notes that the site has taken the form now, of which it had failed when the earlier lead was made.
func reachSite(ctx context.Context, tx db.Tx, a *adding) error {
	if !a.ofForm || a.lead.SiteError != 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE leads SET site_error = 0 WHERE site_id = $1 AND id = $2 AND site_error <> 0`, a.lead.SiteID, a.earlier)
	return err
}

// Made is a lead that was made earlier. If it has been erased since, no more is known of it than what is given; the
// sender has delivered it all the same.
func (l *Leads) Made(ctx context.Context, known Lead) (Lead, error) {
	lead, err := l.Get(ctx, known.SiteID, known.ID)
	if errors.Is(err, ErrUnknown) {
		return known, nil
	}
	return lead, err
}
