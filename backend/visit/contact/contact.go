// Package contact reads what visitors give to be reached by: telephone numbers and addresses of e-mail, in all their
// writings. It finds numbers in texts. It stores nothing.
package contact

import (
	"cmp"
	"strings"
	"time"
)

// Contact is an e-mail or a phone.
type Contact struct {
	// Value is the normal form, which is the same for all writings of an address or a phone; [Contact.Phone] reads it.
	// Written is as the visitor wrote it.
	Value, Written string
	At             time.Time
}

// OfEmail returns the contact of an address, as a visitor has written it.
func OfEmail(written string) Contact {
	return Contact{Value: normalizeEmail(written), Written: written}
}

// OfPhone returns the contact of a phone, as a visitor has written it. See [ReadPhone] for the region.
func OfPhone(written, region string) Contact {
	return Contact{Value: phoneValue(written, region), Written: written}
}

// normalizeEmail trims an address and puts its domain in lower case. Only the domain is the same in either case (RFC
// 5321, section 2.4).
func normalizeEmail(address string) string {
	address = strings.TrimSpace(address)
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return address[:at] + strings.ToLower(address[at:])
}

const (
	// ofNobody stands before the digits of a contact whose country is not known, so that they equal no number in
	// international form.
	ofNobody = "?"
	// extended stands before the extension (RFC 3966, section 5.3).
	extended = ";ext="
)

// phoneValue returns the normal form of a phone, which is the same for all its writings.
func phoneValue(text, region string) string {
	phone := ReadPhone(text, region)
	switch {
	case phone.Digits == "":
		return WithoutCountry(cmp.Or(Digits(text), text))
	case phone.Extension != "":
		return phone.Digits + extended + phone.Extension
	}
	return phone.Digits
}

// Phone returns the number of a contact that is a phone.
func (c Contact) Phone() Phone {
	if strings.HasPrefix(c.Value, ofNobody) {
		return Phone{}
	}
	digits, extension, _ := strings.Cut(c.Value, extended)
	return Phone{digits, extension}
}

// WithoutCountry returns the value of a phone whose country is not known, of its digits.
func WithoutCountry(digits string) string { return ofNobody + digits }

// ExtensionsLike returns the SQL pattern of the values that are the number with an extension. digits are in
// international form.
func ExtensionsLike(digits string) string { return digits + extended + "%" }

// Digits returns the ASCII digits of the text.
func Digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}
