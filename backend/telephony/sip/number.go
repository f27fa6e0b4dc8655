package sip

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/emiago/sipgo/sip"
	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// maxUser bounds a number in an address, in bytes.
const maxUser = 64

// numberOf returns the digits of the number in an address, in international form, or "" if there is none. Numbers of
// the region need no country code.
func numberOf(address *sip.Uri, region string) string {
	text := address.User
	if text == "" {
		text = address.Raw() // of tel:
	}
	text, _, _ = strings.Cut(text, ";") // parameters of the number (RFC 3966)
	if text == "" || len(text) > maxUser {
		return ""
	}
	text, err := url.PathUnescape(text)
	if err != nil {
		return ""
	}
	digits := trunk.Digits(text)
	if strings.HasPrefix(text, "+") {
		return trunk.Bounded(digits)
	}
	if after, zeros := strings.CutPrefix(digits, "00"); zeros {
		return trunk.Bounded(after)
	}
	if region != "" && trunk.Bounded(digits) != "" {
		parsed, err := phonenumbers.Parse(digits, region)
		if err == nil && phonenumbers.IsValidNumberForRegion(parsed, region) {
			return trunk.Bounded(strconv.Itoa(int(parsed.GetCountryCode())) + phonenumbers.GetNationalSignificantNumber(parsed))
		}
	}
	return trunk.Bounded(digits)
}

// callerOf returns the digits of the caller. They are empty if the caller wants to stay unknown or has no number. The
// trunk vouches for P-Asserted-Identity (RFC 3325); callers write From themselves.
func callerOf(invite *sip.Request, region string) string {
	for _, privacy := range invite.GetHeaders("Privacy") {
		for word := range strings.SplitSeq(strings.ToLower(privacy.Value()), ";") {
			if word = strings.TrimSpace(word); word == "id" || word == "user" || word == "header" {
				return ""
			}
		}
	}
	for _, asserted := range invite.GetHeaders("P-Asserted-Identity") {
		for one := range strings.SplitSeq(asserted.Value(), ",") {
			var address sip.Uri
			if _, err := sip.ParseAddressValue(strings.TrimSpace(one), &address, new(sip.HeaderParams)); err != nil {
				continue
			}
			if digits := numberOf(&address, region); digits != "" {
				return digits
			}
		}
	}
	if from := invite.From(); from != nil {
		return numberOf(&from.Address, region)
	}
	return ""
}

// calledOf returns the digits of the called number: the one in the request's own address, or else the one that the
// caller has dialled.
func calledOf(invite *sip.Request, region string) string {
	if digits := numberOf(&invite.Recipient, region); digits != "" {
		return digits
	}
	if to := invite.To(); to != nil {
		return numberOf(&to.Address, region)
	}
	return ""
}
