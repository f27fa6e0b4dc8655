package rows

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
)

// record is a row. Its values are int64, string, bool, []byte or nil, in the order of the columns.
type record struct {
	columns []table.Column
	values  []any
	done    *Done // what is to be told of the rows
	left    bool  // it is not added
	err     error // why it cannot be
}

func (r *record) place(column string) int {
	for i, c := range r.columns {
		if c.Name == column {
			return i
		}
	}
	return -1
}

func (r *record) set(column string, value any) { r.values[r.place(column)] = value }

func (r *record) text(column string) string {
	text, _ := r.values[r.place(column)].(string)
	return text
}

func (r *record) number(column string) int64 {
	n, _ := r.values[r.place(column)].(int64)
	return n
}

// closed is the state of conversations and callbacks that have been ended.
const closed = "closed"

// endConversation has nobody wait for what goes on in the other installation.
func endConversation(r *record) {
	if r.text("state") != closed {
		r.done.Conversations++
	}
	r.set("state", closed)
	for _, column := range []string{"waiting_since", "offered_to", "offered_until"} {
		r.set(column, int64(0))
	}
}

// endCallback has nobody called whom the other installation calls.
func endCallback(r *record) {
	r.set("order_id", "")
	switch r.text("state") {
	case "done", "no_answer", "failed", closed:
		return
	}
	r.done.Callbacks++
	r.set("state", closed)
	r.set("ended_at", r.number("changed_at"))
	for _, column := range []string{"due_at", "deadline_at", "placing_at"} {
		r.set(column, int64(0))
	}
	r.set("placed", false)
}

// examineFile has the content say what is offered to browsers.
func examineFile(r *record) {
	content, _ := r.values[r.place("content")].([]byte)
	f := file.File{Name: r.text("name"), Content: content}
	if r.err = f.Check(); r.err != nil {
		return
	}
	r.set("name", f.Name)
	r.set("type", f.Type)
	r.set("size", f.Size)
	r.set("pixels", f.Pixels)
}

// needOwner leaves out what belongs to somebody who has no account here.
func needOwner(r *record) {
	if r.number("operator_id") == 0 {
		r.left = true
		r.done.Reports++
	}
}

// beginAnew has the next figures mailed, and none of earlier.
func beginAnew(r *record) {
	for _, column := range []string{"period", "sent_at", "tested_at"} {
		r.set(column, int64(0))
	}
}

// dues are what the kinds of changes for reports are the numbers of.
var dues = map[string]reference{
	"visit": ofView, "event": ofEvent, report.Call: ofCall, report.Request: ofLead, report.Callback: ofCallback, report.Chat: ofConversation,
}

func dueKinds() iter.Seq[string] { return maps.Keys(dues) }

// figureRefs are what figures have numbers of.
var figureRefs = map[fact.Of]reference{
	fact.OfVisit: ofView, fact.OfEvent: ofEvent, fact.OfOperator: ofOperator, fact.OfGroup: ofGroup,
	fact.OfInquiries(0): ofCall, fact.OfInquiries(1): ofLead, fact.OfInquiries(2): ofCallback, fact.OfInquiries(3): ofConversation,
}

// errReference is the error of a number that no row can have.
var errReference = errors.New("the number is none of the file's")

// numbers turns a number of a row into one of the other side. 0 stays 0.
type numbers func(of reference, n int64) (int64, error)

// renumber puts other numbers into the row. pool turns the names of pools.
func (r *record) renumber(m *moved, to numbers, pool func(string) string) error {
	for column, of := range m.refs {
		place := r.place(column)
		var err error
		switch value := r.values[place].(type) {
		case int64:
			if of == ofDue {
				of = dues[r.text("kind")]
			}
			if of == ofTaken {
				if of = ofLead; value == -1 {
					continue
				}
			}
			if value != 0 {
				r.values[place], err = to(of, value)
			}
		case string:
			switch of {
			case ofPool:
				r.values[place] = pool(value)
			case ofJoined:
				r.values[place], err = r.renumberJoined(value, to)
			default:
				r.values[place], err = renumberQuery(value, to)
			}
		case []byte:
			var changed []byte
			changed, _, err = fact.Renumber(r.text("name"), value, func(of fact.Of, n int64) (int64, error) { return to(figureRefs[of], n) })
			r.values[place] = changed
		}
		if err != nil {
			return fmt.Errorf("%s: %w", column, err)
		}
	}
	return nil
}

// renumberJoined is for what a deed says: if leads were joined or parted, the number of the other.
func (r *record) renumberJoined(said string, to numbers) (string, error) {
	switch r.text("kind") {
	case "merged", "split", "took_in", "let_out":
		n, err := strconv.ParseInt(said, 10, 64)
		if err != nil {
			return "", fmt.Errorf("expected the number of a lead, not %.40q", said)
		}
		n, err = to(ofLead, n)
		return strconv.FormatInt(n, 10), err
	}
	return said, nil
}

// renumberQuery is for the address of a report, which may filter by operators and groups.
func renumberQuery(query string, to numbers) (string, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", errors.New("expected the query of an address")
	}
	changed := false
	for dimension, of := range map[report.Dimension]reference{report.Operator: ofOperator, report.Group: ofGroup} {
		for i, text := range values[wanted.FilterName(dimension)] {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n <= 0 {
				continue
			}
			if n, err = to(of, n); err != nil {
				return "", err
			}
			values[wanted.FilterName(dimension)][i], changed = strconv.FormatInt(n, 10), true
		}
	}
	if !changed {
		return query, nil
	}
	return values.Encode(), nil
}

// latest is the last millisecond that can be written as a time, and lastDay its day.
const latest, lastDay = 253402300799999, 2932896

// Numbers are added up for lists of all sites, and must not become too large then. mostCounted is the largest of those that
// count something, mostSummed that of the costs of an import, and mostNumber that of all others.
const mostCounted, mostSummed = 1 << 40, 1 << 60

var counted = []string{"pages", "views", "times", "begun", "lost", "clicks", "impressions", "waited", "talk", "wait", "direct", "campaign", "ad", "search", "social", "mail", "map", "referral"}

// inRange tells whether the number of a column can be one.
func inRange(m *moved, column string, n int64) bool {
	most := int64(mostNumber)
	switch {
	case slices.Contains(m.wide, column):
		return true
	case column == "at", strings.HasSuffix(column, "_at"), column == "arrived", column == "waiting_since":
		return 0 <= n && n <= latest
	case column == "day", column == "first_day", column == "last_day":
		return 0 <= n && n <= lastDay
	case column == "hour":
		return 0 <= n && n <= 24*lastDay
	case slices.Contains(counted, column):
		most = mostCounted
	case m.name == "cost_imports" && column == "amount":
		most = mostSummed
	}
	return -most <= n && n <= most
}
