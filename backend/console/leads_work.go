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
func (c *Console) work(do func(r *http.Request, by lead.By, n lead.Name) error, done string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > maxForm {
			c.fail(w, r, http.StatusRequestEntityTooLarge, "lead.tooLarge")
			return
		}
		siteID, id, ok := twoNumbers(r, "site", "lead")
		if !ok {
			c.fail(w, r, http.StatusNotFound, "fail.notFound")
			return
		}
		o, _ := current(r)
		n := lead.Name{SiteID: siteID, ID: id}
		err := do(r, lead.By{ID: o.ID, Login: o.Login}, n)
		inRow := r.Header.Get("Console-Row") != ""
		status, problem := c.workProblem(r, siteID, err)
		switch {
		case status == http.StatusNotFound || status == http.StatusBadRequest:
			c.fail(w, r, status, problem)
		case err != nil && problem == "":
			c.failed(w, r, err)
		case inRow:
			c.showRow(w, r, status, n, problem)
		case err != nil:
			c.leadPage(w, r, status, problem, r.PostFormValue("text"))
		default:
			c.back(w, r, fmt.Sprintf("/leads/%d/%d", siteID, id), done)
		}
	}
}

// errForm is the error of a form that no page of the console has.
var errForm = errors.New("the form was not understood")

// workMistakes are the names of the words for what cannot be done.
var workMistakes = map[error]string{
	lead.ErrMerged: "lead.isPart", lead.ErrNotMerged: "lead.noPart", lead.ErrSelf: "lead.itself", lead.ErrManyParts: "lead.manyParts",
	lead.ErrLongNote: "lead.longNote", lead.ErrEmptyNote: "lead.emptyNote", lead.ErrNote: "lead.wrongNote", operator.ErrUnknown: "lead.noOperator",
}

// workProblem is what the error says to the operator; empty when it is not about what was asked for.
// For the statuses that have a page of their own it is the name of the words.
func (c *Console) workProblem(r *http.Request, siteID int64, err error) (status int, problem string) {
	words := c.wordsFor(r)
	var taken lead.TakenError
	switch {
	case err == nil:
		return http.StatusOK, ""
	case errors.Is(err, lead.ErrUnknown):
		return http.StatusNotFound, "fail.noLead"
	case errors.Is(err, errForm), errors.Is(err, lead.ErrState):
		return http.StatusBadRequest, "fail.form"
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
func (c *Console) showRow(w http.ResponseWriter, r *http.Request, status int, n lead.Name, problem string) {
	f, err := c.frame(r, "leads")
	var l lead.Lead
	if err == nil {
		l, err = c.Leads.Get(r.Context(), n.SiteID, n.ID)
	}
	if err == nil {
		f.Staff, err = c.staff(r, f)
	}
	var body []byte
	if err == nil {
		rows := []leadRow{leadRowOf(f, l)}
		if err = c.countParts(r.Context(), rows); err == nil {
			body, err = c.part(f.Words, "lead-answer", struct {
				Row     leadRow
				Problem string
			}{rows[0], problem})
		}
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(body)
}

func (c *Console) setLeadState(r *http.Request, by lead.By, n lead.Name) error {
	state, ok := lead.StateOf(r.PostFormValue("state"))
	if !ok {
		return errForm
	}
	return c.Leads.SetState(r.Context(), by, n, state)
}

// giveLead gives the lead from whom the page has shown as its owner to another, or to nobody.
func (c *Console) giveLead(r *http.Request, by lead.By, n lead.Name) error {
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
func (c *Console) colleague(r *http.Request, siteID, id int64) (lead.By, error) {
	if id == 0 {
		return lead.By{}, nil
	}
	o, err := c.Operators.Get(r.Context(), id)
	if err == nil && (o.Disabled || !o.Sites.Has(siteID)) {
		err = operator.ErrUnknown
	}
	return lead.By{ID: o.ID, Login: o.Login}, err
}

func (c *Console) addNote(r *http.Request, by lead.By, n lead.Name) error {
	if !r.PostForm.Has("text") {
		return errForm
	}
	text := r.PostFormValue("text")
	if !utf8.ValidString(text) {
		return lead.ErrNote
	}
	return c.Leads.AddNote(r.Context(), by, n, text)
}

func (c *Console) mergeLead(r *http.Request, by lead.By, n lead.Name) error {
	part, err := strconv.ParseInt(r.PostFormValue("part"), 10, 64)
	if err != nil {
		return errForm
	}
	return c.Leads.Merge(r.Context(), by, n, part)
}

func (c *Console) splitLead(r *http.Request, by lead.By, n lead.Name) error {
	part, err := strconv.ParseInt(r.PostFormValue("part"), 10, 64)
	if err != nil {
		return errForm
	}
	return c.Leads.Split(r.Context(), by, n, part)
}
