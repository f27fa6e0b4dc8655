package numbers

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// numberForm is a number of a site as its form has it.
type numberForm struct {
	Seen      int64  // version that the form was made from
	Was       string // digits of the number that is changed; empty for a new one
	Over      string // digits of the configuration's number with which a new one began
	Number    string // as it was typed
	Targets   string // one a line
	Selectors string
	Template  string
	Pictures  []pictureForm
	Rules     []ruleForm
	Wrong     map[string]string // what is wrong, by the names of fields
}

type pictureForm struct {
	Place, Color, Size string
}

// ruleForm says what visitors of some sources are shown.
type ruleForm struct {
	Name       string
	Show       string // showStatic, or a pool's name with poolPrefix before it
	Static     string // as it was typed
	Beside     string // digits of the printed number; empty if they are wrong
	Conditions []conditionForm
}

// Text is the rule as a Caddyfile has it.
func (r ruleForm) Text() string { return textOfRule(r.tracking()) }

// conditionForm is a condition in parts.
type conditionForm struct{ Field, How, Value string }

// What a rule shows.
const (
	showStatic = "static"
	poolPrefix = "pool:"
)

// How a value is compared, by the names of words.
const (
	howIs       = "is"
	howBegins   = "begins"
	howEnds     = "ends"
	howContains = "contains"
	howAny      = "any"
)

var howWords = map[string]string{howIs: "how.is", howBegins: "how.begins", howContains: "how.contains", howEnds: "how.ends", howAny: "how.any"}

// fieldWords are the names of the words for fields that have any: others are called as they
// are in addresses.
var fieldWords = map[string]string{"click_id": "field.click", "referrer": "field.referrer", "landing": "field.landing", "kind": "field.kind"}

func fieldName(w *words.Tongue, name string) string {
	if words := fieldWords[name]; words != "" {
		return w.Text(words)
	}
	return name
}

var hows = []string{howIs, howBegins, howContains, howEnds, howAny}

// The form does not grow beyond what can be stored.
const maxFormRows = 60

func numberFormOf(version int64, was string, n number.Number) numberForm {
	form := numberForm{Seen: version, Was: was, Number: words.Written(n.Number), Targets: strings.Join(n.Targets, "\n"), Selectors: strings.Join(n.Selectors, "\n"), Template: n.Template}
	for _, p := range n.Pictures {
		shown := pictureForm{Place: p.Place, Color: p.Color}
		if p.Size > 0 {
			shown.Size = strconv.Itoa(p.Size)
		}
		form.Pictures = append(form.Pictures, shown)
	}
	for _, t := range n.Tracking {
		rule := ruleForm{Name: t.Name, Show: showStatic, Static: words.Written(t.Static), Beside: n.Number}
		if t.Pool != "" {
			rule.Show = poolPrefix + t.Pool
		}
		for _, word := range t.When {
			rule.Conditions = append(rule.Conditions, conditionFormOf(word))
		}
		form.Rules = append(form.Rules, rule)
	}
	return form
}

// textOfRule is the rule as a Caddyfile has it.
func textOfRule(t number.Tracking) string {
	parts := []string{"static", number.Digits(t.Static)}
	if t.Static == "" {
		parts = []string{"dynamic", t.Pool}
	}
	for _, word := range t.When {
		if strings.ContainsAny(word, " \t\"") {
			word = strconv.Quote(word)
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, " ")
}

func conditionFormOf(word string) conditionForm {
	field, value, given := strings.Cut(word, "=")
	c := conditionForm{Field: field, How: howIs, Value: value}
	inner := strings.Trim(value, "*")
	switch {
	case !given || value == "*":
		c.How, c.Value = howAny, ""
	case strings.Contains(inner, "*"): // is written as a pattern
	case "*"+inner+"*" == value:
		c.How, c.Value = howContains, inner
	case inner+"*" == value:
		c.How, c.Value = howBegins, inner
	case "*"+inner == value && field != "referrer": // there it is a host with its subdomains
		c.How, c.Value = howEnds, inner
	}
	return c
}

// word is the condition as it is configured.
func (c conditionForm) word() string {
	switch c.How {
	case howAny:
		return c.Field + "=*"
	case howBegins:
		return c.Field + "=" + c.Value + "*"
	case howEnds:
		return c.Field + "=*" + c.Value
	case howContains:
		return c.Field + "=*" + c.Value + "*"
	}
	return c.Field + "=" + c.Value
}

// sentNumber is the form as the request has it.
func sentNumber(r *http.Request) numberForm {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	count := func(name string) int {
		n, _ := strconv.Atoi(value(name))
		return min(max(n, 0), maxFormRows)
	}
	form := numberForm{Was: value("was"), Over: value("over"), Number: value("number"), Targets: value("targets"), Selectors: value("selectors"), Template: value("template")}
	form.Seen, _ = strconv.ParseInt(value("version"), 10, 64)
	printed, _ := number.TrackingNumber(form.Number)
	for i := range count("pictures") {
		at := "picture" + strconv.Itoa(i)
		form.Pictures = append(form.Pictures, pictureForm{Place: value(at + "place"), Color: value(at + "color"), Size: value(at + "size")})
	}
	for i := range count("rules") {
		at := "rule" + strconv.Itoa(i)
		rule := ruleForm{Name: value(at + "name"), Show: value(at + "show"), Static: value(at + "static"), Beside: printed}
		for j := range count(at + "conditions") {
			at := at + "c" + strconv.Itoa(j)
			rule.Conditions = append(rule.Conditions, conditionForm{Field: value(at + "field"), How: value(at + "how"), Value: value(at + "value")})
		}
		form.Rules = append(form.Rules, rule)
	}
	return form
}

func (r ruleForm) tracking() number.Tracking {
	t := number.Tracking{Name: r.Name, Static: r.Static}
	if pool, is := strings.CutPrefix(r.Show, poolPrefix); is {
		t.Static, t.Pool = "", pool
	} else if digits, err := number.Beside(r.Beside, r.Static); err == nil {
		t.Static = digits
	}
	for _, c := range r.Conditions {
		if c.Field != "" {
			t.When = append(t.When, c.word())
		}
	}
	return t
}

// number is what the form says. Numbers are written as digits where they are right.
func (f numberForm) number() number.Number {
	n := number.Number{Number: f.Number, Targets: rows.Lines(f.Targets), Selectors: rows.Lines(f.Selectors), Template: f.Template}
	if digits, err := number.TrackingNumber(f.Number); err == nil {
		n.Number = digits
	}
	for _, p := range f.Pictures {
		if p.Place == "" {
			continue
		}
		size, err := strconv.Atoi(p.Size)
		if err != nil && p.Size != "" {
			size = -1 // which is refused
		}
		n.Pictures = append(n.Pictures, number.Picture{Place: p.Place, Color: p.Color, Size: size})
	}
	for _, r := range f.Rules {
		n.Tracking = append(n.Tracking, r.tracking())
	}
	return n
}

// do changes the form's rows as the button says that has been pressed.
func (f *numberForm) do(button string) {
	what, rest, _ := strings.Cut(button, "-")
	first, second, _ := strings.Cut(rest, "-")
	i, _ := strconv.Atoi(first)
	j, _ := strconv.Atoi(second)
	isRule := i >= 0 && i < len(f.Rules)
	switch {
	case what == "rule" && len(f.Rules) < maxFormRows:
		f.Rules = append(f.Rules, ruleForm{Show: showStatic, Conditions: []conditionForm{{Field: "utm_source", How: howIs}}})
	case what == "picture" && len(f.Pictures) < maxFormRows:
		f.Pictures = append(f.Pictures, pictureForm{})
	case what == "unpicture" && i >= 0 && i < len(f.Pictures):
		f.Pictures = slices.Delete(f.Pictures, i, i+1)
	case what == "drop" && isRule:
		f.Rules = slices.Delete(f.Rules, i, i+1)
	case what == "up" && isRule && i > 0:
		f.Rules[i-1], f.Rules[i] = f.Rules[i], f.Rules[i-1]
	case what == "down" && isRule && i+1 < len(f.Rules):
		f.Rules[i], f.Rules[i+1] = f.Rules[i+1], f.Rules[i]
	case what == "condition" && isRule && len(f.Rules[i].Conditions) < maxFormRows:
		f.Rules[i].Conditions = append(f.Rules[i].Conditions, conditionForm{Field: "utm_source", How: howIs})
	case what == "uncondition" && isRule && j >= 0 && j < len(f.Rules[i].Conditions):
		f.Rules[i].Conditions = slices.Delete(f.Rules[i].Conditions, j, j+1)
	}
}

// point says at its field what is wrong.
func (f *numberForm) point(w *words.Tongue, err error) {
	var wrong *number.FieldError
	name := "number"
	if errors.As(err, &wrong) && wrong.Field != "" && (wrong.Number == "" || number.Digits(wrong.Number) == number.Digits(f.number().Number)) {
		name = wrong.Field
		switch wrong.Field {
		case "tracking":
			name = "rule" + strconv.Itoa(wrong.Index)
		case "pictures":
			name = "picture" + strconv.Itoa(wrong.Index)
		}
	}
	f.Wrong = map[string]string{name: rows.NumberMistake(w, err)}
}
