package submission

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
)

// single is the value itself, or the only element when it is an array of one.
func single(value any) any {
	for {
		list, ok := value.([]any)
		if !ok || len(list) != 1 {
			return value
		}
		value = list[0]
	}
}

// nothing tells that a field was sent without content. Forms write an empty field as a blank text or a dash.
func nothing(value any) bool {
	switch v := single(value).(type) {
	case nil:
		return true
	case string:
		v = strings.TrimSpace(v)
		return v == "" || v == "-"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// unset tells besides that what was sent is the name of nothing, as scripts
// write it into texts. It is for fields in which that can be no content.
func unset(value any) bool {
	if text, ok := single(value).(string); ok {
		text = strings.ToLower(strings.TrimSpace(text))
		return text == "" || text == "-" || text == "null" || text == "undefined" || text == "nan"
	}
	return nothing(value)
}

// text is the field's text. Of several texts it is the first that says anything.
func (r *reading) text(name string) string {
	silent := nothing
	if name == "email" || name == "phone" {
		silent = unset
	}
	value := single(r.sent[name])
	if silent(value) {
		return ""
	}
	if text, ok := scalar(value); ok {
		return text
	}
	r.keep(name, "wrong_type", "must be one text")
	if list, ok := value.([]any); ok {
		for _, one := range list {
			if text, ok := scalar(single(one)); ok && !silent(one) {
				return text
			}
		}
	}
	return ""
}

func scalar(value any) (text string, ok bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// sale reads whether the request is a sale, and of which amount. An amount beside a
// word that says neither yes nor no is not taken for one.
func (r *reading) sale() {
	var clear bool
	if r.IsSale, clear = flag(r.sent["is_sale"]); !clear {
		r.keep("is_sale", "wrong_type", "must be true or false")
	}
	sum, currency, ok := amount(r.sent["sale_cost"])
	switch {
	case !ok:
		r.keep("sale_cost", "wrong_sale_cost", "must be a decimal number such as 1500 or 1500.50, not negative")
		return
	case !clear && sum != "":
		r.keep("sale_cost", "sale_cost_without_sale", "is no amount without is_sale")
		return
	case sum == "0" && !r.IsSale: // nothing was sold, for nothing
		return
	case currency:
		r.keep("sale_cost", "wrong_sale_cost", "must be a decimal number without a currency; it is read as one")
	}
	r.SaleCost = sum
}

func flag(value any) (set, ok bool) {
	if unset(value) {
		return false, true
	}
	switch v := single(value).(type) {
	case bool:
		return v, true
	case string, json.Number:
		switch strings.ToLower(strings.TrimSpace(asText(v))) {
		case "1", "true", "on", "yes", "y":
			return true, true
		case "0", "false", "off", "no", "n":
			return false, true
		}
	}
	return false, false
}

// largest is the greatest integer that a browser's numbers hold exactly.
const largest = 1<<53 - 1

var wholeNumber = regexp.MustCompile(`^\+?([0-9]{1,16})(\.0*)?$`)

func (r *reading) integer(name string) int64 {
	value := r.sent[name]
	if unset(value) {
		return 0
	}
	switch v := single(value).(type) {
	case string, json.Number:
		if m := wholeNumber.FindStringSubmatch(strings.TrimSpace(asText(v))); m != nil {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n <= largest {
				return n
			}
		}
	}
	r.keep(name, "wrong_type", "must be an integer")
	return 0
}

var (
	spaces  = strings.NewReplacer(" ", "", "\u00a0", "", "\u2009", "", "\u202f", "", "'", "")
	grouped = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)
	decimal = regexp.MustCompile(`^[0-9]{1,15}([.,][0-9]{0,40})?$`)
	// priced is an amount with a currency before or behind it.
	priced = regexp.MustCompile(`^(\p{Sc}|\p{L}*)\.?([0-9][0-9.,]*?)(\p{Sc}|\p{L}*)\.?$`)
	// roubles and their kin are words that are no code of a currency (ISO 4217).
	roubles = regexp.MustCompile(`(?i)^(р|руб|рубл(ь|я|ей)|тг|тенге|грн|euro?)$`)
)

// maxDecimals is as many as any currency has.
const maxDecimals = 4

// amount reads a sum of money. Thousands may be set apart by blanks, apostrophes, or commas; else the comma is a
// decimal one. The result has a decimal point and no needless zeros. It is rounded to maxDecimals, as sites add up
// prices in binary fractions. A currency beside it is left out and told.
func amount(value any) (sum string, hasCurrency, ok bool) {
	if unset(value) {
		return "", false, true
	}
	switch v := single(value).(type) {
	case string, json.Number:
		text := spaces.Replace(strings.TrimSpace(asText(v)))
		if m := priced.FindStringSubmatch(text); m != nil && (m[1] == "") != (m[3] == "") && isCurrency(m[1]+m[3]) {
			text, hasCurrency = m[2], true
		}
		if grouped.MatchString(text) {
			text = strings.ReplaceAll(text, ",", "")
		}
		if decimal.MatchString(text) {
			sum, ok := new(big.Rat).SetString(strings.TrimSuffix(strings.Replace(text, ",", ".", 1), "."))
			if ok {
				return strings.TrimSuffix(strings.TrimRight(sum.FloatString(maxDecimals), "0"), "."), hasCurrency, true
			}
		}
	}
	return "", false, false
}

// Amount reads a sum of money as people type it: "1 500,50", "$1,500". The result has a decimal point, and is empty for
// an empty text.
func Amount(typed string) (sum string, ok bool) {
	sum, _, ok = amount(typed)
	return sum, ok
}

// isCurrency tells currencies from other words, such as those for thousands.
func isCurrency(word string) bool {
	if first, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Sc, first) || roubles.MatchString(word) {
		return true
	}
	_, err := currency.ParseISO(word)
	return err == nil
}

func asText(value any) string {
	if number, ok := value.(json.Number); ok {
		return number.String()
	}
	return value.(string)
}
