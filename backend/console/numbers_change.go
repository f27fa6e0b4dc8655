package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// numberPage is the content of the page of one number.
type numberPage struct {
	*numbering
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

// conditionFields are those that the form offers; a condition may have others.
var conditionFields = []string{"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid", "yclid", "click_id", "referrer", "landing", "kind"}

func numberLink(siteID int64, digits string) string {
	return "/numbers/" + strconv.FormatInt(siteID, 10) + "/" + url.PathEscape(digits)
}

func (c *numbersRoom) showNewNumber(w http.ResponseWriter, r *http.Request) error {
	f, n, err := c.numberingAt(r, "number")
	if err != nil {
		return err
	}
	digits := number.Digits(r.URL.Query().Get("number"))
	if _, own := n.own(digits); own {
		http.Redirect(w, r, numberLink(n.ID, digits), http.StatusSeeOther)
		return nil
	}
	known, _ := n.configured(digits)
	known.Number = digits
	if digits == "" {
		known.Number = ""
	}
	form := numberFormOf(n.Version, "", known)
	if len(form.Rules) == 0 {
		form.do("rule")
	}
	return c.showNumberForm(w, r, http.StatusOK, f, n, form)
}

func (c *numbersRoom) showNumber(w http.ResponseWriter, r *http.Request) error {
	f, n, err := c.numberingAt(r, "number")
	if err != nil {
		return err
	}
	digits := r.PathValue("number")
	own, isOwn := n.own(digits)
	configured, isConfigured := n.configured(digits)
	switch {
	case isOwn && f.Admin():
		return c.showNumberForm(w, r, http.StatusOK, f, n, numberFormOf(n.Version, digits, own))
	case !isOwn && !isConfigured && n.By[digits] == nil:
		return notFound
	case !isOwn:
		own = configured
		own.Number = digits
	}
	body := n.numberPage(f, numberFormOf(n.Version, digits, own))
	body.Shown = shownRules(f.Words, n, own)
	f.Title, f.Body = written(digits), body
	return c.show(w, r, http.StatusOK, f)
}

func (n *numbering) numberPage(f frame, form numberForm) numberPage {
	body := numberPage{numbering: n, numberForm: form, Digits: form.Was, May: f.Admin(), Declarers: slices.DeleteFunc(slices.Clone(n.By[form.Was]), func(name string) bool { return name == "" }), Fields: slices.Clone(conditionFields), Hows: hows, Kinds: visit.Kinds}
	var configured number.Number
	_, body.IsOwn = n.own(form.Was)
	configured, body.IsConfigured = n.configured(form.Was)
	if body.IsConfigured {
		body.Beneath = shownRules(f.Words, n, configured)
	}
	for _, name := range n.choosable(number.Digits(form.number().Number)) {
		_, named := n.Pools.Named[name]
		body.Choices = append(body.Choices, poolChoice{Value: poolPrefix + name, Name: written(name), Configured: named || dial(name) != ""})
	}
	for _, rule := range form.Rules {
		for _, condition := range rule.Conditions {
			if !slices.Contains(body.Fields, condition.Field) {
				body.Fields = append(body.Fields, condition.Field)
			}
		}
	}
	if n.Conflict != nil {
		body.Problem = mistakeOf(f.Words, n.Conflict)
	}
	return body
}

func shownRules(w *words, n *numbering, of number.Number) (shown []shownRule) {
	for _, t := range of.Tracking {
		rule := shownRule{Name: t.Name, Shows: written(t.Static), For: strings.Join(t.When, " ")}
		if t.Pool != "" {
			rule.Shows, rule.Pool = w.text("number.ofPool", "pool", written(t.Pool)), poolLink(n.ID, t.Pool)
		}
		shown = append(shown, rule)
	}
	return shown
}

func (c *numbersRoom) showNumberForm(w http.ResponseWriter, r *http.Request, status int, f frame, n *numbering, form numberForm) error {
	body := n.numberPage(f, form)
	body.Editing = true
	f.Title = f.Words.text("number.new")
	f.Here = "/numbers/" + strconv.FormatInt(n.ID, 10) + "/new"
	if form.Was != "" {
		f.Title, f.Here = written(form.Was), numberLink(n.ID, form.Was)
	}
	f.Body = body
	return c.show(w, r, status, f)
}

// changeNumber stores the number of the form, or changes the rows of the form.
func (c *numbersRoom) changeNumber(w http.ResponseWriter, r *http.Request) error {
	f, n, err := c.numberingAt(r, "number")
	if err != nil {
		return err
	}
	form := sentNumber(r)
	if button := r.PostFormValue("do"); button != "" {
		form.do(button)
		return c.showNumberForm(w, r, http.StatusOK, f, n, form)
	}
	form.Pictures = slices.DeleteFunc(form.Pictures, func(p pictureForm) bool { return p.Place == "" })
	changed, own := form.number(), n.Settings.Own()
	own.Numbers = slices.Clone(own.Numbers)
	at := slices.IndexFunc(own.Numbers, func(known number.Number) bool { return form.Was != "" && number.Digits(known.Number) == form.Was })
	if at >= 0 {
		own.Numbers[at] = changed
	} else {
		own.Numbers = append(own.Numbers, changed)
	}
	wrong := n.check(own, number.Digits(changed.Number))
	if wrong == nil {
		wrong, err = c.keep(r, n, form.Seen, own)
	}
	switch {
	case wrong != nil:
		f.Problem = mistakeOf(f.Words, wrong)
		form.point(f.Words, wrong)
		return c.showNumberForm(w, r, http.StatusUnprocessableEntity, f, n, form)
	case errors.Is(err, site.ErrChanged):
		return c.numberChanged(w, r, form)
	case err != nil:
		return err
	default:
		return c.back(w, r, "/numbers", "number.saved")
	}
}

// numberChanged shows what somebody else has made of the number meanwhile.
func (c *numbersRoom) numberChanged(w http.ResponseWriter, r *http.Request, form numberForm) error {
	f, n, err := c.numberingAt(r, "number")
	if err != nil {
		return err
	}
	f.Problem = f.Words.text("problem.changed")
	if own, is := n.own(form.Was); is {
		form = numberFormOf(n.Version, form.Was, own)
	} else {
		form.Was, form.Seen = "", n.Version
	}
	return c.showNumberForm(w, r, http.StatusConflict, f, n, form)
}

func (c *numbersRoom) removeNumber(w http.ResponseWriter, r *http.Request) error {
	_, n, err := c.numberingAt(r, "number")
	if err != nil {
		return err
	}
	digits, own := r.PathValue("number"), n.Settings.Own()
	seen, _ := strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	if _, is := n.own(digits); !is {
		return notFound
	}
	own.Numbers = slices.DeleteFunc(slices.Clone(own.Numbers), func(known number.Number) bool { return number.Digits(known.Number) == digits })
	wrong, err := c.keep(r, n, seen, own)
	switch {
	case errors.Is(err, site.ErrChanged):
		return c.numberChanged(w, r, numberForm{Was: digits})
	case errors.Join(err, wrong) != nil:
		return errors.Join(err, wrong)
	default:
		return c.back(w, r, "/numbers", "number.removed")
	}
}
