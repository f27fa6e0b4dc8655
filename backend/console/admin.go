package console

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

func (c *Console) showSites(w http.ResponseWriter, r *http.Request) {
	c.sites(w, r, http.StatusOK, "")
}

func (c *Console) sites(w http.ResponseWriter, r *http.Request, status int, problem string) {
	f, err := c.frame(r, "sites")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	f.Problem, f.Body = problem, r.PostFormValue("key")
	c.show(w, r, status, f)
}

func (c *Console) addSite(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimSpace(r.PostFormValue("key"))
	if site.ValidKey(key) != nil {
		c.sites(w, r, http.StatusUnprocessableEntity, c.wordsFor(r).text("problem.key"))
		return
	}
	if _, err := c.Sites.Provision(r.Context(), key); err != nil {
		c.failed(w, r, err)
		return
	}
	c.back(w, r, "/sites", "sites.added")
}

// staff is the content of the page of operators.
type staff struct {
	List        []operator.Operator
	Login, Name string // of the form that was not accepted
	Role        operator.Role
}

func (c *Console) showOperators(w http.ResponseWriter, r *http.Request) {
	c.operators(w, r, http.StatusOK, "")
}

func (c *Console) operators(w http.ResponseWriter, r *http.Request, status int, problem string) {
	f, err := c.frame(r, "operators")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	s := staff{Login: r.PostFormValue("login"), Name: r.PostFormValue("name"), Role: operator.Role(r.PostFormValue("role"))}
	if s.List, err = c.Operators.List(r.Context()); err != nil {
		c.failed(w, r, err)
		return
	}
	f.Problem, f.Body = problem, s
	c.show(w, r, status, f)
}

func (c *Console) addOperator(w http.ResponseWriter, r *http.Request) {
	_, err := c.Operators.Create(r.Context(), operator.Account{
		Login: r.PostFormValue("login"), Name: r.PostFormValue("name"),
		Password: r.PostFormValue("password"), Role: operator.Role(r.PostFormValue("role")),
	})
	c.changed(w, r, err, "operators.added")
}

func (c *Console) setDisabled(w http.ResponseWriter, r *http.Request) {
	self, _ := current(r)
	id, err := strconv.ParseInt(r.PathValue("operator"), 10, 64)
	switch {
	case err != nil:
		err = operator.ErrUnknown
	case id == self.ID:
		c.operators(w, r, http.StatusUnprocessableEntity, c.wordsFor(r).text("problem.self"))
		return
	default:
		err = c.Operators.SetDisabled(r.Context(), id, r.PostFormValue("disabled") == "true")
	}
	c.changed(w, r, err, "operators.changed")
}

func (c *Console) changed(w http.ResponseWriter, r *http.Request, err error, notice string) {
	problem := c.wordsFor(r).problem(err)
	switch {
	case errors.Is(err, operator.ErrUnknown):
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
	case problem != "":
		c.operators(w, r, http.StatusUnprocessableEntity, problem)
	case err != nil:
		c.failed(w, r, err)
	default:
		c.back(w, r, "/operators", notice)
	}
}
