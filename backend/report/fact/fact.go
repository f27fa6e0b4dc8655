// Package fact keeps what reports count: of each visit and each inquiry one row without names and contacts. The rows of a
// site's day are kept by column, so that a report reads the columns that it is about, and no other; a day with few
// rows is kept in one piece. They outlive the visits and the leads that they were made of.
package fact

import (
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/report/column"
)

// Family is a kind of rows. Its rows have numbers, and texts that most rows share.
type Family struct {
	Name string
	// Numbers and Texts are the names of its columns. The first two numbers are the row's id and its time, in minutes since the
	// beginning of its day.
	Numbers, Texts []string
	// Most is how many different values a text has on a day at most. Those that come behind them are Rest.
	Most map[int]int
}

// Rest stands for the texts of a column that has as many different ones as it may have.
const Rest = "\x00rest"

// The numbers that all rows begin with.
const (
	ID = iota
	Minute
)

// The numbers of a visit. The ids are those that were drawn, not their public forms: the first visit of a visitor has the
// visitor's.
const (
	VisitVisitor = iota + 2
	VisitViews
	VisitFlags // the bits below
)

// The bits of a visit's flags.
const (
	Bot        = 1 << iota
	Scriptless // no script has reported from its pages
	Numberless // a pool had no number left for it
)

// The texts of a visit.
const (
	VisitKind = iota // of its source
	VisitSource
	VisitMedium
	VisitCampaign
	VisitContent
	VisitKeyword
	VisitReferrer // a host
	VisitLanding  // a path
	VisitDevice
	VisitBrowser
	VisitLanguage
	VisitCountry
	VisitArea
	VisitCity
)

// Visits are the visits of a site.
var Visits = Family{
	Name:    "visit",
	Numbers: []string{"id", "minute", "visitor", "views", "flags"},
	Texts: []string{"kind", "source", "medium", "campaign", "content", "keyword", "referrer", "landing", "device", "browser", "language",
		"country", "area", "city"},
}

// The numbers of a user event. Value is in millionths, and Flags are those of its visit.
const (
	EventVisit = iota + 2
	EventValue
	EventFlags
)

// EventName is the text of a user event behind those of its visit.
const EventName = VisitCity + 1

// Events are the user events of a site. Each has the texts of its visit.
var Events = Family{
	Name:    "event",
	Numbers: []string{"id", "minute", "visit", "value", "flags"},
	Texts:   append(slices.Clone(Visits.Texts), "event"),
	Most:    map[int]int{EventName: 1000},
}

// The numbers of an inquiry. Visitor is 0 where it is not known. Phone and Email are keyed hashes, by which inquiries of one person are
// known; 0 for none. Flags are the bits below. Sum is in millionths of the site's currency.
const (
	InquiryVisitor = iota + 2
	InquiryPhone
	InquiryEmail
	InquiryFlags
	InquirySum
)

// The bits of an inquiry's flags.
const (
	Spam    = 1 << iota
	Missed  // a call that nobody took
	Failed  // a callback that reached nobody
	Reached // a call, or a callback, in which somebody was talked to
	Sale
	Part // of an inquiry of another kind: a lead that was made of a call or of a conversation
)

// The texts of an inquiry. Those of its source are its own, for one whose visits are not known.
const (
	InquiryKind = iota // one of package report
	InquirySourceKind
	InquirySource
	InquiryMedium
	InquiryCampaign
	InquiryContent
	InquiryKeyword
	InquiryReferrer
	InquiryLanding
	InquiryPage
	InquiryNumber
	InquiryOperator
	InquiryGroup
	InquiryForm
	InquiryPool
)

// Inquiries are the inquiries of a site. Their ids are unique within their kind: the id here has the kind in its two lowest bits.
var Inquiries = Family{
	Name:    "inquiry",
	Numbers: []string{"id", "minute", "visitor", "phone", "email", "flags", "sum"},
	Texts: []string{"kind", "sourcekind", "source", "medium", "campaign", "content", "keyword", "referrer", "landing",
		"page", "number", "operator", "group", "form", "pool"},
}

// Row is a row of a family: as many numbers and texts as it has columns.
type Row struct {
	Numbers []int64
	Texts   []string
}

// Block has columns of the rows of a site on a day. The columns that were not asked for are empty.
type Block struct {
	Day     int64 // since 1970, in UTC
	Numbers [][]int64
	Texts   []column.Texts
}

// Len is how many rows the block has, if the column of ids was asked for.
func (b *Block) Len() int { return len(b.Numbers[ID]) }

// InquiryID is the id of a row for an inquiry of the kind at the place, 0 to 3.
func InquiryID(place, id int64) int64 { return id<<2 | place }

// OfInquiry is the reverse of InquiryID.
func OfInquiry(row int64) (place, id int64) { return row & 3, row >> 2 }
