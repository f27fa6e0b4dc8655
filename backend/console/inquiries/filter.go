package inquiries

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/inquiry"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// form says which inquiries are shown, as the address has it.
type form struct {
	Search, Kind, State, Owner, Group, Source, Tag, Only, Called, Since, Until string
}

// The values of Owner that are no operator's id.
const (
	ownerMe     = "me"
	ownerNobody = "nobody"
)

// The values of Only.
const (
	onlySales      = "sales"
	onlyUnanswered = "unanswered"
	onlyRecorded   = "recorded"
)

// fields are the names of the form's fields in addresses.
func (f *form) fields() map[string]*string {
	return map[string]*string{"q": &f.Search, "kind": &f.Kind, "state": &f.State, "owner": &f.Owner, "group": &f.Group, "source": &f.Source, "tag": &f.Tag, "only": &f.Only,
		"called": &f.Called, "since": &f.Since, "until": &f.Until}
}

func formOf(query url.Values) (f form) {
	for name, field := range f.fields() {
		*field = strings.TrimSpace(query.Get(name))
	}
	return f
}

// Filtered tells whether not all inquiries are shown.
func (f form) Filtered() bool { return f != form{} }

// Narrowed tells whether one of the fields is in use that are folded away.
func (f form) Narrowed() bool {
	f.Search, f.Kind = "", ""
	return f != form{}
}

// Query is what the address has of it.
func (f form) Query() string {
	values := url.Values{}
	for name, field := range f.fields() {
		if *field != "" {
			values.Set(name, *field)
		}
	}
	return values.Encode()
}

// Tabs are the choices by kind.
func (f form) Tabs(w *words.Tongue) (tabs []frame.Tab) {
	current := f.Kind
	for _, k := range []struct {
		kind inquiry.Kind
		name string
	}{{"", "leads.all"}, {inquiry.Call, "calls.title"}, {inquiry.Request, "leads.title"}, {inquiry.Chat, "chats.title"}, {inquiry.Callback, "callbacks.title"}} {
		f.Kind = string(k.kind)
		tabs = append(tabs, frame.Tab{Option: frame.Option{Value: f.Kind, Name: w.Text(k.name)}, Link: strings.TrimSuffix("/inquiries?"+f.Query(), "?"), Current: f.Kind == current})
	}
	return tabs
}

// Sources are the kinds of sources.
func (form) Sources(w *words.Tongue) []frame.Option { return rows.Sources(w) }

// States are how far inquiries have been worked on.
func (form) States(w *words.Tongue) (options []frame.Option) {
	for _, state := range lead.States {
		options = append(options, frame.Option{Value: state.String(), Name: w.Text("state." + state.String())})
	}
	return options
}

// filter is what the form asks for, with days of the zone, or the name of the words that say what is wrong with it.
func (f form) filter(p frame.Page, zone *time.Location) (filter inquiry.Filter, problem string) {
	filter = inquiry.Filter{Sites: p.ByID(), Source: f.Source, Tag: f.Tag, Called: f.Called, Search: f.Search,
		Sale: f.Only == onlySales, Unanswered: f.Only == onlyUnanswered, Recorded: f.Only == onlyRecorded}
	if f.Kind != "" {
		filter.Kinds = []inquiry.Kind{inquiry.Kind(f.Kind)}
	}
	known := f.Kind == "" || slices.Contains(inquiry.Kinds, inquiry.Kind(f.Kind))
	known = known && (f.Source == "" || slices.Contains(source.Kinds, f.Source))
	known = known && slices.Contains([]string{"", onlySales, onlyUnanswered, onlyRecorded}, f.Only)
	known = known && utf8.ValidString(f.Tag) && !strings.Contains(f.Tag, "\x00")
	if f.State != "" {
		state, ok := lead.StateOf(f.State)
		filter.State, known = &state, known && ok
	}
	if f.Group != "" {
		id, ok := idOf(f.Group)
		filter.Group, known = id, known && ok
	}
	switch f.Owner {
	case "":
	case ownerMe:
		filter.Owner = &p.Operator.ID
	case ownerNobody:
		filter.Owner = new(int64)
	default:
		id, ok := idOf(f.Owner)
		filter.Owner, known = &id, known && ok
	}
	if !known {
		return filter, "leads.wrongFilter"
	}
	since, until, ok := f.days(zone)
	if !ok {
		return filter, "leads.wrongDay"
	}
	filter.Since, filter.Until = since, until
	return filter, problems[filter.Check()]
}

func idOf(text string) (id int64, ok bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id > 0
}

// days are the beginning of the first day and the end of the last one; ok is false for what is no day.
func (f form) days(zone *time.Location) (since, until time.Time, ok bool) {
	ok = true
	read := func(text string, later int) (at time.Time) {
		if text == "" {
			return at
		}
		day, err := time.Parse(time.DateOnly, text)
		ok = ok && err == nil && day.Year() >= 1970 && day.Year() < 10000
		return time.Date(day.Year(), day.Month(), day.Day()+later, 0, 0, 0, 0, zone)
	}
	since, until = read(f.Since, 0), read(f.Until, 1)
	return since, until, ok
}

// problems are the names of the words for what is wrong with a filter.
var problems = map[error]string{call.ErrNumber: "calls.wrongNumber", search.ErrLong: "leads.longSearch", search.ErrShort: "leads.shortSearch"}
