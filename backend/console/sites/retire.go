package sites

import (
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
)

// suspendSite suspends a site, or resumes it.
func (c *room) suspendSite(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	id, _ := strconv.ParseInt(r.PathValue(frame.SiteField), 10, 64)
	suspended, notice := r.PostFormValue("suspended") == "true", "sites.resumed"
	if suspended {
		notice = "sites.suspended"
	}
	made, err := c.Sites.Suspend(r.Context(), id, suspended, o.Login)
	if err != nil {
		return err
	}
	return c.Back(w, r, frame.SiteLink(made.ID), notice)
}

// retireSite retires a site, or restores it.
func (c *room) retireSite(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	id, _ := strconv.ParseInt(r.PathValue(frame.SiteField), 10, 64)
	retired := r.PostFormValue("retired") == "true"
	made, err := c.Sites.Retire(r.Context(), id, retired, o.Login)
	notice := "sites.restored"
	if retired {
		notice = "sites.retired"
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, frame.SiteLink(made.ID), notice)
}
