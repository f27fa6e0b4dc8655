package console

import (
	"net/http"
	"strings"

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
