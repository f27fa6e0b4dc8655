package sip

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/emiago/sipgo/sip"
	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// maxUser is the size in bytes of what may be a number in an address.
const maxUser = 64

// numberOf are the digits of the number that an address names, in international form; empty when
// it names none. A number of the region needs no country's code.
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

// callerOf are the digits of who calls. They are empty when the caller wants not to be known, or
// has no number. The trunk vouches for P-Asserted-Identity (RFC 3325), and From is the caller's own.
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

// calledOf are the digits of the number that is called: that of the request's own address, or else
// the one that the caller has dialled.
func calledOf(invite *sip.Request, region string) string {
	if digits := numberOf(&invite.Recipient, region); digits != "" {
		return digits
	}
	if to := invite.To(); to != nil {
		return numberOf(&to.Address, region)
	}
	return ""
}
