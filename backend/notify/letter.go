package notify

import (
	"cmp"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/notify/template"
)

// Written is a mail as it is read.
type Written struct{ Subject, Text string }

// write fills the templates of the endpoint, or the usual ones of its language.
func (e Endpoint) write(v values) (w Written, err error) {
	if w.Subject, err = template.Fill(cmp.Or(e.Subject, usualSubject), template.Subject, v); err == nil {
		w.Text, err = template.Fill(cmp.Or(e.Template, wording(mailTexts[e.Language]).text()), "", v)
	}
	if runes := []rune(w.Subject); len(runes) > template.MaxSubject {
		w.Subject = string(runes[:template.MaxSubject-1]) + "…"
	}
	w.Text = strings.TrimSpace(w.Text) + "\n"
	return w, err
}

// Preview is the mail that a made-up lead would make, by the endpoint's templates. The error is an [Invalid].
func (d *Deliveries) Preview(e Endpoint, site string) (Written, error) {
	if err := template.Check(e.Subject, template.Subject); err != nil {
		return Written{}, &Invalid{"subject", "template", err}
	}
	if err := template.Check(e.Template, ""); err != nil {
		return Written{}, &Invalid{"template", "template", err}
	}
	return e.write(d.sample(e.Language, site))
}
