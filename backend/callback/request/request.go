// Package request reads what visitors ask of sitePhoneCall (browser interface, section 4.1), and which numbers are called.
package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Ahead is how far ahead a call may be requested.
const Ahead = 30 * 24 * time.Hour

// Request is the request of a page (browser interface, section 4.1), as it was sent.
type Request struct {
	CaptchaKey, CaptchaValue string
	// Phone is the visitor's number as it was written.
	Phone string
	// Time is the requested time, zero for now, and GroupID the group; 0 for none.
	Time    time.Time
	GroupID int64
}

// asked are the parameters of sitePhoneCall. Pages send numbers as text, text as numbers, and null or empty text for
// nothing.
type asked struct {
	CaptchaKey   json.RawMessage `json:"captcha_key"`
	CaptchaValue json.RawMessage `json:"captcha_value"`
	Phone        json.RawMessage `json:"phone"`
	Time         json.RawMessage `json:"delayed_call_time"`
	Group        json.RawMessage `json:"group_id"`
}

// Wrong is the error for a request that cannot be read. Its text may be shown.
type Wrong struct {
	// Code is one of the codes below.
	Code   string
	Reason string
}

func (w Wrong) Error() string { return w.Reason }

// The codes of requests that cannot be read.
const (
	WrongRequest = "wrong_request"
	WrongPhone   = "wrong_phone"
	WrongTime    = "wrong_time"
	WrongGroup   = "wrong_group"
)

// Errors of [ReadPhone].
var (
	ErrPhone = errors.New("expected a telephone number: digits, with the country's code if it is another country's")
	ErrType  = errors.New("this kind of number is not called: expected that of a person")
)

// maxParameter is the size in bytes of a parameter.
const maxParameter = 200

// Read reads the parameters of sitePhoneCall, a JSON object. The error is a [Wrong]. Unknown parameters are
// ignored.
func Read(object []byte, now time.Time) (Request, error) {
	var a asked
	if object = bytes.TrimSpace(object); len(object) == 0 || object[0] != '{' || json.Unmarshal(object, &a) != nil {
		return Request{}, Wrong{WrongRequest, "the parameters must be an object"}
	}
	var r Request
	var whole bool
	if r.CaptchaKey, whole = text(a.CaptchaKey); !whole {
		return Request{}, Wrong{WrongRequest, "captcha_key must be text"}
	}
	if r.CaptchaValue, whole = text(a.CaptchaValue); !whole {
		return Request{}, Wrong{WrongRequest, "captcha_value must be text"}
	}
	if r.Phone, whole = text(a.Phone); !whole {
		return Request{}, Wrong{WrongPhone, "phone must be text"}
	}
	group, whole := text(a.Group)
	if !whole {
		return Request{}, Wrong{WrongGroup, "group_id must be a number, or text that is one"}
	}
	if id, err := strconv.ParseInt(group, 10, 64); err == nil && id > 0 { // what is no id is no group
		r.GroupID = id
	}
	at, whole := text(a.Time)
	if !whole {
		return Request{}, Wrong{WrongTime, "delayed_call_time must be milliseconds since 1970, as text or as a number"}
	}
	var err error
	r.Time, err = readTime(at, now)
	return r, err
}

// text returns a parameter as text: empty for null and for a missing one. whole is false if the parameter is neither
// text nor a number, or too long.
func text(value json.RawMessage) (text string, whole bool) {
	if len(value) == 0 || string(value) == "null" {
		return "", true
	}
	if value[0] == '"' {
		if json.Unmarshal(value, &text) != nil {
			return "", false
		}
		text = strings.Trim(text, " \t")
	} else if value[0] == '-' || value[0] >= '0' && value[0] <= '9' {
		text = string(value)
	} else {
		return "", false
	}
	return text, len(text) <= maxParameter && utf8.ValidString(text)
}

// readTime reads milliseconds since 1970, UTC. An empty value, zero and the past mean now, which is the zero time.
func readTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	milli, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(milli) || strings.ContainsAny(text, "xXpP_") {
		return time.Time{}, Wrong{WrongTime, "delayed_call_time must be milliseconds since 1970, as text or as a number"}
	}
	milli = math.Trunc(milli) // the rest is not kept, and makes no time later
	if milli > float64(now.Add(Ahead).UnixMilli()) {
		return time.Time{}, Wrong{WrongTime, "delayed_call_time is more than 30 days ahead; expected milliseconds since 1970"}
	}
	if milli <= float64(now.UnixMilli()) {
		return time.Time{}, nil
	}
	return time.UnixMilli(int64(milli)), nil
}

// punctuation is what people write between the digits of a number. It is ASCII only.
const punctuation = "+()-. /"

// ReadPhone reads the number of a person to call, and returns it in digits in international form. A number without a
// country code belongs to the region. A number with other characters is refused, and so is one that does not belong to
// a person. The error is [ErrPhone] or [ErrType].
func ReadPhone(written, region string) (digits string, err error) {
	written = strings.NewReplacer("\u00a0", " ", "\u2011", "-").Replace(strings.Trim(written, " "))
	if len(written) > 40 || strings.ContainsFunc(written, func(r rune) bool { return (r < '0' || r > '9') && !strings.ContainsRune(punctuation, r) }) {
		return "", ErrPhone
	}
	digits = contact.ReadPhone(written, region).Digits
	if digits == "" {
		// This has the country code but no plus sign, as masks write it.
		digits = contact.ReadPhone("+"+contact.Digits(written), "").Digits
	}
	number, err := phonenumbers.Parse("+"+digits, "")
	if digits == "" || err != nil {
		return "", ErrPhone
	}
	switch phonenumbers.GetNumberType(number) {
	case phonenumbers.FIXED_LINE, phonenumbers.MOBILE, phonenumbers.FIXED_LINE_OR_MOBILE, phonenumbers.VOIP:
		return digits, nil
	case phonenumbers.UNKNOWN:
		return "", ErrPhone
	}
	return "", ErrType
}
