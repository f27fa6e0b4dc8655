package numbers

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// numberPage is the content of the page of one number.
type numberPage struct {
	*rows.Numbering
	numberForm
	Digits       string // empty for a new one
	IsOwn        bool
	IsConfigured bool
	Editing      bool
	May          bool
	Declarers    []string // that have it
	Shown        []shownRule
	Beneath      []shownRule // what the configuration says, for a number of the site's own
	Choices      []poolChoice
	Fields, Hows []string
	Kinds        []string
	Problem      string // why the site's own numbers are not in effect
}

// shownRule is a rule in words.
type shownRule struct {
	Name, Shows, For string
	Pool             string // its page; empty for a static number
}

// poolChoice is a pool that a rule can use.
type poolChoice struct {
	Value, Name string
	Configured  bool
}

func (c *room) showNewNumber(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	digits := number.Digits(r.URL.Query().Get("number"))
	if _, own := n.Own(digits); own {
		http.Redirect(w, r, rows.NumberLink(n.ID, digits), http.StatusSeeOther)
		return nil
	}
	known, configured := n.ConfiguredNumber(digits)
	known.Number = digits
	if digits == "" {
		known.Number = ""
	}
	form := numberFormOf(n.Version, "", known)
	if configured {
		form.Over = digits
	}
	if len(form.Rules) == 0 {
		form.do("rule")
	}
	return c.showNumberForm(w, http.StatusOK, f, n, form)
}

func (c *room) showNumber(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	digits := r.PathValue("number")
	own, isOwn := n.Own(digits)
	configured, isConfigured := n.ConfiguredNumber(digits)
	switch {
	case isOwn && f.Admin():
		return c.showNumberForm(w, http.StatusOK, f, n, numberFormOf(n.Version, digits, own))
	case !isOwn && !isConfigured && n.By[digits] == nil:
		return frame.NotFound
	case !isOwn:
		own = configured
		own.Number = digits
	}
	body := numberPageOf(f, n, numberFormOf(n.Version, digits, own))
	body.Shown = shownRules(f.Words, n, own)
	f.Title, f.Body = words.Written(digits), body
	return c.Show(w, http.StatusOK, f)
}

func numberPageOf(f frame.Page, n *rows.Numbering, form numberForm) numberPage {
	body := numberPage{Numbering: n, numberForm: form, Digits: form.Was, May: f.Admin(), Declarers: slices.DeleteFunc(slices.Clone(n.By[form.Was]), func(name string) bool { return name == "" }), Fields: number.Fields(), Hows: hows, Kinds: source.Kinds}
	var configured number.Number
	_, body.IsOwn = n.Own(form.Was)
	configured, body.IsConfigured = n.ConfiguredNumber(form.Was)
	if body.IsConfigured {
		body.Beneath = shownRules(f.Words, n, configured)
	}
	for _, name := range choosable(n, number.Digits(form.number().Number)) {
		_, named := n.Pools.Named[name]
		body.Choices = append(body.Choices, poolChoice{Value: poolPrefix + name, Name: words.Written(name), Configured: named || words.Dial(name) != ""})
	}
	for _, rule := range form.Rules {
		for _, condition := range rule.Conditions {
			if !slices.Contains(body.Fields, condition.Field) {
				body.Fields = append(body.Fields, condition.Field)
			}
		}
	}
	if n.Conflict != nil {
		body.Problem = rows.NumberMistake(f.Words, n.Conflict)
	}
	return body
}

// choosable are the names of the pools that a number of the site can use.
func choosable(n *rows.Numbering, digits string) (names []string) {
	for name := range n.Settings.Pools {
		names = append(names, name)
	}
	for name := range n.Pools.Named {
		names = append(names, name)
	}
	slices.Sort(names)
	if n.Configured.Plan().Pool(digits) != nil {
		names = append(names, digits)
	}
	return names
}

func shownRules(w *words.Tongue, n *rows.Numbering, of number.Number) (shown []shownRule) {
	for _, t := range of.Tracking {
		rule := shownRule{Name: t.Name, Shows: words.Written(t.Static), For: strings.Join(t.When, " ")}
		if t.Pool != "" {
			rule.Shows, rule.Pool = w.Text("number.ofPool", "pool", words.Written(t.Pool)), rows.PoolLink(n.ID, t.Pool)
		}
		shown = append(shown, rule)
	}
	return shown
}

func (c *room) showNumberForm(w http.ResponseWriter, status int, f frame.Page, n *rows.Numbering, form numberForm) error {
	body := numberPageOf(f, n, form)
	body.Editing = true
	f.Title = f.Words.Text("number.new")
	f.Here = "/numbers/" + strconv.FormatInt(n.ID, 10) + "/new"
	if form.Was != "" {
		f.Title, f.Here = words.Written(form.Was), rows.NumberLink(n.ID, form.Was)
	}
	f.Body = body
	return c.Show(w, status, f)
}

// changeNumber stores the number of the form, or changes the rows of the form.
func (c *room) changeNumber(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	form := sentNumber(r)
	if button := r.PostFormValue("do"); button != "" {
		form.do(button)
		return c.showNumberForm(w, http.StatusOK, f, n, form)
	}
	form.Pictures = slices.DeleteFunc(form.Pictures, func(p pictureForm) bool { return p.Place == "" })
	changed, own := form.number(), n.Settings.Own()
	if digits := number.Digits(changed.Number); form.Was == "" && form.Over != digits {
		if _, known := n.Own(digits); known {
			return c.Back(w, r, rows.NumberLink(n.ID, digits), "number.known")
		} else if _, known := n.ConfiguredNumber(digits); known {
			return c.Back(w, r, "/numbers/"+strconv.FormatInt(n.ID, 10)+"/new?number="+digits, "number.known")
		}
	}
	own.Numbers = slices.Clone(own.Numbers)
	at := slices.IndexFunc(own.Numbers, func(known number.Number) bool { return form.Was != "" && number.Digits(known.Number) == form.Was })
	if at >= 0 {
		own.Numbers[at] = changed
	} else {
		own.Numbers = append(own.Numbers, changed)
	}
	return c.Make(w, r, f, n, rows.Change{Seen: form.Seen, Name: number.Digits(changed.Number), Own: own, To: "/numbers", Notice: "number.saved", Asks: true, Again: c.again(w, form)})
}

// again shows the form once more.
func (c *room) again(w http.ResponseWriter, form numberForm) func(int, frame.Page, *rows.Numbering, error) error {
	return func(status int, f frame.Page, n *rows.Numbering, wrong error) error {
		switch own, is := n.Own(form.Was); {
		case wrong != nil:
			form.point(f.Words, wrong)
		case n.Doubts != nil:
		case is:
			form = numberFormOf(n.Version, form.Was, own)
		default:
			form.Was, form.Seen = "", n.Version
		}
		return c.showNumberForm(w, status, f, n, form)
	}
}

func (c *room) removeNumber(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	digits, own := r.PathValue("number"), n.Settings.Own()
	seen, _ := strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	removed, is := n.Own(digits)
	if !is {
		return frame.NotFound
	}
	own.Numbers = slices.DeleteFunc(slices.Clone(own.Numbers), func(known number.Number) bool { return number.Digits(known.Number) == digits })
	form := numberFormOf(n.Version, digits, removed)
	return c.Make(w, r, f, n, rows.Change{Seen: seen, Name: digits, Own: own, To: "/numbers", Notice: "number.removed", Again: c.again(w, form)})
}
