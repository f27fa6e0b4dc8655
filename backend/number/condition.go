package number

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/number/pattern"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// field is a field of a source that a condition can be about.
type field int

const (
	utmSource field = iota
	utmMedium
	utmCampaign
	utmTerm
	utmContent
	clickID
	referrer
	landing
	kind
	fields // how many there are
)

var fieldNames = [fields]string{"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "click_id", "referrer", "landing", "kind"}

// Fields returns the names of the fields that a form offers for conditions; a condition may also name another parameter
// of an advertisement.
func Fields() []string {
	return slices.Insert(slices.Clone(fieldNames[:]), int(clickID), "gclid", "yclid")
}

// facts are the fields of a source in the form that patterns match. A missing field is empty, and no condition on it
// holds.
type facts struct {
	text      [fields]string
	parameter string // the parameter of the click id
}

// factsOf returns the facts of a source. All text is in lower case. A landing page is its path without percent escapes.
// A referrer is its host with a dot before it and without "www."; see hostPattern.
func factsOf(s source.Source) facts {
	f := facts{parameter: strings.ToLower(s.ClickIDName)}
	f.text[kind] = s.Kind
	if s.Tagged() { // otherwise Source is the name that stands behind the referrer
		f.text[utmSource] = strings.ToLower(s.Source)
		f.text[utmMedium] = strings.ToLower(s.Medium)
		f.text[utmCampaign] = strings.ToLower(s.Campaign)
		f.text[utmTerm] = strings.ToLower(s.Term)
		f.text[utmContent] = strings.ToLower(s.Content)
	}
	f.text[clickID] = strings.ToLower(s.ClickID)
	if s.Referrer != "" {
		f.text[referrer] = "." + strings.TrimPrefix(s.Referrer, "www.")
	}
	f.text[landing] = strings.ToLower(unescaped(s.Landing))
	return f
}

// unescaped removes the percent escapes from a path, if all of them are valid. A path that was cut may end inside an
// escape.
func unescaped(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	whole := path
	if at := strings.LastIndexByte(path, '%'); at >= len(path)-2 {
		whole = path[:at]
	}
	if plain, err := url.PathUnescape(whole); err == nil {
		return strings.ToValidUTF8(plain, "")
	}
	return path
}

// condition is a condition on one field of a source.
type condition struct {
	field     field
	parameter string // the parameter of the click id; empty for any
	pattern   pattern.Pattern
}

func (c condition) holds(f *facts) bool {
	text := f.text[c.field]
	return text != "" && (c.parameter == "" || c.parameter == f.parameter) && c.pattern.Matches(text)
}

func (c condition) String() string {
	text := c.pattern.String()
	switch {
	case c.field == landing && (strings.ContainsAny(text, "?#") || unescaped(text) != text):
		text = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(text)
	case c.field == referrer && strings.HasPrefix(text, ".www."): // see hostPattern
		text = "www" + text
	case c.field == referrer:
		text = strings.TrimPrefix(text, ".")
	}
	return cmp.Or(c.parameter, fieldNames[c.field]) + "=" + text
}

// Conditions select sources. Of the conditions on one field, at least one has to hold, and that for each field. No
// conditions select every visitor.
type Conditions []condition // in the order of their fields

// ParseConditions reads conditions, each written as FIELD=PATTERN or, of click ids, as the parameter's name alone. In a
// pattern `*` stands for any text, and letters are the same in both cases. The fields are
//
//	utm_source utm_medium utm_campaign utm_term utm_content
//	gclid, yclid and all others that source.IsClickID knows; click_id for any of them
//	referrer   the host, without "www."; "*." before it stands for subdomains or none
//	landing    the path of the visit's first page
//	kind       one of source.Kinds, without asterisks
//
// An error names the condition and what was expected.
func ParseConditions(words []string) (Conditions, error) {
	var list Conditions
	for _, word := range words {
		c, err := parseCondition(word)
		if err != nil {
			return nil, wrong("condition", []string{word}, "condition %q: %v", word, err)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b condition) int {
		return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.String(), b.String()))
	})
	list = slices.CompactFunc(list, func(a, b condition) bool { return a.String() == b.String() })
	if !list.possible() {
		return nil, wrong("impossible", []string{list.String()}, "conditions %q: no visit has all of them: utm parameters make it kind=campaign, and kind=direct has neither click id nor referrer", list)
	}
	return list, nil
}

func parseCondition(word string) (c condition, err error) {
	name, value, given := strings.Cut(word, "=")
	name = strings.ToLower(name)
	switch at := slices.Index(fieldNames[:], name); {
	case at >= 0:
		c.field = field(at)
	case source.IsClickID(name):
		c.field, c.parameter = clickID, name
	default:
		return c, errors.New("expected utm_source, utm_medium, utm_campaign, utm_term, utm_content, a click id such as gclid, click_id, referrer, landing or kind, followed by =; in quotation marks when there are spaces")
	}
	if c.field == clickID && !given {
		value = "*"
	}
	value = strings.ToLower(value) // which may make it longer
	switch {
	case value == "":
		return c, fmt.Errorf("expected %s=VALUE, in which * is any text", name)
	case len(value) > source.MaxText:
		return c, fmt.Errorf("expected at most %d bytes, which is what is kept of a source", source.MaxText)
	}
	switch c.field {
	case kind:
		if !slices.Contains(source.Kinds, value) {
			return c, fmt.Errorf("expected one of %s", strings.Join(source.Kinds, ", "))
		}
	case referrer:
		if value, err = hostPattern(value); err != nil {
			return c, err
		}
	case landing:
		if value[0] != '/' && value[0] != '*' || strings.ContainsAny(value, "?#") {
			return c, errors.New("expected a path that begins with a slash or *, without ? and #")
		}
		value = strings.ToLower(unescaped(value))
	}
	c.pattern = pattern.New(value)
	return c, nil
}

// hostPattern is a pattern for hosts with a dot before them, so that "*.google.*"
// has the bare google.com too while "google.com" has no other host.
func hostPattern(host string) (_ string, err error) {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if strings.ContainsFunc(label, func(r rune) bool { return r > '~' }) {
			if strings.Contains(label, "*") {
				return "", fmt.Errorf("expected no * in %q: such names are compared in their ASCII form", label)
			}
			if labels[i], err = idna.Lookup.ToASCII(label); err != nil {
				return "", errors.New("expected a host")
			}
		}
		if strings.Trim(labels[i], "abcdefghijklmnopqrstuvwxyz0123456789-_*") != "" || labels[i] == "" {
			return "", errors.New("expected a host without scheme, port and path, such as *.google.*")
		}
	}
	if host = strings.Join(labels, "."); len(host) > source.MaxText {
		return "", fmt.Errorf("expected at most %d bytes in the ASCII form of a host", source.MaxText)
	}
	if host = strings.TrimPrefix(host, "www."); host[0] != '*' {
		host = "." + host
	}
	return host, nil
}

// hold tells whether a source with these facts is meant.
func (l Conditions) hold(f *facts) bool {
	held := true
	for i, c := range l {
		if i > 0 && c.field == l[i-1].field {
			held = held || c.holds(f)
		} else if held {
			held = c.holds(f)
		} else {
			return false
		}
	}
	return held
}

// possible tells whether there can be a visit for which they hold.
func (l Conditions) possible() bool { return slices.ContainsFunc(source.Kinds, l.allow) }

// forDirect tells whether they can hold for a direct visit.
func (l Conditions) forDirect() bool { return l.allow(source.Direct) }

// cover tells whether they hold for every visit for which the others hold, as far as single conditions tell.
func (l Conditions) cover(others Conditions) bool {
	for _, c := range l {
		if !l.coverField(c.field, others) {
			return false
		}
	}
	return true
}

func (l Conditions) coverField(f field, others Conditions) bool {
	if f == kind { // which other fields tell, too
		for _, k := range source.Kinds {
			if others.allow(k) && !l.allow(k) {
				return false
			}
		}
		return true
	}
	asked := false
	for _, other := range others {
		if other.field == f {
			asked = true
			if !slices.ContainsFunc(l, func(c condition) bool { return c.covers(other) }) {
				return false
			}
		}
	}
	return asked
}

// covers compares patterns by one's text: what stands for an asterisk there stands for one here, too.
func (c condition) covers(other condition) bool {
	return c.field == other.field && (c.parameter == "" || c.parameter == other.parameter) && c.pattern.Matches(other.pattern.String())
}

// allow tells whether they can hold for a visit of the kind.
func (l Conditions) allow(k string) bool {
	kinds, named := false, false
	for _, c := range l {
		switch c.field {
		case kind:
			kinds, named = true, named || c.pattern.Matches(k)
		case landing:
		case clickID, referrer:
			if k == source.Direct {
				return false
			}
		default:
			if k != source.Campaign && k != source.Ad {
				return false
			}
		}
	}
	return named || !kinds
}

// String writes the conditions as they are configured. Lists that mean the same are written alike.
func (l Conditions) String() string {
	words := make([]string, len(l))
	for i, c := range l {
		words[i] = c.String()
	}
	return strings.Join(words, " ")
}
