package naming

import (
	"iter"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Names of fields are looked up in tables, since anybody may send any name. All of it takes time in proportion to the
// name.

// secretParts are parts of names of fields that protect a form or an account, or that pay. For cards, they stand after
// "card", with or without one of " -_" between.
var (
	secretParts = strings.Fields("passw csrf xsrf nonce sessid captcha turnstile парол")
	secretWords = strings.Fields("pass pwd pin cvc cvv cvn csc iban")
	cardParts   = strings.Fields("number no num code exp holder")
	ccParts     = strings.Fields("number num name exp csc type") // behind the word "cc"
)

// IsSecret reports whether a field of that name protects a form or an account, or pays. Its value is never kept,
// however it arrives.
func IsSecret(field string) bool {
	steps.Walk(len(secretParts) * len(field))
	field = strings.ToLower(field)
	if strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(field, "]"), "["), "token") {
		return true
	}
	if slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(field, part) }) {
		return true
	}
	for rest := field; ; {
		_, behind, found := strings.Cut(rest, "card")
		if !found {
			break
		}
		if begins(withoutOne(behind, " -_"), cardParts) {
			return true
		}
		rest = behind
	}
	for word, behind := range latinWords(field) {
		if slices.Contains(secretWords, word) || word == "cc" && begins(withoutOne(behind, "-_"), ccParts) ||
			strings.HasPrefix(word, "cc") && begins(word[len("cc"):], ccParts) {
			return true
		}
	}
	return false
}

// IsPassword reports whether somebody signs in with a field of that name.
func IsPassword(field string) bool {
	field = strings.ToLower(field)
	return strings.Contains(field, "passw") || strings.Contains(field, "парол") || field == "pwd" || field == "pass"
}

// withoutOne returns the text without its first character, if that is a separator.
func withoutOne(text, separators string) string {
	if text != "" && strings.IndexByte(separators, text[0]) >= 0 {
		return text[1:]
	}
	return text
}

func begins(text string, with []string) bool {
	return slices.ContainsFunc(with, func(part string) bool { return strings.HasPrefix(text, part) })
}

// latinWords returns the runs of small Latin letters in the text, each with the rest of the text after it.
func latinWords(text string) iter.Seq2[string, string] {
	return func(yield func(word, behind string) bool) {
		for at := 0; at < len(text); {
			end := at
			for end < len(text) && 'a' <= text[end] && text[end] <= 'z' {
				end++
			}
			if end > at && !yield(text[at:end], text[end:]) {
				return
			}
			at = end + 1
		}
	}
}

// traps are the names of fields that common programs of forms hide from people and that other programs fill in.
var traps = setOf("_gotcha gotcha bot-field bot_field botfield _hp hp nf-field-hp")

// IsTrap reports whether a field of that name is hidden from people and filled in by programs. In brackets, hp is one,
// such as wpforms[hp]. It also accepts the class of an element around such a field.
func IsTrap(name string) bool {
	steps.Walk(len(name))
	name = strings.ToLower(name)
	for _, part := range [...]string{"honeypot", "honey-pot", "honey_pot", "ak_hp_"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return traps[name] || strings.HasSuffix(name, "[hp]")
}

// technicalNames and technicalBegins are the names, and beginnings of names, of fields with which a form speaks to its
// own program.
var (
	technicalNames = setOf(`action post_id queried_id referer_title referrer form_id
		wpforms[id] wpforms[nonce] wpforms[author] wpforms[post_id] wpforms[submit] wpforms[token] wpforms[url_referer]
		page_title page_url page_id params_hash url_referer version_hash
		form-spec-comments formservices formservices[] formid
		bxajaxid ajax_call ajax_id ajax_page logout backurl
		comment_post_id comment_parent wp-comment-cookies-consent
		submit submitted _submit send button max_file_size _charset_ utf8 _method phpsessid _fields _format`)
	technicalBegins = strings.Fields(`_wpcf7 _wp_ form_fields[ak_js ak_js wpforms[page_ wpforms[submit wpforms[_submit wpforms[ajax wpforms[_ajax
		wpforms_submit wpforms_ajax wpformssubmit wpformsajax gform_ tildaspec- web_form_ akismet_`)
	technicalNumbered = strings.Fields("is_submit_ state_") // with a number behind
)

// asking are the names of fields with which pages of WordPress, and the cart and the checkout of WooCommerce, speak to
// their site although nobody sends a form.
var asking = setOf("action security product_id add-to-cart cart_item_key coupon coupon_code shipping_method[0] post_data")

// Review is the field with which WooCommerce's checkout asks for the price of the order while it is being filled in.
// The request also has everything filled in so far. The order itself has no such field.
const Review = "has_full_address"

// IsAsked reports whether a page asks its site with a field of that name and value: one of these, or the time at which
// WooCommerce asks for the content of the cart.
func IsAsked(field, value string) bool {
	return asking[field] || field == "time" && len(value) > 10 && strings.Trim(value, "0123456789") == ""
}

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// IsTechnical reports whether the form speaks to its own program in a field of that name.
func IsTechnical(field string) bool {
	steps.Walk(len(field))
	field = strings.ToLower(field)
	if technicalNames[field] || begins(field, technicalBegins) {
		return true
	}
	for _, begin := range technicalNumbered {
		if number, found := strings.CutPrefix(field, begin); found && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}
