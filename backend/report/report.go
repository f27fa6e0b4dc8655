// Package report answers what owners ask of their sites: how many visited and got in touch, which source brought them, and
// when. The answers come from figures that are kept apart from visits and leads, and outlive them.
package report

import (
	"errors"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// Dimension is what figures are divided by.
type Dimension string

// The dimensions. Those of a visit are what is known of the visits that led to an inquiry; those of an inquiry are its own, and
// visits have none of them.
const (
	Channel  Dimension = "channel" // one of package channel
	Source   Dimension = "source"
	Medium   Dimension = "medium"
	Campaign Dimension = "campaign"
	Content  Dimension = "content"
	Keyword  Dimension = "keyword"
	Referrer Dimension = "referrer" // the host of the site that led here
	Landing  Dimension = "landing"  // the path of the visit's first page
	Device   Dimension = "device"
	Browser  Dimension = "browser"
	Language Dimension = "language"
	Country  Dimension = "country"
	Area     Dimension = "area"
	City     Dimension = "city"

	Kind     Dimension = "kind"     // of the inquiry: one of the kinds below
	Page     Dimension = "page"     // the path of the page from which it came
	Number   Dimension = "number"   // that was called
	Pool     Dimension = "pool"     // of that number
	Operator Dimension = "operator" // the id of who has it, as decimal digits
	Group    Dimension = "group"    // the id of the group, as decimal digits
	Form     Dimension = "form"     // the form's name

	Event Dimension = "event" // of a user event: its category and its action

	Hour    Dimension = "hour"    // of the day in the period's zone, "00" to "23"
	Weekday Dimension = "weekday" // "1", Monday, to "7"
)

// OfVisits are the dimensions of a visit, which its inquiries and user events have too. OfInquiries and OfEvents are those that only these
// have, and OfTime those that all have.
var (
	OfVisits    = []Dimension{Channel, Source, Medium, Campaign, Content, Keyword, Referrer, Landing, Device, Browser, Language, Country, Area, City}
	OfInquiries = []Dimension{Kind, Page, Number, Pool, Operator, Group, Form}
	OfEvents    = []Dimension{Event}
	OfTime      = []Dimension{Hour, Weekday}
)

// Dimensions are all dimensions.
var Dimensions = slices.Concat(OfVisits, OfInquiries, OfEvents, OfTime)

// The kinds of inquiries: somebody gets in touch by a call, a request, a conversation or a callback. A lead that has been made of one of the
// others is no inquiry of its own.
const (
	Call     = "call"
	Request  = "request"
	Chat     = "chat"
	Callback = "callback"
)

// Unknown is the value of the dimensions of visits for an inquiry of which no visit is known.
const Unknown = "\x00unknown"

// Rest is the value of [Event] for the names that a site has beyond a thousand on a day.
const Rest = fact.Rest

// Metric is a figure's name.
type Metric int

// The metrics. Visits by bots count only as Bots, and spam only as Spam.
const (
	Visits   Metric = iota
	Visitors        // different ones
	Views
	FirstVisits // of visitors who had not been there before
	Bots        // visits
	Inquiries
	Calls
	Requests
	Chats
	Callbacks
	Persons    // who got in touch: inquiries of the same telephone number, address or visitor within [Question.PersonWindow] are one's
	Missed     // calls that nobody took
	Unanswered // of these, and of the callbacks that reached nobody: those whose caller was not talked to since
	Sales
	Revenue // in the site's currency
	Spam    // inquiries that somebody, or their marks, say are spam
	Cost    // of advertising, in the site's currency

	Scriptless // visits from whose pages no script has reported
	Numberless // visits that found no number left in a pool
	Events     // user events
	Value      // the sum of their values, as far as these are numbers

	metrics
)

// Metrics are the metrics' names, by their numbers.
var Metrics = []string{"visits", "visitors", "views", "new", "bots", "inquiries", "calls", "requests", "chats", "callbacks", "persons", "missed", "unanswered",
	"sales", "revenue", "spam", "cost", "scriptless", "numberless", "events", "value"}

// String is the metric's name.
func (m Metric) String() string { return Metrics[m] }

// MetricOf returns the metric of the name.
func MetricOf(name string) (Metric, bool) {
	at := slices.Index(Metrics, name)
	return Metric(at), at >= 0
}

// Figures are what was counted, by metric. What is shared among visits has parts.
type Figures [metrics]float64

// Filter keeps what has one of the values in the dimension.
type Filter struct {
	Dimension Dimension
	Values    []string
}

// Question is what is asked. By has none, one or two different dimensions.
type Question struct {
	SiteIDs []int64
	Period  period.Period
	Credit  credit.Rule
	By      []Dimension
	Filters []Filter
	// PersonWindow is how long an inquiry may be after another of the same person, to be that person's again.
	PersonWindow time.Duration
}

// Errors of questions.
var (
	ErrDimension = errors.New("there is no such dimension")
	ErrBy        = errors.New("expected at most two different dimensions")
	ErrFilters   = errors.New("expected at most ten filters of at most fifty values")
)

// Check returns an error for a question that cannot be asked: one of this package's, or of [credit.Rule.Check].
func (q Question) Check() error {
	if len(q.By) > 2 || len(q.By) == 2 && q.By[0] == q.By[1] {
		return ErrBy
	}
	for _, d := range q.By {
		if !slices.Contains(Dimensions, d) {
			return ErrDimension
		}
	}
	if len(q.Filters) > 10 {
		return ErrFilters
	}
	for _, f := range q.Filters {
		if !slices.Contains(Dimensions, f.Dimension) {
			return ErrDimension
		}
		if len(f.Values) == 0 || len(f.Values) > 50 {
			return ErrFilters
		}
	}
	return q.Credit.Check()
}

// Answer is what was found.
type Answer struct {
	// Total is of everything that the filters keep; Parts are of the parts of the period, in their order.
	Total Figures
	Parts []Figures
	// Rows are by the values of the question's dimensions, in no order. A row has as many values as there are dimensions.
	Rows []Row
	// Costs tells that the sites have costs, at whatever time, and that these have the question's dimensions.
	Costs bool
	// Until is up to when what happened is counted.
	Until time.Time
}

// Row is the figures of one value, or of two together.
type Row struct {
	Values []string
	Figures
}

// FigureKey names a figure of an answer: that of the row with the values, of the part that begins at the time, or without
// both of the total. A row's figures are not told by parts.
type FigureKey struct {
	Metric Metric
	Values []string
	Part   time.Time
}

// Ref names a visit or an inquiry behind a figure.
type Ref struct {
	SiteID int64
	// Kind is one of the kinds of inquiries, or "visit" or "event".
	Kind string
	// ID is that of the visit in public form, which for an event is its visit, or of the call, the lead, the conversation or the callback.
	ID int64
	At time.Time
	// Share is how much of it counts: 1, or less where an inquiry is shared among visits.
	Share float64
	// Amount is what it adds to the figure: its views, its sum of money, or its share.
	Amount float64
}
