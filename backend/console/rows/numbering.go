package rows

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Numbering is what there is of a site's numbers: what the configuration has, what the site
// has of its own above it, and what is in effect.
type Numbering struct {
	site.Site
	Known      bool // this server's configuration names the site
	Pools      number.ConfiguredPools
	Configured *number.Declaration
	Effective  *number.Declaration
	Conflict   error // why the site's own are not in effect
	By         map[string][]string
	Region     string   // that is set for the site; may be empty
	Doubts     []string // what a form says that is hardly meant, to be asked about; see [Numberings.Make]
	Sure       string   // what the form sends along when it is meant
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
	n := &Numbering{Site: s, Configured: new(number.Declaration)}
	var set site.Settings
	set, n.Known = c.ConfiguredOf(s.Key)
	if c.Pools != nil {
		n.Pools = c.Pools()
	}
	if region := cmp.Or(s.Settings.Region, set.Region); region != nil {
		n.Region = *region
	}
	n.Configured.UsePools(n.Pools.Named)
	if err := n.Configured.Set(set.Numbers); err != nil {
		return nil, err // the configuration has been checked
	}
	n.Effective = n.Configured
	if own := s.Settings.Own(); !own.IsNone() {
		over, err := own.Over(n.Configured, s.ID, n.Pools)
		if n.Conflict = err; err == nil {
			n.Effective = over
		}
	}
	var err error
	n.By, err = c.Numbers.ConfiguredBy(ctx, s.ID)
	return n, err
}

// Own is the site's own number of these digits.
func (n *Numbering) Own(digits string) (number.Number, bool) {
	return numberIn(n.Settings.Numbers, digits)
}

// ConfiguredNumber is the number of these digits as the configuration has it. Its pool without a
// name is called by the number's digits, as own rules call it.
func (n *Numbering) ConfiguredNumber(digits string) (number.Number, bool) {
	found, known := numberIn(n.Configured.Numbers(), digits)
	found.Tracking = slices.Clone(found.Tracking)
	for i := range found.Tracking {
		if t := &found.Tracking[i]; len(t.Dynamic) > 0 {
			t.Dynamic, t.Pool = nil, digits
		}
	}
	return found, known
}

func numberIn(list []number.Number, digits string) (number.Number, bool) {
	for _, n := range list {
		if number.Digits(n.Number) == digits {
			return n, true
		}
	}
	return number.Number{}, false
}

// with is the site's settings with other numbers and pools.
func (n *Numbering) with(own number.Own) site.Settings {
	set := n.Settings
	set.Numbers, set.Pools = own.Numbers, own.Pools
	if len(set.Numbers) == 0 {
		set.Numbers = nil
	}
	if len(set.Pools) == 0 {
		set.Pools = nil
	}
	return set
}

// Check tells what is wrong with numbers and pools of the site's own, beside what the
// configuration has, after the number or pool of that name was changed. What conflicted with
// the configuration before can be mended one after another.
func (n *Numbering) Check(own number.Own, name string) error {
	if err := own.Check(); err != nil {
		return err
	}
	_, err := own.Over(n.Configured, n.ID, n.Pools)
	var wrong *number.FieldError
	if n.Conflict != nil && errors.As(err, &wrong) && wrong.Pool != name && number.Digits(wrong.Number) != name {
		return nil
	}
	return err
}

// keep stores numbers and pools of the site's own in place of those of the version. wrong is what is wrong with them.
// The error is [site.ErrChanged] when there is another version by now.
func (c Numberings) keep(r *http.Request, n *Numbering, seen int64, own number.Own) (wrong, err error) {
	o, _ := frame.Current(r)
	_, err = c.Sites.Change(r.Context(), n.Key, seen, n.with(own), o.Login)
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

// Beside is a number of the site for reading others that are written for it: the first that uses the pool of the name,
// or else the first of all. It is empty if there is none.
func (n *Numbering) Beside(pool string) (digits string) {
	for _, known := range n.Effective.Numbers() {
		if digits == "" {
			digits = known.Number
		}
		if slices.ContainsFunc(known.Tracking, func(t number.Tracking) bool { return t.Pool == pool }) {
			return known.Number
		}
	}
	return digits
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

// PoolOf is the pool that the site knows by the name: its own, one of the configuration that
// its numbers use, or that of a printed number alone.
func (n *Numbering) PoolOf(name string) *number.Pool {
	if own, is := n.Settings.Pools[name]; is {
		if pool, err := own.Resolve(name); err == nil {
			pool.Name = number.OwnPoolName(n.ID, name)
			return pool
		}
	}
	for _, d := range []*number.Declaration{n.Effective, n.Configured} {
		if pool := d.Plan().Pool(name); pool != nil {
			return pool
		}
	}
	return nil
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
