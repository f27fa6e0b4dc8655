package widget

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
)

// widgetConfigured is what the configuration of this server says of the widget, in words;
// empty where it says nothing.
type widgetConfigured struct{ Launcher, Side, Color, Avatar, Language, Chat, Files, Rating, Sitephone, Unanswered, MailAnswers string }

func (c *room) configuredWidget(key string) *appearance.Widget {
	set, _ := c.ConfiguredOf(key)
	return set.Widget
}

func widgetInWords(w *words.Tongue, set *appearance.Widget) (told widgetConfigured) {
	if set == nil {
		return told
	}
	for of, value := range map[*string]*bool{&told.Launcher: set.Launcher, &told.Chat: set.Chat, &told.Files: set.Files, &told.Rating: set.Rating, &told.Sitephone: set.Sitephone} {
		if value != nil && *value {
			*of = w.Text("settings.on")
		} else if value != nil {
			*of = w.Text("settings.off")
		}
	}
	if set.Launcher == nil {
		told.Launcher = w.Text("settings.on")
	}
	if set.Unanswered != nil {
		told.Unanswered = strconv.Itoa(*set.Unanswered)
	}
	if set.MailAnswers != nil {
		if told.MailAnswers = strconv.Itoa(*set.MailAnswers); *set.MailAnswers == 0 {
			told.MailAnswers = w.Text("settings.off")
		}
	}
	if set.Side != nil {
		told.Side = w.Text(sides[*set.Side])
	}
	if set.Color != nil {
		told.Color = *set.Color
	}
	if set.Avatar != nil {
		told.Avatar = *set.Avatar
	}
	if set.Language != nil {
		if told.Language = *set.Language; told.Language == "" {
			told.Language = w.Text("widget.ofVisitor")
		}
	}
	return told
}

// sides are the names of the words for the sides of a page.
var sides = map[string]string{appearance.Left: "widget.left", appearance.Right: "widget.right"}

// widgetAt is what the pages of a site's widget begin with.
func (c *room) widgetAt(r *http.Request) (f frame.Page, named site.Site, configured *appearance.Widget, err error) {
	if f, named, err = c.ServedAt(r, "widget"); err == nil {
		configured = c.configuredWidget(named.Key)
	}
	return f, named, configured, err
}

func (c *room) showWidget(w http.ResponseWriter, r *http.Request) error {
	f, named, configured, err := c.widgetAt(r)
	if err != nil {
		return err
	}
	return c.showWidgetForm(w, http.StatusOK, f, c.widgetFormOf(named, configured), configured)
}

// showWidgetForm shows the form beside the preview, which is a frame of the console's own.
func (c *room) showWidgetForm(w http.ResponseWriter, status int, f frame.Page, form widgetForm, configured *appearance.Widget) error {
	form.Configured = widgetInWords(f.Words, configured)
	_, form.Warnings = form.preview(f.Words, configured)
	f.Body, f.Here = form, form.Scope
	w.Header().Set("Content-Security-Policy", w.Header().Get("Content-Security-Policy")+"; frame-src 'self'")
	return c.Show(w, status, f)
}

func (c *room) changeWidget(w http.ResponseWriter, r *http.Request) error {
	f, named, configured, err := c.widgetAt(r)
	if err != nil {
		return err
	}
	form := c.sentWidget(r, named, configured)
	if button := r.PostFormValue("do"); button != "" {
		form.do(button)
		return c.showWidgetForm(w, http.StatusOK, f, form, configured)
	}
	if form.check(f.Words); len(form.Wrong) > 0 {
		f.Problem = f.Words.Text("widget.wrong")
		return c.showWidgetForm(w, http.StatusUnprocessableEntity, f, form, configured)
	}
	settings := named.Settings
	settings.Widget = form.widget()
	_, err = c.Sites.Change(r.Context(), named.Key, form.Seen, settings, f.Operator.Login)
	var invalid *site.Invalid
	switch {
	case errors.Is(err, site.ErrChanged):
		f.Problem = f.Words.Text("problem.changed")
		return c.showWidgetForm(w, http.StatusConflict, f, c.widgetFormOf(named, configured), configured)
	case errors.As(err, &invalid):
		f.Problem = f.Words.Text("widget.wrong")
		return c.showWidgetForm(w, http.StatusUnprocessableEntity, f, form, configured)
	case err != nil:
		return err
	default:
		return c.Back(w, r, form.Scope, "widget.changed")
	}
}

// check says at the parts of the form what is wrong with them.
func (f *widgetForm) check(w *words.Tongue) {
	f.Wrong = make(map[string]string)
	for i, row := range f.Fields {
		if f.FieldsAre == rows.Own && row.field().Check() != nil {
			f.Wrong["field"+strconv.Itoa(i)] = w.Text("widget.wrongField")
		}
	}
	for i, row := range f.Invitations {
		if f.InvitationsAs == rows.Own && row.invitation().Complete() != nil {
			f.Wrong["invite"+strconv.Itoa(i)] = w.Text("widget.wrongInvitation")
		}
	}
	f.accepted(func(setting string) {
		if known := widgetMistakes[setting]; known != "" {
			f.Wrong[setting] = w.Text(known)
		}
	})
}

// widgetMistakes are the names of the words for what is wrong with a setting.
var widgetMistakes = map[string]string{
	"side": "fail.form", "language": "fail.form", "color": "widget.wrongColor", "avatar": "widget.wrongAvatar", "title": "widget.wrongTitle",
	"greeting": "widget.wrongText", "unanswered": "widget.wrongUnanswered", "mail_answers": "widget.wrongMailAnswers", "texts": "widget.wrongText", "fields": "widget.wrongFields", "invitations": "widget.wrongInvitations",
}

// accepted is the widget without the settings that are wrong, of which it tells.
func (f *widgetForm) accepted(wrong func(setting string)) *appearance.Widget {
	w := f.widget()
	for {
		setting, err := w.Check()
		if err == nil {
			return w
		}
		wrong(setting)
		switch setting {
		case "side":
			w.Side = nil
		case "color":
			w.Color = nil
		case "avatar":
			w.Avatar = nil
		case "language":
			w.Language = nil
		case "title":
			w.Title = nil
		case "greeting":
			w.Greeting = nil
		case "texts":
			w.Texts = nil
		case "unanswered":
			w.Unanswered = nil
		case "mail_answers":
			w.MailAnswers = nil
		case "fields":
			w.Fields = nil
		case "invitations":
			w.Invitations = nil
		default:
			return nil
		}
	}
}

// preview is what would be in effect, and what is to be said about it.
func (f *widgetForm) preview(w *words.Tongue, configured *appearance.Widget) (effective *appearance.Widget, warnings []string) {
	effective = f.accepted(func(string) {}).Over(configured)
	color := effective.Look(f.Tongues[0].Code).Widget.Color
	if ratio := contrast(color, "#ffffff"); ratio < enoughContrast {
		warnings = append(warnings, w.Text("widget.pale", "ratio", w.Out.Sprintf("%.1f", ratio)))
	}
	if ratio := contrast(color, "#000000"); ratio < enoughContrast {
		warnings = append(warnings, w.Text("widget.dim", "ratio", w.Out.Sprintf("%.1f", ratio)))
	}
	return effective, warnings
}

// lookWidget tells what the panels would be told if the form were saved.
func (c *room) lookWidget(w http.ResponseWriter, r *http.Request) error {
	f, named, configured, err := c.widgetAt(r)
	if err != nil {
		return err
	}
	form := c.sentWidget(r, named, configured)
	form.check(f.Words)
	effective, warnings := form.preview(f.Words, configured)
	language := form.Tongues[0].Code
	for _, t := range form.Tongues {
		if t.Code == r.PostFormValue("in") {
			language = t.Code
		}
	}
	look := effective.Look(language)
	set := c.Effective(named)
	if set.PhoneMask != nil {
		look.Widget.Mask = *set.PhoneMask
	}
	look.Widget.Captcha = set.Callback != nil && set.Callback.AsksCaptcha()
	if strings.HasPrefix(look.Widget.Avatar, "/") { // of the site, not of the console
		look.Widget.Avatar = ""
		if frame.HostKey.MatchString(named.Key) {
			look.Widget.Avatar = "https://" + named.Key + *effective.Avatar
		}
	}
	content, err := json.Marshal(map[string]any{"look": look, "warnings": warnings, "wrong": form.Wrong})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(content)
	return nil
}

// showStage shows the page on which the preview's panels stand. It is framed by the console
// alone, calls nobody, and shows pictures from wherever the site's may come.
func (c *room) showStage(w http.ResponseWriter, r *http.Request) error {
	f, _, _, err := c.widgetAt(r)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'")
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Content-Type", "text/html; charset=utf-8")
	if err := c.Template(f.Words, w, "stage", f); err != nil {
		return err
	}
	return nil
}

// enoughContrast is that of what has to be made out without being read (WCAG 2.2, 1.4.11).
const enoughContrast = 3

// contrast is the ratio of two colours, each written as #rrggbb (WCAG 2.2).
func contrast(one, other string) float64 {
	a, b := luminance(one)+0.05, luminance(other)+0.05
	return max(a, b) / min(a, b)
}

// luminance is the relative luminance (WCAG 2.2). It is 0 for what is no colour.
func luminance(color string) (l float64) {
	if len(color) != len("#rrggbb") {
		return 0
	}
	for i, weight := range [...]float64{0.2126, 0.7152, 0.0722} {
		part, _ := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if linear := float64(part) / 255; linear <= 0.04045 {
			l += weight * linear / 12.92
		} else {
			l += weight * math.Pow((linear+0.055)/1.055, 2.4)
		}
	}
	return l
}
