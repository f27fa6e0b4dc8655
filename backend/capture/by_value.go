package capture

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// guess takes the fields whose names say nothing by their values.
func (r *recognising) guess() {
	r.guessed(naming.Email, func(f unnamed) bool { return isEmail(f.Value) })
	r.guessed(naming.Phone, func(f unnamed) bool {
		return looksLikePhone(f.Value) && !f.number && (f.Value[0] == '+' || r.phones.reads(f.Value))
	})
	for _, field := range r.rest {
		if !field.number {
			r.find(field.Value, true)
		}
	}
	for _, value := range r.said() {
		r.find(value, false)
	}
	r.guessed(naming.Message, func(f unnamed) bool { return isText(f.Value) })
	if !r.named() && (r.taken[naming.Email]+r.taken[naming.Phone] != "" || r.Messenger) {
		r.guessed(naming.Name, func(f unnamed) bool { return isName(f.Value) })
	}
	for _, field := range r.rest {
		r.other(field.Field, "")
	}
}

// introduces reports whether the fields whose names say nothing may contain a name and a number.
func (r *recognising) introduces() bool {
	has := func(like func(string) bool) bool {
		return slices.ContainsFunc(r.rest, func(f unnamed) bool { return !f.number && like(f.Value) })
	}
	return has(looksLikePhone) && has(isName)
}

// named reports whether the form has a name.
func (r *recognising) named() bool {
	return r.taken[naming.Name]+r.taken[naming.First]+r.taken[naming.Last] != ""
}

// guessed takes the first field with such a value, if no field has been recognised yet.
func (r *recognising) guessed(says naming.Meaning, like func(unnamed) bool) {
	if r.taken[says] != "" {
		return
	}
	for i, field := range r.rest {
		if like(field) {
			r.taken[says] = r.without(field.Value, says)
			r.rest = slices.Delete(r.rest, i, i+1)
			return
		}
	}
}

// said are the values of fields whose names say something, and of fields that people do not see. They may contain a
// number or an address too.
func (r *recognising) said() []string {
	values := []string{r.taken[naming.Message], r.taken[naming.Name], r.taken[naming.First], r.taken[naming.Last]}
	for _, called := range slices.Sorted(maps.Keys(r.others)) {
		values = append(values, r.others[called]...)
	}
	for _, field := range r.trapped {
		values = append(values, field.Value)
	}
	return values
}

// find finds a phone and an e-mail within the value, if none has been found yet. The value stays as it is. If its field
// has no name, the rest of the value may be somebody's name.
func (r *recognising) find(value string, unnamed bool) {
	if r.taken[naming.Email] != "" && r.taken[naming.Phone] != "" {
		return
	}
	text := r.without(value, "")
	beside := text
	if r.taken[naming.Email] == "" {
		r.taken[naming.Email] = emailIn(text)
		beside = without(beside, r.taken[naming.Email])
	}
	if r.taken[naming.Phone] == "" {
		r.taken[naming.Phone] = contact.FindPhone(text, r.phones.region, r.phones.try)
		beside = without(beside, r.taken[naming.Phone])
	}
	if beside = strings.Trim(beside, " ,.;:-–—\n\t()"); unnamed && len(beside) < len(text) && !r.named() && isName(beside) {
		r.taken[naming.Name] = beside
	}
}

// without returns the text without the first occurrence of a part.
func without(text, part string) string {
	if part == "" {
		return text
	}
	return strings.Replace(text, part, " ", 1)
}
