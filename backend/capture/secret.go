package capture

import (
	"regexp"
	"strings"
)

// secretName are names of fields that protect a form or an account, or pay.
var secretName = regexp.MustCompile(`(?i)passw|(^|[^a-z])(pass|pwd|pin)([^a-z]|$)|[cx]srf|nonce|token(\]|\[\])?$|sessid|captcha|turnstile|` +
	`(^|[^a-z])(cvc|cvv|cvn|csc|iban)[0-9]?([^a-z]|$)|card[-_ ]?(number|no|num|code|exp|holder)|(^|[^a-z])cc[-_]?(number|num|name|exp|csc|type)|парол`)

// IsSecret tells whether what is in a field of that name protects a form or an account, or pays. It is never
// kept, by whatever way it comes.
func IsSecret(field string) bool { return secretName.MatchString(field) }

// trap are names of fields that people do not see and programs fill.
var trap = regexp.MustCompile(`(?i)honey[-_]?pot|(^|[^a-z])(_gotcha|bot-?field|hp)([^a-z]|$)|_ak_hp_textarea|ak_hp_`)

// technical are names of fields in which a form speaks to its own program.
var technical = regexp.MustCompile(`(?i)^(_wpcf7.*|_wp_.*|action|post_id|queried_id|referer_title|referrer|form_id|form_fields\[ak_js.*|ak_js.*|` +
	`wpforms\[(id|nonce|author|post_id|submit|token|page_.*|url_referer)\]|wpforms\[?_?(submit|ajax).*|page_(title|url|id)|params_hash|url_referer|` +
	`gform_.*|is_submit_\d+|state_\d+|version_hash|` +
	`tildaspec-.*|form-spec-comments|formservices(\[\])?|formid|` +
	`web_form_.*|bxajaxid|ajax_(call|id|page)|logout|backurl|` +
	`comment_(post_id|parent)|wp-comment-cookies-consent|akismet_.*|` +
	`submit|submitted|_submit|send|button|max_file_size|_charset_|utf8|_method|phpsessid|_fields|_format)$`)

// digitsRow is a row of 13 to 19 digits with spaces or dashes between them.
var digitsRow = regexp.MustCompile(`\d(?:[ \-\x{00a0}]?\d){12,18}`)

// hideCards writes stars over the numbers of payment cards (ISO/IEC 7812), but for the last four
// digits.
func hideCards(text string) string {
	return digitsRow.ReplaceAllStringFunc(text, func(row string) string {
		digits := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, row)
		if !isCard(digits) {
			return row
		}
		return "**** " + digits[len(digits)-4:]
	})
}

// isCard tells whether the digits may be a card's: those of payment begin with 2 to 6, and the last one is
// the check by Luhn's formula.
func isCard(digits string) bool {
	if len(digits) < 13 || len(digits) > 19 || digits[0] < '2' || digits[0] > '6' {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
