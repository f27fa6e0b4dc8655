package calls

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// callbackProblem is what is wrong in what was asked for: the name of the words that say it,
// or the code of a result; and the field, empty where it is about no field.
type callbackProblem struct{ Field, Words, Code string }

func (p callbackProblem) text(w *words.Tongue) string {
	switch {
	case p.Code != "":
		return w.Text("callback.notCalled", "why", w.Text("callback.reason."+p.Code))
	case p.Words != "":
		return w.Text(p.Words)
	}
	return ""
}

// callbackMistakes says at which field a mistake is shown, and by which words.
var callbackMistakes = []struct {
	err error
	callbackProblem
}{
	{request.ErrPhone, callbackProblem{Field: "phone", Words: "callback.wrongPhone"}},
	{request.ErrType, callbackProblem{Field: "phone", Words: "callback.wrongType"}},
	{callback.ErrTime, callbackProblem{Field: "until", Words: "callback.wrongTime"}},
	{callback.ErrState, callbackProblem{Words: "callback.notNow"}},
}

// callbackProblemOf is what the error says to the operator; found is false when it is not about
// what was asked for.
func callbackProblemOf(err error) (problem callbackProblem, found bool) {
	for _, m := range callbackMistakes {
		if errors.Is(err, m.err) {
			return m.callbackProblem, true
		}
	}
	return problem, false
}

// moment reads a time as the page sends it: in UTC. The error is [callback.ErrTime].
func moment(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04"} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() >= 1970 {
			return at, nil
		}
	}
	return time.Time{}, callback.ErrTime
}

// callbackDeed answers what an operator does with the callback of the request. Others do it at
// the same time, and so does the telephone platform: what is no longer possible is said, beside
// the callback as it is now.
func (c *room) callbackDeed(do func(r *http.Request, login string, s site.Site, id int64) (callback.Result, error), done string) frame.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f, named, err := c.SiteAt(r, "callback")
		if err != nil {
			return err
		}
		_, id, err := frame.IDs(r, frame.SiteField, "callback")
		if err != nil {
			return err
		}
		result, err := do(r, f.Operator.Login, named, id)
		problem, mistaken := callbackProblemOf(err)
		switch {
		case mistaken && problem.Field == "":
			return c.callbackPage(w, r, http.StatusConflict, problem)
		case mistaken:
			return c.callbackPage(w, r, http.StatusUnprocessableEntity, problem)
		case err != nil:
			return err
		case result.Status != callback.Sent:
			return c.callbackPage(w, r, http.StatusConflict, callbackProblem{Code: result.Code})
		}
		return c.Back(w, r, rows.CallbackLink(named.ID, id), done)
	}
}

func (c *room) callNow(r *http.Request, login string, s site.Site, id int64) (callback.Result, error) {
	return c.Callbacks.Call(r.Context(), s.ID, id, login, rows.CallbackSettings(c.Frame, s))
}

func (c *room) postponeCallback(r *http.Request, login string, s site.Site, id int64) (callback.Result, error) {
	until, err := moment(r.PostFormValue("until"))
	if err == nil {
		err = c.Callbacks.Postpone(r.Context(), s.ID, id, until, login)
	}
	return callback.Result{}, err
}

func (c *room) closeCallback(r *http.Request, login string, s site.Site, id int64) (callback.Result, error) {
	return callback.Result{}, c.Callbacks.Close(r.Context(), s.ID, id, login)
}

// newCallback is the page on which somebody is called by hand.
type newCallback struct {
	site.Site
	Chosen   bool // the site is; else it has to be first
	Possible bool // somebody can be called
	Phone    string
	Phones   []string // those that the visitor is known by
	Visitor  int64
	Card     string // link to the visitor's; empty when nobody is known
	GroupID  int64
	Groups   []group.Group
	Until    string
	Wrong    map[string]string
}

// newCallbackAt begins the page of a new callback of the site, or of the only one. Without a
// site the operator chooses one first.
func (c *room) newCallbackAt(r *http.Request) (f frame.Page, body newCallback, err error) {
	if f, err = c.Page(r, "newcallback"); err != nil {
		return f, body, err
	}
	siteID := f.SiteID
	switch {
	case r.Method == http.MethodPost:
		siteID, _ = strconv.ParseInt(r.PostFormValue(frame.SiteField), 10, 64)
	case len(f.Sites) == 1:
		siteID = f.Sites[0].ID
	}
	if body.Site, body.Chosen = f.Site(siteID); !body.Chosen {
		return f, body, nil
	}
	if body.Possible, err = c.Callbacks.Possible(r.Context(), siteID, rows.CallbackSettings(c.Frame, body.Site)); err != nil {
		return f, body, err
	}
	body.Groups, err = c.Groups.Of(r.Context(), siteID)
	return f, body, err
}

func (c *room) showNewCallback(w http.ResponseWriter, r *http.Request) error {
	f, body, err := c.newCallbackAt(r)
	if err == nil && body.Chosen {
		err = c.knownOf(r, &body)
	}
	if err != nil {
		return err
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// knownOf fills in whom the page is about, if it comes from a visitor's card or from a lead. The
// address names those, and no telephone number: addresses are logged.
func (c *room) knownOf(r *http.Request, body *newCallback) error {
	query := r.URL.Query()
	body.Visitor, _ = strconv.ParseInt(query.Get("visitor"), 10, 64)
	if id, err := strconv.ParseInt(query.Get("lead"), 10, 64); err == nil {
		l, err := c.Leads.Get(r.Context(), body.ID, id)
		if err != nil {
			return err
		}
		body.Visitor = int64(l.Visitor)
		body.Phones = append(body.Phones, words.Phone(l.PhoneDigits, l.Phone))
	}
	if id, err := strconv.ParseInt(query.Get("call"), 10, 64); err == nil {
		of, err := c.Calls.Get(r.Context(), body.ID, id)
		if err != nil {
			return err
		}
		body.Visitor = int64(of.Visitor)
		body.Phones = append(body.Phones, words.Phone(of.Caller, ""))
	}
	if body.Visitor != 0 {
		card, err := c.Visitors.Card(r.Context(), body.ID, visit.ID(body.Visitor))
		if err != nil && (len(body.Phones) == 0 || !errors.Is(err, visit.ErrUnknown)) {
			return err
		}
		for _, contact := range card.Phones {
			body.Phones = append(body.Phones, words.Phone(contact.Phone().Digits, contact.Written))
		}
		body.Card = rows.CardLink(body.ID, body.Visitor)
	}
	body.Phones = slices.DeleteFunc(body.Phones, func(p string) bool { return strings.TrimSpace(p) == "" })
	if len(body.Phones) > 0 {
		body.Phone = body.Phones[0]
	}
	return nil
}

// makeCallback calls somebody by hand, now or later.
func (c *room) makeCallback(w http.ResponseWriter, r *http.Request) error {
	f, body, err := c.newCallbackAt(r)
	if err != nil {
		return err
	}
	if !body.Chosen {
		return frame.NotFound
	}
	by, err := c.sentCallback(r, &body)
	if errors.Is(err, frame.ErrForm) {
		return err
	}
	by.Login = f.Operator.Login
	if c.Region != nil {
		by.Region = c.Region(r.Context(), body.ID)
	}
	var made callback.Callback
	var result callback.Result
	if err == nil {
		made, result, err = c.Callbacks.Make(r.Context(), by, rows.CallbackSettings(c.Frame, body.Site))
	}
	if problem, mistaken := callbackProblemOf(err); mistaken {
		body.Wrong = map[string]string{problem.Field: problem.text(f.Words)}
		f.Here, f.Body = "/callbacks/new", body
		return c.Show(w, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	notice := ""
	switch {
	case result.Status == callback.Sent && !by.Time.IsZero():
		notice = "callback.later"
	case result.Status == callback.Sent:
		notice = "callback.calling"
	}
	return c.Back(w, r, rows.CallbackLink(made.SiteID, made.ID), notice)
}

// sentCallback is the new callback as the form has it. The error is errForm for what no page of
// the console sends, or [callback.ErrTime].
func (c *room) sentCallback(r *http.Request, body *newCallback) (by callback.By, err error) {
	number := func(name string) (n int64) {
		if text := r.PostFormValue(name); text != "" {
			var wrong error
			if n, wrong = strconv.ParseInt(text, 10, 64); wrong != nil || n < 0 {
				err = frame.ErrForm
			}
		}
		return n
	}
	body.Phone, body.Until = r.PostFormValue("phone"), r.PostFormValue("until")
	body.GroupID, body.Visitor = number("group"), number("visitor")
	if body.GroupID != 0 && !slices.ContainsFunc(body.Groups, func(g group.Group) bool { return g.ID == body.GroupID }) {
		err = frame.ErrForm
	}
	if err == nil && body.Visitor != 0 {
		if _, unknown := c.Visitors.Card(r.Context(), body.ID, visit.ID(body.Visitor)); errors.Is(unknown, visit.ErrUnknown) {
			body.Visitor = 0 // it has been erased, or there never was one
		} else if unknown != nil {
			return by, unknown
		} else {
			body.Card = rows.CardLink(body.ID, body.Visitor)
		}
	}
	by = callback.By{SiteID: body.ID, Phone: body.Phone, GroupID: body.GroupID}
	by.Visitor = visit.ID(body.Visitor)
	if err == nil && body.Until != "" {
		if by.Time, err = moment(body.Until); err == nil && c.Now().Sub(by.Time) > time.Minute {
			err = callback.ErrTime // a slip of the keyboard must ring nobody
		}
	}
	return by, err
}
