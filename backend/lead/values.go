package lead

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
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

// nothing tells that a field was sent without content. Forms write an empty
// field as a blank text or a dash.
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

func (f fields) text(name string) (string, error) {
	value := f[name]
	if nothing(value) || (name == "email" || name == "phone") && unset(value) {
		return "", nil
	}
	switch v := single(value).(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", invalid("wrong_type", "%s must be a text", name)
}

func (f fields) flag(name string) (bool, error) {
	if unset(f[name]) {
		return false, nil
	}
	switch v := single(f[name]).(type) {
	case bool:
		return v, nil
	case string, json.Number:
		switch strings.ToLower(strings.TrimSpace(asText(v))) {
		case "1", "true", "on", "yes", "y":
			return true, nil
		case "0", "false", "off", "no", "n":
			return false, nil
		}
	}
	return false, invalid("wrong_type", "%s must be true or false", name)
}

// largest is the greatest integer that a browser's numbers hold exactly.
const largest = 1<<53 - 1

var wholeNumber = regexp.MustCompile(`^\+?([0-9]{1,16})(\.0*)?$`)

func (f fields) integer(name string) (int64, error) {
	if unset(f[name]) {
		return 0, nil
	}
	switch v := single(f[name]).(type) {
	case string, json.Number:
		if m := wholeNumber.FindStringSubmatch(strings.TrimSpace(asText(v))); m != nil {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n <= largest {
				return n, nil
			}
		}
	}
	return 0, invalid("wrong_type", "%s must be an integer", name)
}

var (
	spaces  = strings.NewReplacer(" ", "", "\u00a0", "", "\u2009", "", "\u202f", "", "'", "")
	grouped = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)
	decimal = regexp.MustCompile(`^[0-9]{1,15}([.,][0-9]{0,40})?$`)
)

// maxDecimals is as many as any currency has.
const maxDecimals = 4

// amount reads a sum of money. Thousands may be set apart by blanks,
// apostrophes, or commas; else the comma is a decimal one. The result has a
// decimal point and no needless zeros. It is rounded to maxDecimals, as sites
// add up prices in binary fractions.
func (f fields) amount(name string) (string, error) {
	if unset(f[name]) {
		return "", nil
	}
	switch v := single(f[name]).(type) {
	case string, json.Number:
		text := spaces.Replace(strings.TrimSpace(asText(v)))
		if grouped.MatchString(text) {
			text = strings.ReplaceAll(text, ",", "")
		}
		if decimal.MatchString(text) {
			sum, ok := new(big.Rat).SetString(strings.TrimSuffix(strings.Replace(text, ",", ".", 1), "."))
			if ok {
				return strings.TrimSuffix(strings.TrimRight(sum.FloatString(maxDecimals), "0"), "."), nil
			}
		}
	}
	return "", invalid("wrong_sale_cost", "%s must be a decimal number such as 1500 or 1500.50, not negative", name)
}

func asText(value any) string {
	if number, ok := value.(json.Number); ok {
		return number.String()
	}
	return value.(string)
}
