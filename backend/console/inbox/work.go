package inbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/tag"
)

// work answers what an operator does with the lead of the request. Others do it at the same time, so
// what is no longer possible is said, beside the lead as it is now.
func (c *room) work(do func(r *http.Request, by lead.By, n lead.Key) error, done string) frame.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.ContentLength > frame.MaxForm {
			return frame.Fail(http.StatusRequestEntityTooLarge, "lead.tooLarge")
		}
		siteID, id, err := frame.IDs(r, "site", "lead")
		if err != nil {
			return err
		}
		o, _ := frame.Current(r)
		n := lead.Key{SiteID: siteID, ID: id}
		err = do(r, lead.By{ID: o.ID, Login: o.Login}, n)
		status, problem := c.workProblem(r, siteID, err)
		switch {
		case err != nil && problem == "":
			return err
		case r.Header.Get("Console-Row") != "":
			return c.showRow(w, r, status, n, problem)
		case err != nil:
			return c.leadPage(w, r, status, problem)
		}
		return c.Back(w, r, fmt.Sprintf("/leads/%d/%d", siteID, id), done)
	}
}

// workMistakes are the names of the words for what cannot be done.
var workMistakes = map[error]string{
	lead.ErrMerged: "lead.isPart", lead.ErrNotMerged: "lead.noPart", lead.ErrSelf: "lead.itself", lead.ErrManyParts: "lead.manyParts",
	lead.ErrLongNote: "lead.longNote", lead.ErrEmptyNote: "lead.emptyNote", lead.ErrNote: "lead.wrongNote", operator.ErrUnknown: "lead.noOperator",
	tag.ErrTags: "lead.wrongTags", lead.ErrAmount: "leads.wrongAmount",
}

// workProblem is what the page of the lead says of the error; empty when it has nothing to say of it.
func (c *room) workProblem(r *http.Request, siteID int64, err error) (status int, problem string) {
	tongue := c.Words(r)
	var taken lead.TakenError
	switch {
	case err == nil:
		return http.StatusOK, ""
	case errors.As(err, &taken):
		if taken.Owner == 0 {
			return http.StatusConflict, tongue.Text("lead.letGoByNow")
		}
		staff, _ := c.Operators.List(r.Context(), frame.Permitted(r).Only(siteID)) // without it the name is missing
		return http.StatusConflict, tongue.Text("lead.takenByNow", "name", words.Written(rows.OwnerName(tongue, staff, taken.Owner)))
	}
	for mistake, text := range workMistakes {
		if errors.Is(err, mistake) {
			return http.StatusUnprocessableEntity, tongue.Text(text)
		}
	}
	return 0, ""
}

// showRow answers with the lead's row, for a list that stays where it is.
func (c *room) showRow(w http.ResponseWriter, r *http.Request, status int, n lead.Key, problem string) error {
	f, err := c.Page(r, "leads")
	var l lead.Lead
	if err == nil {
		l, err = c.Leads.Get(r.Context(), n.SiteID, n.ID)
	}
	if err == nil {
		f.Staff, err = c.StaffOf(r.Context(), f)
	}
	var body []byte
	if err == nil {
		var lines []rows.LeadRow
		if lines, err = c.rowsOf(r.Context(), f, []lead.Lead{l}); err == nil {
			body, err = c.Part(f.Words, "lead-answer", struct {
				Row     rows.LeadRow
				Problem string
			}{lines[0], problem})
		}
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(body)
	return nil
}

func (c *room) setLeadState(r *http.Request, by lead.By, n lead.Key) error {
	state, ok := lead.StateOf(r.PostFormValue("state"))
	if !ok {
		return frame.ErrForm
	}
	err := c.Leads.SetState(r.Context(), by, n, state)
	if errors.Is(err, lead.ErrState) {
		err = frame.ErrForm
	}
	return err
}

// giveLead gives the lead from whom the page has shown as its owner to another, or to nobody.
func (c *room) giveLead(r *http.Request, by lead.By, n lead.Key) error {
	from, errFrom := strconv.ParseInt(r.PostFormValue("from"), 10, 64)
	to, errTo := strconv.ParseInt(r.PostFormValue("to"), 10, 64)
	if errFrom != nil || errTo != nil || from < 0 || to < 0 {
		return frame.ErrForm
	}
	before, err := c.colleague(r, n.SiteID, from)
	if errors.Is(err, operator.ErrUnknown) { // an account that is gone may still have leads
		before, err = lead.By{ID: from}, nil
	}
	if err != nil {
		return err
	}
	after, err := c.colleague(r, n.SiteID, to)
	if err != nil {
		return err
	}
	return c.Leads.Give(r.Context(), by, n, before, after)
}

// colleague is the operator of the id, who sees the site and can sign in, or ErrUnknown; for 0 nobody.
func (c *room) colleague(r *http.Request, siteID, id int64) (lead.By, error) {
	if id == 0 {
		return lead.By{}, nil
	}
	o, err := c.Operators.Get(r.Context(), id)
	if err == nil && (o.Disabled || !o.Sites.Has(siteID) || !o.SeesPersons()) {
		err = operator.ErrUnknown
	}
	return lead.By{ID: o.ID, Login: o.Login}, err
}

func (c *room) addNote(r *http.Request, by lead.By, n lead.Key) error {
	if !r.PostForm.Has("text") {
		return frame.ErrForm
	}
	text := r.PostFormValue("text")
	if !utf8.ValidString(text) {
		return lead.ErrNote
	}
	return c.Leads.AddNote(r.Context(), by, n, text)
}

func (c *room) setTags(r *http.Request, by lead.By, n lead.Key) error {
	if !r.PostForm.Has("tags") {
		return frame.ErrForm
	}
	tags, err := tag.Read(r.PostFormValue("tags"))
	if err != nil {
		return err
	}
	return c.Leads.SetTags(r.Context(), by, n, tags)
}

// setSale says that the lead is a sale, of the amount if there is one, or that it is none.
func (c *room) setSale(r *http.Request, by lead.By, n lead.Key) error {
	return c.Leads.SetSale(r.Context(), by, n, r.PostFormValue("sale") == "yes", r.PostFormValue("amount"))
}

// ofPart does something with the lead and the part of it that the request names.
func ofPart(do func(ctx context.Context, by lead.By, n lead.Key, part int64) error) func(*http.Request, lead.By, lead.Key) error {
	return func(r *http.Request, by lead.By, n lead.Key) error {
		part, err := strconv.ParseInt(r.PostFormValue("part"), 10, 64)
		if err != nil {
			return frame.ErrForm
		}
		return do(r.Context(), by, n, part)
	}
}
