package pools

import (
	"net/http"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
)

// release ends the rest of the numbers that the form names.
func (c *room) release(w http.ResponseWriter, r *http.Request, _ frame.Page, n *rows.Numbering) error {
	name := r.PathValue("pool")
	pool := n.PoolOf(name)
	if pool == nil {
		return frame.NotFound
	}
	if err := r.ParseForm(); err != nil {
		return err
	}
	resting, err := c.Leases.Resting(r.Context(), pool)
	if err != nil {
		return err
	}
	released := slices.DeleteFunc(slices.Clone(r.PostForm["number"]), func(digits string) bool { return resting[digits].IsZero() })
	if err := c.Leases.Release(r.Context(), pool, released); err != nil {
		return err
	}
	return c.Back(w, r, rows.PoolLink(n.ID, name), "pool.released")
}
