package inquiry

import (
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// view is what a kind is listed along, and which conditions on it have other words than those of other kinds. A condition
// that is empty is one that the kind cannot meet.
type view struct {
	view       string
	unanswered string
	tag        string // with the tag for "?"
	called     string // with a pattern for "?"
}

const leadTag = `EXISTS (SELECT 1 FROM lead_tags t WHERE t.site_id = v.site_id AND t.lead_id = v.lead_id AND t.tag = ?)`

// views are those of the kinds, by their places.
var views = []view{
	{
		view: `inquiry_calls`, unanswered: `v.status IN ('missed', 'busy', 'failed')`, tag: leadTag,
		called: `(v.called LIKE ? OR v.replaces LIKE ?)`,
	},
	{
		view: `inquiry_leads`, tag: leadTag,
		called: `EXISTS (SELECT 1 FROM lead_numbers n WHERE n.site_id = v.site_id AND n.lead_id = v.id AND (n.number LIKE ? OR n.number LIKE ?))`,
	},
	{view: `inquiry_callbacks`, unanswered: `v.status IN ('no_answer', 'failed')`},
	{
		view: `inquiry_chats`, unanswered: `v.waiting_since <> 0`,
		tag: `(EXISTS (SELECT 1 FROM conversation_tags t WHERE t.site_id = v.site_id AND t.conversation_id = v.id AND t.tag = ?) OR ` + leadTag + `)`,
	},
}

// times writes that they came when the filter says.
func (f Filter) times(q *query) {
	if !f.Since.IsZero() {
		q.add(` AND v.at >= ?`, f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		q.add(` AND v.at < ?`, f.Until.UnixMilli())
	}
}

// test writes the conditions of the filter on the view.
func (f Filter) test(q *query, of view) {
	switch {
	case f.State != nil:
		q.add(` AND v.state = ?`, int64(*f.State))
	case f.Search == "":
		q.add(` AND v.state <> ?`, int64(lead.Spam))
	}
	if f.Owner != nil {
		q.add(` AND v.owner_id = ?`, *f.Owner)
	}
	if f.Group != 0 {
		q.add(` AND v.group_id = ?`, f.Group)
	}
	if f.Source != "" && !of.sourceless() {
		q.add(` AND v.source_kind = ?`, f.Source)
	}
	if f.Sale {
		q.add(` AND v.is_sale`)
	}
	if f.Unanswered {
		q.add(` AND ` + of.unanswered)
	}
	if f.Recorded {
		q.add(` AND v.recording <> ''`)
	}
	if f.Tag != "" {
		q.same(` AND `+of.tag, f.Tag)
	}
	if f.Called != "" {
		q.either(of.called, call.Parts(f.Called))
	}
}

// sourceless tells whether an inquiry of the kind has no source but that of its visit.
func (of view) sourceless() bool {
	return of.view == views[2].view || of.view == views[3].view
}

// query is a query that is being written, with its arguments.
type query struct {
	text strings.Builder
	args []any
}

// add writes a part, with a value for each "?" in it.
func (q *query) add(sql string, args ...any) {
	for part := range strings.SplitAfterSeq(sql, "?") {
		if before, is := strings.CutSuffix(part, "?"); is {
			q.args = append(q.args, args[0])
			args = args[1:]
			part = before + "$" + strconv.Itoa(len(q.args))
		}
		q.text.WriteString(part)
	}
}

// same writes a part with the same value for each "?" in it.
func (q *query) same(sql string, value any) {
	q.args = append(q.args, value)
	q.text.WriteString(strings.ReplaceAll(sql, "?", "$"+strconv.Itoa(len(q.args))))
}

// either writes that the condition holds for a number that has one of the digits in it.
func (q *query) either(condition string, digits []string) {
	for i, part := range digits {
		q.add([]string{` AND (`, ` OR `}[min(i, 1)])
		q.same(condition, "%"+part+"%")
	}
	q.add(`)`)
}
