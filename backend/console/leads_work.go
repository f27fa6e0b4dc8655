package console

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// work answers what an operator does with the lead of the request. Others do it at the same time, so
// what is no longer possible is said, beside the lead as it is now.
func (c *inboxRoom) work(do func(r *http.Request, by lead.By, n lead.Name) error, done string) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.ContentLength > maxForm {
			return failure(http.StatusRequestEntityTooLarge, "lead.tooLarge")
		}
		siteID, id, err := twoNumbers(r, "site", "lead")
		if err != nil {
			return err
		}
		o, _ := current(r)
		n := lead.Name{SiteID: siteID, ID: id}
		err = do(r, lead.By{ID: o.ID, Login: o.Login}, n)
		status, problem := c.workProblem(r, siteID, err)
		switch {
		case err != nil && problem == "":
			return err
		case r.Header.Get("Console-Row") != "":
			return c.showRow(w, r, status, n, problem)
		case err != nil:
			return c.leadPage(w, r, status, problem, r.PostFormValue("text"))
		}
		return c.back(w, r, fmt.Sprintf("/leads/%d/%d", siteID, id), done)
	}
}

// workMistakes are the names of the words for what cannot be done.
var workMistakes = map[error]string{
	lead.ErrMerged: "lead.isPart", lead.ErrNotMerged: "lead.noPart", lead.ErrSelf: "lead.itself", lead.ErrManyParts: "lead.manyParts",
	lead.ErrLongNote: "lead.longNote", lead.ErrEmptyNote: "lead.emptyNote", lead.ErrNote: "lead.wrongNote", operator.ErrUnknown: "lead.noOperator",
}

// workProblem is what the page of the lead says of the error; empty when it has nothing to say of it.
func (c *inboxRoom) workProblem(r *http.Request, siteID int64, err error) (status int, problem string) {
	words := c.wordsFor(r)
	var taken lead.TakenError
	switch {
	case err == nil:
		return http.StatusOK, ""
	case errors.As(err, &taken):
		if taken.Owner == 0 {
			return http.StatusConflict, words.text("lead.letGoByNow")
		}
		staff, _ := c.Operators.List(r.Context(), permitted(r).Only(siteID)) // without it the name is missing
		return http.StatusConflict, words.text("lead.takenByNow", "name", written(ownerName(words, staff, taken.Owner)))
	}
	for mistake, text := range workMistakes {
		if errors.Is(err, mistake) {
			return http.StatusUnprocessableEntity, words.text(text)
		}
	}
	return 0, ""
}

// showRow answers with the lead's row, for a list that stays where it is.
func (c *inboxRoom) showRow(w http.ResponseWriter, r *http.Request, status int, n lead.Name, problem string) error {
	f, err := c.page(r, "leads")
	var l lead.Lead
	if err == nil {
		l, err = c.Leads.Get(r.Context(), n.SiteID, n.ID)
	}
	if err == nil {
		f.Staff, err = c.staffOf(r.Context(), f)
	}
	var body []byte
	if err == nil {
		var rows []leadRow
		if rows, err = c.rowsOf(r.Context(), f, []lead.Lead{l}); err == nil {
			body, err = c.part(f.Words, "lead-answer", struct {
				Row     leadRow
				Problem string
			}{rows[0], problem})
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

func (c *inboxRoom) setLeadState(r *http.Request, by lead.By, n lead.Name) error {
	state, ok := lead.StateOf(r.PostFormValue("state"))
	if !ok {
		return errForm
	}
	err := c.Leads.SetState(r.Context(), by, n, state)
	if errors.Is(err, lead.ErrState) {
		err = errForm
	}
	return err
}

// giveLead gives the lead from whom the page has shown as its owner to another, or to nobody.
func (c *inboxRoom) giveLead(r *http.Request, by lead.By, n lead.Name) error {
	from, errFrom := strconv.ParseInt(r.PostFormValue("from"), 10, 64)
	to, errTo := strconv.ParseInt(r.PostFormValue("to"), 10, 64)
	if errFrom != nil || errTo != nil || from < 0 || to < 0 {
		return errForm
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
func (c *inboxRoom) colleague(r *http.Request, siteID, id int64) (lead.By, error) {
	if id == 0 {
		return lead.By{}, nil
	}
	o, err := c.Operators.Get(r.Context(), id)
	if err == nil && (o.Disabled || !o.Sites.Has(siteID)) {
		err = operator.ErrUnknown
	}
	return lead.By{ID: o.ID, Login: o.Login}, err
}

func (c *inboxRoom) addNote(r *http.Request, by lead.By, n lead.Name) error {
	if !r.PostForm.Has("text") {
		return errForm
	}
	text := r.PostFormValue("text")
	if !utf8.ValidString(text) {
		return lead.ErrNote
	}
	return c.Leads.AddNote(r.Context(), by, n, text)
}

func (c *inboxRoom) mergeLead(r *http.Request, by lead.By, n lead.Name) error {
	part, err := strconv.ParseInt(r.PostFormValue("part"), 10, 64)
	if err != nil {
		return errForm
	}
	return c.Leads.Merge(r.Context(), by, n, part)
}

func (c *inboxRoom) splitLead(r *http.Request, by lead.By, n lead.Name) error {
	part, err := strconv.ParseInt(r.PostFormValue("part"), 10, 64)
	if err != nil {
		return errForm
	}
	return c.Leads.Split(r.Context(), by, n, part)
}
