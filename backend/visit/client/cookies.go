package client

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// IDs are those by which platforms know a browser; each is empty where there is none, or where it is not well formed.
type IDs struct {
	// GA is Google Analytics' client id: the two numbers at the end of _ga, such as "1116446470.1700000000".
	GA string
	// Sessions are the session ids of Google's streams, from the cookies _ga_<STREAM>: "ABC1DEF2GH=1700000000", with a
	// space between two. There are maxSessions at most, in the order of the cookies. See [IDs.Session].
	Sessions string
	// YM is Yandex Metrica's client id, from _ym_uid.
	YM string
	// FBP and FBC are Meta's browser and click ids, from _fbp and _fbc.
	FBP, FBC string
	// PK is Matomo's visitor id, 16 hexadecimal digits, from the first _pk_id.<site>.<hash>.
	PK string
}

const (
	// maxSessions is how many streams of Google Analytics are looked at. A page has one, or a second that collects several
	// sites.
	maxSessions = 3
	maxStream   = 16
	maxNumber   = 20 // digits; Yandex' and Meta's numbers have 64 bits
	// maxClick is how long Meta's click id in _fbc may be, in bytes.
	maxClick = 400
)

// Session is the session id of the measurement id, such as "G-ABC1DEF2GH"; empty where it is not known.
func (i IDs) Session(measurementID string) string {
	stream := strings.TrimPrefix(measurementID, "G-")
	for one := range strings.FieldsSeq(i.Sessions) {
		if name, session, _ := strings.Cut(one, "="); name == stream {
			return session
		}
	}
	return ""
}

// Of reads the ids from the cookies of a request. Anybody can write these: what is not of the exact form is left out, and
// of cookies of one name the first counts that is.
func Of(h http.Header) (ids IDs) {
	sessions := 0
	for _, line := range h["Cookie"] {
		steps.Walk(len(line))
		for pair := range strings.SplitSeq(line, ";") {
			name, value, found := strings.Cut(strings.Trim(pair, " "), "=")
			if !found || len(name) < len("_ga") || name[0] != '_' {
				continue
			}
			switch {
			case name == "_ga":
				set(&ids.GA, googleClient(value))
			case name == "_ym_uid":
				set(&ids.YM, digits(value, 10, maxNumber))
			case name == "_fbp":
				set(&ids.FBP, metaID(value, false))
			case name == "_fbc":
				set(&ids.FBC, metaID(value, true))
			case strings.HasPrefix(name, "_pk_id."):
				set(&ids.PK, matomoVisitor(value))
			case strings.HasPrefix(name, "_ga_") && sessions < maxSessions:
				stream, session := name[len("_ga_"):], googleSession(value)
				if session != "" && isStream(stream) && ids.Session(stream) == "" {
					sessions++
					ids.Sessions = strings.TrimPrefix(ids.Sessions+" "+stream+"="+session, " ")
				}
			}
		}
	}
	return ids
}

func set(id *string, value string) {
	if *id == "" {
		*id = value
	}
}

// digits is the value, if it is so many digits.
func digits(value string, least, most int) string {
	if len(value) < least || len(value) > most || !all(value, isDigit) {
		return ""
	}
	return value
}

// googleClient is the client id in "GA1.1.1116446470.1700000000". The second number counts the parts of the domain, and
// of the path behind a hyphen.
func googleClient(value string) string {
	rest, is := strings.CutPrefix(value, "GA1.")
	level, id, found := strings.Cut(rest, ".")
	random, second, two := strings.Cut(id, ".")
	if !is || !found || !two || len(level) > 5 || !all(level, func(c byte) bool { return isDigit(c) || c == '-' }) {
		return ""
	}
	if digits(random, 1, 10) == "" || digits(second, 10, 10) == "" {
		return ""
	}
	return id
}

// googleSession is the session id in "GS1.1.1700000000.5.1.1700000100.0.0.0", or in "GS2.1.s1700000000$o5$g1$t1700000100".
func googleSession(value string) string {
	if rest, is := strings.CutPrefix(value, "GS1."); is {
		_, rest, _ = strings.Cut(rest, ".")
		session, _, _ := strings.Cut(rest, ".")
		return digits(session, 10, 10)
	}
	if rest, is := strings.CutPrefix(value, "GS2."); is {
		_, rest, _ = strings.Cut(rest, ".")
		session, _, _ := strings.Cut(rest, "$")
		if session, is := strings.CutPrefix(session, "s"); is {
			return digits(session, 10, 10)
		}
	}
	return ""
}

func isStream(name string) bool {
	return name != "" && len(name) <= maxStream && all(name, func(c byte) bool { return isDigit(c) || 'A' <= c && c <= 'Z' })
}

// metaID is the value, if it is one such as "fb.1.1596403881668.1116446470", or with a click id in place of the number.
// What Meta's own libraries add behind a further dot belongs to it.
func metaID(value string, click bool) string {
	rest, is := strings.CutPrefix(value, "fb.")
	index, rest, _ := strings.Cut(rest, ".")
	made, id, found := strings.Cut(rest, ".")
	if !is || !found || digits(index, 1, 1) == "" || digits(made, 13, 13) == "" {
		return ""
	}
	id, added, more := strings.Cut(id, ".")
	if more && (added == "" || len(added) > 8 || !all(added, isWord)) {
		return ""
	}
	if click && (id == "" || len(id) > maxClick || !all(id, isWord)) || !click && digits(id, 1, maxNumber) == "" {
		return ""
	}
	return value
}

// matomoVisitor is the visitor's id in "0123456789abcdef.1700000000.".
func matomoVisitor(value string) string {
	id, rest, found := strings.Cut(value, ".")
	second, _, _ := strings.Cut(rest, ".")
	if !found || len(id) != 16 || digits(second, 10, 10) == "" || !all(id, func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }) {
		return ""
	}
	return id
}

func all(text string, is func(byte) bool) bool {
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWord is for the characters of base64url.
func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_'
}
