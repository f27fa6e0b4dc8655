package number

import "github.com/seed-3405227d/frontdesk/snippet"

// SetTemplate says how people read the tracking numbers of the last number. It may come before or behind these.
func (d *Declaration) SetTemplate(template string) error {
	n := d.lastNumber()
	if n.Template = template; template == "" {
		return nil
	}
	if err := snippet.CheckTemplate(template); err != nil {
		return wrong("template", nil, "template %.80q: %v", template, err)
	}
	return n.checkTemplate(d.TrackingOf(*n)...)
}

// checkTemplate returns an error if the number's template does not write a tracking number.
func (n *Number) checkTemplate(tracking ...string) error {
	for _, digits := range tracking {
		if _, err := snippet.WriteNumber(digits, n.Template); err != nil {
			return wrong("template_number", []string{digits}, "template %q: %v", n.Template, err)
		}
	}
	return nil
}
