package snippet

import "strconv"

// Arrival is what a page is sent with that begins or goes on a visit. The zero value is
// nothing.
type Arrival struct {
	// View is the id of the page view, of ASCII letters, digits, - and _. The script reports
	// the view by it. It may be empty.
	View string
	// Credentials are those of the view, nil while they are not known.
	Credentials *Credentials
	// Shown, if it is not nil, is what the visitor is shown.
	Shown *Shown
	// SetCookie is the whole value of a Set-Cookie field; empty for none.
	SetCookie string
}

// Credentials are what a page knows of its view (browser interface, section 2.1).
type Credentials struct {
	SiteKey, Key, URI    string
	Visitor, View, Visit int64
}

// AppendTo writes the block that tells the script of the visit.
func (a *Arrival) AppendTo(b []byte) []byte {
	b = append(b, `<script type="application/json" data-svc-visit>{"view":"`...)
	b = append(append(b, a.View...), '"')
	if c := a.Credentials; c != nil {
		for _, field := range [...]struct{ name, value string }{{"site_key", c.SiteKey}, {"key", c.Key}, {"uri", c.URI}} {
			b = appendQuoted(append(append(append(b, `,"`...), field.name...), `":`...), field.value)
		}
		for _, field := range [...]struct {
			name  string
			value int64
		}{{"visitor_id", c.Visitor}, {"hit_id", c.View}, {"session_id", c.Visit}} {
			b = strconv.AppendInt(append(append(append(b, `,"`...), field.name...), `":`...), field.value, 10)
		}
	}
	if a.Shown != nil {
		b = append(append(b, `,"numbers":`...), a.Shown.Records()...)
	}
	return append(b, "}</script>"...)
}
