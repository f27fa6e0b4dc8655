package inbox

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// leadForm says which leads are shown, as the address has it.
type leadForm struct {
	Search, State, Owner, Source, Form, Tag, Unread, Failed, Number, From, To, Since, Until string
	// Zone is how many minutes the operator's clock is behind UTC, as browsers tell it.
	Zone string
}

// The values of Owner that are no operator's id.
const (
	ownerMe     = "me"
	ownerNobody = "nobody"
)

// only is the value of Unread for the leads that the operator has not read, and that of Failed for those of which the site has
// failed.
const only = "yes"

// leadFields are the names of the form's fields in addresses.
func (f *leadForm) fields() map[string]*string {
	return map[string]*string{"q": &f.Search, "state": &f.State, "owner": &f.Owner, "source": &f.Source, "form": &f.Form, "tag": &f.Tag, "unread": &f.Unread, "failed": &f.Failed, "number": &f.Number,
		"from": &f.From, "to": &f.To, "since": &f.Since, "until": &f.Until, "zone": &f.Zone}
}

func leadFormOf(query url.Values) (form leadForm) {
	for name, field := range form.fields() {
		*field = strings.TrimSpace(query.Get(name))
	}
	return form
}

// Filtered tells whether not all leads are shown.
func (f leadForm) Filtered() bool {
	f.Zone = ""
	return f != leadForm{}
}

// Narrowed tells whether one of the fields is in use that are folded away.
func (f leadForm) Narrowed() bool {
	f.Zone, f.Search, f.State = "", "", ""
	return f != leadForm{}
}

// Query is what the address has of it.
func (f leadForm) Query() string {
	values := url.Values{}
	for name, field := range f.fields() {
		if *field != "" && (name != "zone" || f.Since+f.Until != "") {
			values.Set(name, *field)
		}
	}
	return values.Encode()
}

// With is the address of the same leads in another state; empty for any.
func (f leadForm) With(state string) string {
	f.State = state
	if query := f.Query(); query != "" {
		return "/leads?" + query
	}
	return "/leads"
}

// day is the beginning of a day as the form has it; ok is false when it is none.
func (f leadForm) day(text string) (at time.Time, ok bool) {
	if text == "" {
		return at, true
	}
	minutes := 0
	if f.Zone != "" {
		var err error
		if minutes, err = strconv.Atoi(f.Zone); err != nil || minutes < -24*60 || minutes > 24*60 {
			return at, false
		}
	}
	at, err := time.Parse(time.DateOnly, text)
	return at.Add(time.Duration(minutes) * time.Minute), err == nil && at.Year() >= 1970 && at.Year() < 10000
}

// filterOf is what the form asks for, or the name of the words that say what is wrong with it.
func (c *room) filterOf(ctx context.Context, page *frame.Page, f leadForm) (filter inbox.Filter, problem string, err error) {
	filter, problem = f.filter(*page)
	if problem == "" && f.Unread != "" {
		unread, err := c.unread.Of(ctx, page)
		filter.Among = append([]lead.Key{}, unread...)
		return filter, "", err
	}
	return filter, problem, nil
}

// filter is what the form asks for by itself.
func (f leadForm) filter(page frame.Page) (filter inbox.Filter, problem string) {
	filter = inbox.Filter{Sites: page.ByID(), Source: f.Source, Form: f.Form, Tag: f.Tag, Failed: f.Failed == only, Number: number.Digits(f.Number), Search: f.Search,
		From: amountTyped(f.From), To: amountTyped(f.To)}
	if f.State != "" {
		state, ok := lead.StateOf(f.State)
		if !ok {
			return filter, "leads.wrongFilter"
		}
		filter.State = &state
	}
	switch f.Owner {
	case "":
	case ownerMe:
		filter.Owner = &page.Operator.ID
	case ownerNobody:
		filter.Owner = new(int64)
	default:
		id, err := strconv.ParseInt(f.Owner, 10, 64)
		if err != nil || id <= 0 {
			return filter, "leads.wrongFilter"
		}
		filter.Owner = &id
	}
	if f.Failed != "" && f.Failed != only || f.Unread != "" && f.Unread != only {
		return filter, "leads.wrongFilter"
	}
	if f.Source != "" && !slices.Contains(source.Kinds, f.Source) || strings.Trim(filter.Number, "0123456789") != "" || !utf8.ValidString(f.Form+f.Tag) || strings.Contains(f.Form+f.Tag, "\x00") {
		return filter, "leads.wrongFilter"
	}
	since, ok := f.day(f.Since)
	until, okUntil := f.day(f.Until)
	if !ok || !okUntil {
		return filter, "leads.wrongDay"
	}
	filter.Since = since
	if !until.IsZero() {
		filter.Until = until.Add(24 * time.Hour)
	}
	return filter, leadProblems[filter.Check()]
}

// leadProblems are the names of the words for what is wrong with a filter.
var leadProblems = map[error]string{
	inbox.ErrAmount: "leads.wrongAmount", search.ErrLong: "leads.longSearch", search.ErrShort: "leads.shortSearch",
}

// amountTyped is an amount as people type it, with a decimal point, or the text if it is none.
func amountTyped(text string) string {
	if sum, ok := submission.Amount(text); ok {
		return sum
	}
	return text
}

// Sources are the kinds of sources.
func (leadForm) Sources(w *words.Tongue) []frame.Option { return rows.Sources(w) }

// Tabs are the choices by state.
func (f leadForm) Tabs(w *words.Tongue) []frame.Tab {
	tabs := []frame.Tab{{Option: frame.Option{Name: w.Text("leads.all")}, Link: f.With(""), Current: f.State == ""}}
	for _, state := range lead.States {
		name := state.String()
		tabs = append(tabs, frame.Tab{Option: frame.Option{Value: name, Name: w.Text("leads." + name)}, Link: f.With(name), Current: f.State == name})
	}
	return tabs
}
