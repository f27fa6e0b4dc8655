package settings

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// capturesPage is the content of the page of the rules by which a site's forms are kept.
type capturesPage struct {
	site.Site
	Own        []capture.Rule
	Configured []capture.Rule
	Told       bool // the configuration is known
}

// capturePage is the content of the page of one rule.
type capturePage struct {
	site.Site
	Seen    int64
	At      string // the rule's place among the site's own; empty for a new one
	Rule    capture.Rule
	Fields  []ruleField
	Methods []ruleMethod
	Wrong   string
}

// ruleField are the names of a form's fields that say the same.
type ruleField struct{ Name, Title, Names string }

type ruleMethod struct {
	Name string
	Is   bool
}

// fieldsOf are where a rule has the names of fields.
func fieldsOf(r *capture.Rule) []struct {
	name, title string
	names       *[]string
} {
	return []struct {
		name, title string
		names       *[]string
	}{
		{"name", "capture.name", &r.Name}, {"phone", "capture.phone", &r.Phone}, {"email", "capture.email", &r.Email}, {"message", "capture.message", &r.Message},
		{"user_fields", "capture.userFields", &r.UserFields},
	}
}

var ruleMethods = []string{http.MethodPost, http.MethodPut, http.MethodPatch}

func capturesLink(siteID int64) string { return frame.SiteLink(siteID) + "/captures" }

// completed are the rules that hold, with their defaults.
func completed(rules []capture.Rule) (all []capture.Rule) {
	for _, rule := range rules {
		if rule.Complete() == nil {
			all = append(all, rule)
		}
	}
	return all
}

func (c *room) showCaptures(w http.ResponseWriter, r *http.Request) error {
	return c.captures(w, r, http.StatusOK, "")
}

func (c *room) captures(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, named, err := c.ServedAt(r, "captures")
	if err != nil {
		return err
	}
	configured, told := c.ConfiguredOf(named.Key)
	if problem != "" {
		f.Problem = f.Words.Text(problem)
	}
	f.Here, f.Body = capturesLink(named.ID), capturesPage{Site: named, Own: completed(named.Settings.Captures), Configured: completed(configured.Captures), Told: told}
	return c.Show(w, status, f)
}

// showCapture shows a rule of the site's own by its place among them, or a new one, which may begin as one of the
// configuration.
func (c *room) showCapture(w http.ResponseWriter, r *http.Request) error {
	f, named, err := c.ServedAt(r, "capture")
	if err != nil {
		return err
	}
	rule, at := capture.Rule{Path: r.URL.Query().Get("path")}, r.PathValue("capture")
	rules := named.Settings.Captures
	if at == "new" {
		configured, _ := c.ConfiguredOf(named.Key)
		at, rules = r.URL.Query().Get("like"), configured.Captures
	}
	if at != "" {
		i, err := strconv.Atoi(at)
		if err != nil || i < 0 || i >= len(rules) {
			return frame.NotFound
		}
		rule = rules[i]
	}
	if r.PathValue("capture") == "new" {
		at = ""
	}
	return c.capture(w, http.StatusOK, f, capturePage{Site: named, Seen: named.Version, At: at, Rule: rule})
}

func (c *room) capture(w http.ResponseWriter, status int, f frame.Page, body capturePage) error {
	if _, err := completeOf(body.Rule); err == nil {
		body.Rule, _ = completeOf(body.Rule)
	}
	for _, of := range fieldsOf(&body.Rule) {
		body.Fields = append(body.Fields, ruleField{of.name, of.title, strings.Join(*of.names, ", ")})
	}
	for _, method := range ruleMethods {
		body.Methods = append(body.Methods, ruleMethod{method, slices.Contains(body.Rule.Methods, method) || body.Rule.Methods == nil && method == http.MethodPost})
	}
	f.Title = f.Words.Text("capture.new")
	if body.At != "" {
		f.Title = body.Rule.Path
	}
	f.Body = body
	return c.Show(w, status, f)
}

func completeOf(rule capture.Rule) (capture.Rule, error) {
	err := rule.Complete()
	return rule, err
}

// sentCapture is the rule as the request has it.
func sentCapture(r *http.Request) capture.Rule {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	rule := capture.Rule{Path: value("path"), FormName: value("form_name"), Kind: value("kind"), On: value("on")}
	for _, of := range fieldsOf(&rule) {
		for name := range strings.SplitSeq(value(of.name), ",") {
			if name = strings.TrimSpace(name); name != "" {
				*of.names = append(*of.names, name)
			}
		}
	}
	for _, method := range ruleMethods {
		if slices.Contains(r.PostForm["methods"], method) {
			rule.Methods = append(rule.Methods, method)
		}
	}
	return rule
}

func (c *room) keepCapture(w http.ResponseWriter, r *http.Request) error {
	f, named, err := c.ServedAt(r, "capture")
	if err != nil {
		return err
	}
	body := capturePage{Site: named, At: r.PostFormValue("at"), Rule: sentCapture(r)}
	body.Seen, _ = strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	rules := slices.Clone(named.Settings.Captures)
	if i, err := strconv.Atoi(body.At); err == nil && 0 <= i && i < len(rules) {
		rules[i] = body.Rule
	} else {
		rules = append(rules, body.Rule)
	}
	if wrong := wrongCapture(body.Rule, rules); wrong != "" {
		f.Problem, body.Wrong = f.Words.Text("settings.wrong"), f.Words.Text(wrong)
		return c.capture(w, http.StatusUnprocessableEntity, f, body)
	}
	return c.changeCaptures(w, r, f, named, body.Seen, rules, "capture.kept")
}

// wrongCapture is the name of the words for what is wrong with the rule, or with the rules that it is one of; empty for
// nothing.
func wrongCapture(rule capture.Rule, rules []capture.Rule) string {
	if _, err := completeOf(capture.Rule{Path: rule.Path}); err != nil {
		return "capture.wrongPath"
	}
	if _, err := completeOf(rule); err != nil {
		return "capture.wrongField"
	}
	if (site.Settings{Captures: rules}).Check() != nil {
		return "capture.tooMany"
	}
	return ""
}

// changeCaptures stores the rules if the version is that of the site.
func (c *room) changeCaptures(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site, seen int64, rules []capture.Rule, notice string) error {
	changed := named.Settings
	if changed.Captures = rules; len(rules) == 0 {
		changed.Captures = nil
	}
	_, err := c.Sites.Change(r.Context(), named.Key, seen, changed, f.Operator.Login)
	switch {
	case errors.Is(err, site.ErrChanged):
		return c.captures(w, r, http.StatusConflict, "problem.changed")
	case err != nil:
		return err
	default:
		return c.Back(w, r, capturesLink(named.ID), notice)
	}
}

// ownCapture is the rule of the site's own that the address names by its place, and the version that its page was made
// from.
func (c *room) ownCapture(r *http.Request) (f frame.Page, named site.Site, i int, seen int64, err error) {
	if f, named, err = c.ServedAt(r, "captures"); err != nil {
		return f, named, 0, 0, err
	}
	seen, _ = strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	i, err = strconv.Atoi(r.PathValue("capture"))
	if err != nil || i < 0 || i >= len(named.Settings.Captures) {
		return f, named, 0, 0, frame.NotFound
	}
	return f, named, i, seen, nil
}

func (c *room) removeCapture(w http.ResponseWriter, r *http.Request) error {
	f, named, i, seen, err := c.ownCapture(r)
	if err != nil {
		return err
	}
	return c.changeCaptures(w, r, f, named, seen, slices.Delete(slices.Clone(named.Settings.Captures), i, i+1), "capture.removed")
}

// raiseCapture has the rule come before the one above it.
func (c *room) raiseCapture(w http.ResponseWriter, r *http.Request) error {
	f, named, i, seen, err := c.ownCapture(r)
	if err != nil {
		return err
	}
	rules := slices.Clone(named.Settings.Captures)
	if i > 0 {
		rules[i-1], rules[i] = rules[i], rules[i-1]
	}
	return c.changeCaptures(w, r, f, named, seen, rules, "capture.kept")
}
