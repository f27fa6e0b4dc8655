package bulletins

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

const (
	// here is the address of the page.
	here = "/reports/mail"
	// mostListed is how many subscriptions the page lists.
	mostListed = 200
)

// page is the list of subscriptions, and the form for another.
type page struct {
	Rows      []row
	More      bool // than are listed
	NoMail    bool
	Sites     []site.Site
	Sent      bulletin.Subscription // as the form has it
	Every     []frame.Option
	Languages []*words.Tongue
	Wrong     map[string]string // what is wrong, by the names of fields
}

// row is a subscription as a row of the list.
type row struct {
	bulletin.Subscription
	Site, Often       string
	StateName, Tone   string
	Answer            string // why the last mail was not taken
	Link              string
	MayTest, MayPause bool
	MayResume         bool
}

// often are the names of the words for frequencies.
var often = map[bulletin.Every]string{bulletin.Day: "bulletins.day", bulletin.Week: "bulletins.week", bulletin.Month: "bulletins.month"}

// states are the names of the words for states, and tones how these are to be taken.
var (
	states = map[bulletin.State]string{bulletin.Active: "bulletins.active", bulletin.Paused: "bulletins.paused", bulletin.Stopped: "bulletins.stopped", bulletin.Refused: "bulletins.refused"}
	tones  = map[bulletin.State]string{bulletin.Paused: "none", bulletin.Stopped: "none", bulletin.Refused: "bad"}
)

// wrongs are the fields of the form, and the names of the words, for what cannot be subscribed.
var wrongs = []struct {
	err         error
	field, name string
}{
	{bulletin.ErrAddress, "address", "bulletins.wrongAddress"}, {bulletin.ErrTwice, "address", "bulletins.twice"}, {bulletin.ErrEvery, "every", "bulletins.wrongEvery"},
	{bulletin.ErrLanguage, "language", "bulletins.wrongLanguage"}, {bulletin.ErrTooMany, "", "bulletins.tooMany"},
}

func (c *room) rowOf(p frame.Page, s bulletin.Subscription) row {
	r := row{
		Subscription: s, Site: p.SiteKey(s.SiteID), Often: p.Words.Text(often[s.Every]), StateName: states[s.State], Tone: tones[s.State], Link: fmt.Sprintf("%s/%d/%d", here, s.SiteID, s.ID),
		MayTest: s.State != bulletin.Stopped && c.hasMail(), MayPause: s.State == bulletin.Active, MayResume: s.State == bulletin.Paused || s.State == bulletin.Refused,
	}
	if s.Reason == "" {
		return r
	}
	parts := []string{p.Words.Text("delivery.reason." + s.Reason)}
	if s.Status != 0 {
		parts = append(parts, strconv.Itoa(s.Status))
	}
	r.Answer = strings.Join(words.Parts(append(parts, s.Detail)...), " · ")
	r.Tone = cmp.Or(r.Tone, "away")
	return r
}

func (c *room) list(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	return c.show(w, r, http.StatusOK, p, bulletin.Subscription{SiteID: p.SiteID, Every: bulletin.Week, Language: p.Words.Code}, nil)
}

// show answers with the list, and the form as it was sent.
func (c *room) show(w http.ResponseWriter, r *http.Request, status int, p frame.Page, sent bulletin.Subscription, wrong map[string]string) error {
	body := page{NoMail: !c.hasMail(), Sent: sent, Languages: c.Tongues, Wrong: wrong}
	found, err := c.bulletins.List(r.Context(), p.Scope, mostListed+1)
	if err != nil {
		return err
	}
	if body.More = len(found) > mostListed; body.More {
		found = found[:mostListed]
	}
	for _, s := range found {
		body.Rows = append(body.Rows, c.rowOf(p, s))
	}
	for _, s := range p.Sites {
		if s.RetiredAt.IsZero() && (p.SiteID == 0 || p.SiteID == s.ID) {
			body.Sites = append(body.Sites, s)
		}
	}
	for _, e := range bulletin.Frequencies {
		body.Every = append(body.Every, frame.Option{Value: string(e), Name: p.Words.Text(often[e])})
	}
	p.Body, p.Here = body, here
	return c.Show(w, status, p)
}

// add adds the subscription of the form. The door has seen that the operator may do so at its site.
func (c *room) add(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	s := bulletin.Subscription{Address: value("address"), Every: bulletin.Every(value("every")), Language: value("language")}
	s.SiteID, _ = strconv.ParseInt(value(frame.SiteField), 10, 64)
	if at, found := p.Site(s.SiteID); !found || !at.RetiredAt.IsZero() {
		return frame.NotFound
	}
	_, err := c.bulletins.Add(r.Context(), s, p.Operator.Login)
	for _, known := range wrongs {
		if errors.Is(err, known.err) {
			p.Problem = p.Words.Text(known.name, "n", bulletin.MaxSubscriptions)
			return c.show(w, r, http.StatusUnprocessableEntity, p, s, map[string]string{known.field: p.Problem})
		}
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, here, "bulletins.added")
}

// change does something with the subscription of the address, and says so on the page.
func (c *room) change(w http.ResponseWriter, r *http.Request, notice string, do func(siteID, id int64, by string) error) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "subscriber")
	if err != nil {
		return err
	}
	o, _ := frame.Current(r)
	switch err = do(siteID, id, o.Login); {
	case errors.Is(err, bulletin.ErrSoon):
		notice = "bulletins.soon"
	case errors.Is(err, bulletin.ErrStopped):
		notice = "bulletins.isStopped"
	case err != nil:
		return err
	}
	return c.Back(w, r, here, notice)
}

func (c *room) pause(w http.ResponseWriter, r *http.Request) error {
	paused, notice := r.PostFormValue("paused") == "true", "bulletins.resumed"
	if paused {
		notice = "bulletins.isPaused"
	}
	return c.change(w, r, notice, func(siteID, id int64, by string) error {
		return c.bulletins.Pause(r.Context(), siteID, id, paused, by)
	})
}

func (c *room) test(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, "bulletins.tested", func(siteID, id int64, by string) error { return c.bulletins.Try(r.Context(), siteID, id, by) })
}

func (c *room) remove(w http.ResponseWriter, r *http.Request) error {
	return c.change(w, r, "bulletins.removed", func(siteID, id int64, by string) error { return c.bulletins.Remove(r.Context(), siteID, id, by) })
}
