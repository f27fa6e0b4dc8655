package staff

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// maxTokens is how many tokens the page shows.
const maxTokens = 200

// tokenDays are the times for which the form offers a token, in days.
var tokenDays = []int{30, 90, 365, 1825}

// tokensPage is the content of the page of tokens.
type tokensPage struct {
	List []tokenRow
	Made string // shown once
	// Of the form, with what was not accepted.
	Name     string
	Days     []dayChoice
	Subjects []subjectChoice
	Sites    siteChoice
}

type dayChoice struct {
	Days   int
	Chosen bool
}

// subjectChoice is what the token may do with a subject.
type subjectChoice struct {
	Subject string
	Scopes  []opened
	Chosen  token.Scope // empty for nothing
}

// opened is a scope, as it is shown.
type opened struct {
	token.Scope
	Subject, Does string
}

func openedBy(s token.Scope) opened {
	subject, does := s.Parts()
	return opened{s, subject, does}
}

type tokenRow struct {
	token.Token
	Opened []opened
	Keys   []string // of the sites that both see; none for all sites
	Ours   bool     // the admin may revoke it
}

func (c *room) showTokens(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	return c.tokensPage(w, r, f, http.StatusOK, "")
}

// tokensPage shows the tokens: with what was not accepted, or with the token that was made.
func (c *room) tokensPage(w http.ResponseWriter, r *http.Request, f frame.Page, status int, made string) error {
	list, err := c.Tokens.List(r.Context(), f.Operator.Sites, maxTokens)
	if err != nil {
		return err
	}
	body := tokensPage{Made: made}
	for _, t := range list {
		row := tokenRow{Token: t, Ours: f.Operator.Sites.Covers(t.Sites)}
		for _, s := range t.Scopes {
			row.Opened = append(row.Opened, openedBy(s))
		}
		if !t.Sites.All() {
			row.Keys = keysOf(f, t.Sites)
		}
		body.List = append(body.List, row)
	}
	typed, days, chosen := status != http.StatusOK, 365, scope.Sites{}
	if typed {
		body.Name = r.PostFormValue("name")
		chosen, _ = chosenSites(r, f)
		days, _ = strconv.Atoi(r.PostFormValue("days"))
	} else if len(f.Sites) == 1 {
		chosen = scope.Of(f.Sites[0].ID)
	}
	body.Sites = choose(f, chosen).keep(r)
	for _, d := range tokenDays {
		body.Days = append(body.Days, dayChoice{d, d == days})
	}
	for _, s := range token.Scopes {
		of := openedBy(s)
		if n := len(body.Subjects); n == 0 || body.Subjects[n-1].Subject != of.Subject {
			body.Subjects = append(body.Subjects, subjectChoice{Subject: of.Subject})
		}
		subject := &body.Subjects[len(body.Subjects)-1]
		subject.Scopes = append(subject.Scopes, of)
		if typed && slices.Contains(r.PostForm["scopes"], string(s)) {
			subject.Chosen = s
		}
	}
	f.Body = body
	return c.Show(w, status, f)
}

// makeToken shows the token in its own answer: it is not kept for another page.
func (c *room) makeToken(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	days, _ := strconv.Atoi(r.PostFormValue("days"))
	chosen, problem := chosenSites(r, f)
	if problem != "" {
		f.Problem = problem
		return c.tokensPage(w, r, f, http.StatusUnprocessableEntity, "")
	}
	t := token.Token{Name: r.PostFormValue("name"), Sites: chosen}
	for _, name := range r.PostForm["scopes"] {
		if name != "" { // nothing is chosen for a subject
			t.Scopes = append(t.Scopes, token.Scope(name))
		}
	}
	_, secret, err := c.Tokens.Make(r.Context(), f.Operator.Actor(), t, days)
	for mistake, text := range map[error]string{
		token.ErrName: "tokens.wrongName", token.ErrDays: "tokens.wrongDays", token.ErrScope: "tokens.wrongScopes", token.ErrSites: "tokens.wrongSites",
		token.ErrForbidden: "problem.otherSites", token.ErrMany: "tokens.many",
	} {
		if errors.Is(err, mistake) {
			f.Problem = f.Words.Text(text)
			return c.tokensPage(w, r, f, http.StatusUnprocessableEntity, "")
		}
	}
	if err != nil {
		return err
	}
	return c.tokensPage(w, r, f, http.StatusOK, secret)
}

func (c *room) revokeToken(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	id, err := strconv.ParseInt(r.PathValue("program"), 10, 64)
	if err != nil {
		return frame.NotFound
	}
	err = c.Tokens.Revoke(r.Context(), f.Operator.Actor(), id)
	if errors.Is(err, token.ErrForbidden) {
		f.Problem = f.Words.Text("problem.otherSites")
		return c.tokensPage(w, r, f, http.StatusUnprocessableEntity, "")
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/tokens", "tokens.revoked")
}
