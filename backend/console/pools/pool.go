package pools

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// poolForm is a pool of a site as its form has it.
type poolForm struct {
	Seen      int64  // version that the form was made from
	Was       string // name of the pool that is changed; empty for a new one
	Name      string
	Numbers   string // one a line, as they were typed
	Hold      string // minutes
	Exhausted string
	Reserve   string
	Wrong     map[string]string // what is wrong, by the names of fields
}

// poolPage is the content of the page of one pool.
type poolPage struct {
	*rows.Numbering
	poolForm
	Title   string
	IsOwn   bool
	May     bool
	Digits  []string // its numbers
	Held    time.Duration
	After   string     // what visitors see when it is exhausted, in words
	UsedBy  []string   // digits of the printed numbers with rules that use it
	Taken   int        // of its numbers, now
	Rest    []string   // digits of those that rest
	Advice  []string   // sentences
	Rows    []leaseRow // of each number, now or last
	History leaseHistory
	Chart   poolChart
}

func poolFormOf(version int64, name string, p number.DeclaredPool) poolForm {
	form := poolForm{Seen: version, Was: name, Name: name, Exhausted: string(p.Exhausted), Reserve: words.Written(p.Reserve), Hold: "5"}
	if p.Hold > 0 {
		form.Hold = strconv.FormatFloat(p.Hold.Minutes(), 'f', -1, 64)
	}
	var typed []string
	for _, digits := range p.Numbers {
		typed = append(typed, words.Written(digits))
	}
	form.Numbers = strings.Join(typed, "\n")
	return form
}

func sentPool(r *http.Request) poolForm {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	form := poolForm{Was: value("was"), Name: value("name"), Numbers: value("numbers"), Hold: value("hold"), Exhausted: value("exhausted"), Reserve: value("reserve")}
	form.Seen, _ = strconv.ParseInt(value("version"), 10, 64)
	return form
}

// pool is what the form says, for a printed number. Numbers are written as digits where they are right.
func (f poolForm) pool(printed string) number.DeclaredPool {
	p := number.DeclaredPool{Exhausted: number.Exhausted(f.Exhausted)}
	for _, typed := range rows.Lines(strings.ReplaceAll(f.Numbers, ",", "\n")) {
		if digits, err := number.Beside(printed, typed); err == nil {
			typed = digits
		}
		p.Numbers = append(p.Numbers, typed)
	}
	minutes, err := strconv.ParseFloat(strings.ReplaceAll(f.Hold, ",", "."), 64)
	if p.Hold = time.Duration(minutes * float64(time.Minute)); err != nil || p.Hold <= 0 || minutes > 1000 {
		p.Hold = -1 // which is refused
	}
	if p.Exhausted == number.ShowReserve {
		p.Reserve = f.Reserve
		if digits, err := number.Beside(printed, f.Reserve); err == nil {
			p.Reserve = digits
		}
	}
	return p
}

func (f *poolForm) point(w *words.Tongue, err error) {
	var wrong *number.FieldError
	var m *number.Mistake
	name := "numbers"
	if errors.As(err, &wrong) && wrong.Pool == f.Name {
		name = wrong.Field
	}
	if errors.As(err, &m) && slices.Contains([]string{"hold", "reserve", "reserve_pooled"}, m.Kind) {
		name = strings.TrimSuffix(m.Kind, "_pooled")
	}
	f.Wrong = map[string]string{name: rows.NumberMistake(w, err)}
}

func (c *room) showNewPool(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	return c.showPoolPage(w, r, http.StatusOK, f, n, poolFormOf(n.Version, "", number.DeclaredPool{}))
}

func (c *room) showPool(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	name := r.PathValue("pool")
	own, isOwn := n.Settings.Pools[name]
	if !isOwn && n.PoolOf(name) == nil {
		return frame.NotFound
	}
	return c.showPoolPage(w, r, http.StatusOK, f, n, poolFormOf(n.Version, name, own))
}

func (c *room) showPoolPage(w http.ResponseWriter, r *http.Request, status int, f frame.Page, n *rows.Numbering, form poolForm) error {
	body := poolPage{Numbering: n, poolForm: form, Title: f.Words.Text("pool.new"), May: f.Admin()}
	_, body.IsOwn = n.Settings.Pools[form.Was]
	f.Here, f.Title = "/pools/"+strconv.FormatInt(n.ID, 10)+"/new", body.Title
	if pool := n.PoolOf(form.Was); pool != nil {
		f.Title = f.Words.Text("pool.called", "pool", words.Written(form.Was))
		f.Here, body.Title = rows.PoolLink(n.ID, form.Was), words.Written(form.Was)
		body.Digits, body.Held, body.After = pool.Digits, pool.Hold, f.Words.Text(rows.Exhausted[pool.Exhausted], "number", words.Unbroken(words.Phone(pool.Reserve, "")))
		body.UsedBy = usersOf(n, form.Was)
		if err := c.usePool(r, f, n, pool, &body); err != nil {
			return err
		}
	}
	f.Body = body
	return c.Show(w, status, f)
}

// usersOf are the printed numbers with rules that use the pool.
func usersOf(n *rows.Numbering, name string) (digits []string) {
	for _, printed := range n.Effective.Numbers() {
		if slices.ContainsFunc(printed.Tracking, func(t number.Tracking) bool {
			return t.Pool == name || len(t.Dynamic) > 0 && printed.Number == name
		}) {
			digits = append(digits, printed.Number)
		}
	}
	return digits
}

// changePool stores the pool of the form.
func (c *room) changePool(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	form, own := sentPool(r), n.Settings.Own()
	own.Pools = maps.Clone(own.Pools)
	if own.Pools == nil {
		own.Pools = make(map[string]number.DeclaredPool)
	}
	_, there := own.Pools[form.Name]
	if form.Was != "" { // a pool keeps its name: its numbers would rest
		form.Name = form.Was
	} else if there {
		form.Wrong = map[string]string{"name": f.Words.Text("pool.nameTaken")}
		f.Problem = form.Wrong["name"]
		return c.showPoolPage(w, r, http.StatusUnprocessableEntity, f, n, form)
	}
	own.Pools[form.Name] = form.pool(n.Beside(form.Name))
	return c.Make(w, r, f, n, rows.Change{Seen: form.Seen, Name: form.Name, Own: own, To: rows.PoolLink(n.ID, form.Name), Notice: "pool.saved", Asks: true, Again: c.again(w, r, form)})
}

// again shows the form once more.
func (c *room) again(w http.ResponseWriter, r *http.Request, form poolForm) func(int, frame.Page, *rows.Numbering, error) error {
	return func(status int, f frame.Page, n *rows.Numbering, wrong error) error {
		switch own, is := n.Settings.Pools[form.Was]; {
		case wrong != nil:
			form.point(f.Words, wrong)
		case n.Doubts != nil:
		case is:
			form = poolFormOf(n.Version, form.Was, own)
		default:
			form.Was, form.Seen = "", n.Version
		}
		return c.showPoolPage(w, r, status, f, n, form)
	}
}

func (c *room) removePool(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	name, own := r.PathValue("pool"), n.Settings.Own()
	seen, _ := strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	if _, is := own.Pools[name]; !is {
		return frame.NotFound
	}
	for _, printed := range own.Numbers {
		if slices.ContainsFunc(printed.Tracking, func(t number.Tracking) bool { return t.Pool == name }) {
			f.Problem = f.Words.Text("mistake.poolUsed", "a", words.Written(number.Digits(printed.Number)))
			return c.showPoolPage(w, r, http.StatusUnprocessableEntity, f, n, poolFormOf(n.Version, name, own.Pools[name]))
		}
	}
	form := poolFormOf(n.Version, name, own.Pools[name])
	own.Pools = maps.Clone(own.Pools)
	delete(own.Pools, name)
	return c.Make(w, r, f, n, rows.Change{Seen: seen, Name: name, Own: own, To: "/numbers/pools", Notice: "pool.removed", Again: c.again(w, r, form)})
}
