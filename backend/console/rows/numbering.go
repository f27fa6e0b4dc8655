package rows

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/numbering"
)

// Numbering is what there is of a site's numbers, and what a form says of them.
type Numbering struct {
	*numbering.Numbering
	Doubts []string // what a form says that is hardly meant, to be asked about; see [Numberings.Make]
	Sure   string   // what the form sends along when it is meant
}

// Numberings tell what there is of sites' numbers.
type Numberings struct {
	*frame.Frame
	Numbers *inventory.Inventory
	// Pools are those of this server's configuration. It may be nil.
	Pools func() number.ConfiguredPools
}

// Of is what there is of the site's numbers.
func (c Numberings) Of(ctx context.Context, s site.Site) (*Numbering, error) {
	set, known := c.ConfiguredOf(s.Key)
	var pools number.ConfiguredPools
	if c.Pools != nil {
		pools = c.Pools()
	}
	n, err := numbering.Of(ctx, c.Numbers, s, set, known, pools)
	return &Numbering{Numbering: n}, err
}

// keep stores numbers and pools of the site's own in place of those of the version. wrong is what is wrong with them.
// The error is [site.ErrChanged] when there is another version by now.
func (c Numberings) keep(r *http.Request, n *Numbering, seen int64, own number.Own) (wrong, err error) {
	o, _ := frame.Current(r)
	_, err = c.Sites.Change(r.Context(), n.Key, seen, n.With(own), o.Login)
	if invalid, ok := errors.AsType[*site.Invalid](err); ok {
		return invalid.Err, nil
	}
	return nil, err
}

// WithNumbers begins the page of that name for a handler, about the numbers of the site that the address names.
func (c Numberings) WithNumbers(page string, h func(w http.ResponseWriter, r *http.Request, f frame.Page, n *Numbering) error) frame.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f, named, err := c.ServedAt(r, page)
		if err != nil {
			return err
		}
		n, err := c.Of(r.Context(), named)
		if err != nil {
			return err
		}
		return h(w, r, f, n)
	}
}

// Change is a change of numbers or pools of a site's own, by a form.
type Change struct {
	Seen       int64  // version that the form was made from
	Name       string // of the number or pool
	Own        number.Own
	To, Notice string // the page that follows, and what it says
	Asks       bool   // about what is hardly meant, before it is stored
	// Again shows the form once more: with what is wrong, as it was sent where there are doubts to ask about, or as somebody
	// else has left it meanwhile.
	Again func(status int, f frame.Page, n *Numbering, wrong error) error
}

// Make stores the change, and answers the form. What is hardly meant is asked about first.
func (c Numberings) Make(w http.ResponseWriter, r *http.Request, f frame.Page, n *Numbering, change Change) error {
	wrong, err := n.Check(change.Own, change.Name), error(nil)
	if wrong == nil && change.Asks && n.asks(f.Words, change.Own, r.PostFormValue("sure")) {
		return change.Again(http.StatusUnprocessableEntity, f, n, nil)
	}
	if wrong == nil {
		wrong, err = c.keep(r, n, change.Seen, change.Own)
	}
	switch {
	case wrong != nil:
		f.Problem = NumberMistake(f.Words, wrong)
		return change.Again(http.StatusUnprocessableEntity, f, n, wrong)
	case errors.Is(err, site.ErrChanged):
		return c.WithNumbers(f.Page, func(_ http.ResponseWriter, _ *http.Request, f frame.Page, n *Numbering) error {
			f.Problem = f.Words.Text("problem.changed")
			return change.Again(http.StatusConflict, f, n, nil)
		})(w, r)
	case err != nil:
		return err
	}
	return c.Back(w, r, change.To, change.Notice)
}

// Exhausted are the names of the words for what visitors see when a pool has no number left.
var Exhausted = map[number.Exhausted]string{number.ShowOriginal: "pool.original", number.ShareNumber: "pool.shared", number.ShowReserve: "pool.reserve"}

// NumberLink is the page of a number of the site, and PoolLink that of a pool.
func NumberLink(siteID int64, digits string) string {
	return "/numbers/" + strconv.FormatInt(siteID, 10) + "/" + url.PathEscape(digits)
}

func PoolLink(siteID int64, name string) string {
	return "/pools/" + strconv.FormatInt(siteID, 10) + "/" + url.PathEscape(name)
}

// Lines are the lines of the text that say anything.
func Lines(text string) (said []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			said = append(said, line)
		}
	}
	return said
}
