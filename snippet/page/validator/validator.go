// Package validator translates what a request asks about the copy that its client has, and what the answer says of it: the
// origin's validators describe the page without the code. The response writer asks it.
package validator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet/page/header"
)

// Conditions are what a request asked about the page that its client has, with the
// validators translated into the origin's.
//
// The origin's validators describe the page without the code. Towards the client
// an entity tag carries the mark, a hash, as a suffix, "abc" being "abc-HASH", so
// that pages cached under another configuration are not taken for current. A page
// that the origin only dates gets a weak tag with that date, "HASH.SECONDS" in
// hexadecimal, and the question comes back as If-Modified-Since.
//
// A page that is one visitor's own has no validators, and nobody asks the origin
// whether it has changed: what is shown may have, whatever the origin says.
type Conditions struct {
	ours    []string // the origin's tags that the client has with our suffix
	dated   string   // the client's tag that stands for a date
	foreign bool     // tags without our suffix were passed on
}

// Mark is the hash by which pages are told apart in validators: see [snippet.Code.Mark]. It is empty for a page that is one
// visitor's own.
type Mark string

// Translate replaces the conditions in a request's headers. A document that was
// cached without the code is to be fetched anew: document says that what has not
// our suffix is to be dropped.
func (m Mark) Translate(h http.Header, document bool) Conditions {
	var found Conditions
	if _, ours := m.unsuffix(header.Value(h, "If-Range")); ours && m != "" {
		// The client has the beginning of a page with the code, and asks for its rest. The origin has that of another
		// page: it is asked for the whole.
		delete(h, "Range")
		delete(h, "If-Range")
	}
	if m == "" {
		if document {
			delete(h, "If-None-Match")
			delete(h, "If-Modified-Since")
		}
		return found
	}
	tags := header.Split(h["If-None-Match"])
	kept := make([]string, 0, len(tags))
	since, tagged := "", len(h["If-None-Match"]) > 0
	for _, tag := range tags {
		if original, ok := m.unsuffix(tag); ok {
			found.ours = append(found.ours, original)
			kept = append(kept, original)
		} else if date, ok := m.dateOf(tag); ok {
			found.dated, since = tag, date
		} else if !document {
			found.foreign = true
			kept = append(kept, tag)
		}
	}
	if len(kept) > 0 {
		h["If-None-Match"] = []string{strings.Join(kept, ", ")}
	} else {
		delete(h, "If-None-Match")
	}
	if since != "" {
		h["If-Modified-Since"] = []string{since}
	} else if (document || tagged) && len(found.ours) == 0 {
		// Beside tags, a date does not count (RFC 9110, 13.1.3), but origins without
		// tags go by it.
		delete(h, "If-Modified-Since")
	}
	return found
}

// SuffixTag changes the validator of a page that may be woven.
func (m Mark) SuffixTag(status int, h http.Header) {
	if m == "" {
		delete(h, "Etag")
		delete(h, "Last-Modified")
		return
	}
	if tag := header.Value(h, "Etag"); tag != "" {
		if suffixed, ok := m.suffix(tag); ok {
			h["Etag"] = []string{suffixed}
		}
		return
	}
	if status != http.StatusOK {
		return
	}
	if date, err := http.ParseTime(header.Value(h, "Last-Modified")); err == nil && date.Unix() > 0 {
		h["Etag"] = []string{`W/"` + string(m) + "." + strconv.FormatInt(date.Unix(), 16) + `"`}
	}
}

// AnswerNotModified changes the validator of a 304 back into the client's. It says
// whether the answer is for a page of ours.
func (m Mark) AnswerNotModified(asked Conditions, h http.Header) bool {
	tag := header.Value(h, "Etag")
	switch {
	case len(asked.ours) == 0 && asked.dated == "":
		return false
	case tag == "" && asked.dated != "":
		h["Etag"] = []string{asked.dated}
	case tag == "" && len(asked.ours) == 1:
		tag = asked.ours[0]
		fallthrough
	case slices.ContainsFunc(asked.ours, func(t string) bool { return opaque(t) == opaque(tag) }) || !asked.foreign:
		if suffixed, ok := m.suffix(tag); ok {
			h["Etag"] = []string{suffixed}
		}
	default:
		return false // it answers for a copy that is none of ours
	}
	header.AddVary(h, "Sec-Fetch-Dest")
	return true
}

func (m Mark) suffix(tag string) (string, bool) {
	if body := opaque(tag); len(body) < 2 || body[0] != '"' || body[len(body)-1] != '"' {
		return "", false
	}
	return tag[:len(tag)-1] + "-" + string(m) + `"`, true
}

func (m Mark) unsuffix(tag string) (string, bool) {
	original, ok := strings.CutSuffix(tag, "-"+string(m)+`"`)
	if !ok || !strings.HasPrefix(opaque(tag), `"`) || len(opaque(original)) == 0 {
		return "", false
	}
	return original + `"`, true
}

// dateOf gives the date that a tag of ours stands for, as HTTP writes it.
func (m Mark) dateOf(tag string) (string, bool) {
	digits, ok := strings.CutPrefix(opaque(tag), `"`+string(m)+".")
	if !ok {
		return "", false
	}
	seconds, err := strconv.ParseInt(strings.TrimSuffix(digits, `"`), 16, 40)
	if err != nil || seconds < 0 {
		return "", false
	}
	return time.Unix(seconds, 0).UTC().Format(http.TimeFormat), true
}

// opaque is a tag without the mark of weakness, which does not count when a page is
// asked for (RFC 9110, 13.1.2).
func opaque(tag string) string { return strings.TrimPrefix(tag, "W/") }
