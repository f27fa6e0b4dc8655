// Package rows moves what is stored of a site: visits, leads, calls, conversations, and all else that has happened. It
// writes the rows of the site's tables as lines, and adds the rows of such lines to another database, under numbers that
// are free there. Package transfer asks it.
package rows

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

// reference says what the numbers of a column stand for. It is the name of the sequence that they were drawn from, or one of
// those below. In a file all of them are as drawn.
type reference string

// The sequences.
const (
	ofView         reference = "day.visit.views" // visits and visitors have the numbers of views
	ofEvent        reference = "visit.events"
	ofCall         reference = "number.calls"
	ofLead         reference = "leads"
	ofDeed         reference = "lead_deeds"
	ofRefusal      reference = "refused_leads"
	ofConversation reference = "conversations"
	ofFile         reference = "chat_files"
	ofCallback     reference = "callbacks"
	ofCosts        reference = "cost_imports"
	ofReport       reference = "saved_reports"
	ofSubscription reference = "bulletin.subscriptions"
	ofGroup        reference = "operator_groups"
)

// References of other kinds.
const (
	publicVisitor reference = "visitor" // the table has the public form
	publicVisit   reference = "visit"
	publicView    reference = "view"
	ofOperator    reference = "operator"
	ofDue         reference = "due"     // what the kind of the row says
	ofJoined      reference = "joined"  // a lead, as text, if the row is about two
	ofTaken       reference = "taken"   // a lead, or -1
	ofPool        reference = "pool"    // the name of a pool, which may begin with the number of the site
	ofFigures     reference = "figures" // a column of figures
	ofQuery       reference = "query"   // the address of a report
)

// sequences are those of the references.
var sequences = []reference{ofView, ofEvent, ofCall, ofLead, ofDeed, ofRefusal, ofConversation, ofFile, ofCallback, ofCosts, ofReport, ofSubscription, ofGroup}

// moved is a table whose rows move. They come in the order in which figures can be made of them at any time.
type moved struct {
	name string
	// refs are what columns stand for.
	refs map[string]reference
	// words are the texts that a column may have.
	words map[string][]string
	// shapes are what texts of a column are like that are not empty.
	shapes map[string]shape
	// wide are columns with numbers that have all 64 bits.
	wide []string
	// mend changes a row of the file before it is added.
	mend func(*record)
	// twice: a row that is there has been made by the database.
	twice bool
}

// figures is the table of figures.
const figures = "report_columns"

var ofVisitor = map[string]reference{"visitor_id": ofView}

// plan are the tables that move. Figures come before what is counted anew, and leads before what counts by them.
var plan = []moved{
	{name: figures, refs: map[string]reference{"content": ofFigures}},

	{name: "visitors", refs: map[string]reference{"id": ofView, "visit_id": ofView}},
	{name: "visits", refs: map[string]reference{"id": ofView, "visitor_id": ofView, "view_id": ofView},
		mend: func(r *record) { r.set("recent", "") }}, // no browser goes on with it
	{name: "views", refs: map[string]reference{"visit_id": ofView, "id": ofView, "visitor_id": ofView}},
	{name: "user_events", refs: map[string]reference{"visit_id": ofView, "id": ofEvent, "visitor_id": ofView, "view_id": ofView}},
	{name: "properties", refs: ofVisitor},
	{name: "contacts", refs: ofVisitor},
	{name: "client_ids", refs: ofVisitor},
	{name: "visit_days"},
	{name: "lease_hours", refs: map[string]reference{"pool": ofPool}},

	{name: "lead_origins", refs: map[string]reference{"lead_id": ofLead}},
	{name: "lead_marks", refs: map[string]reference{"lead_id": ofLead}},
	{name: "lead_tags", refs: map[string]reference{"lead_id": ofLead}},
	{name: "lead_deeds", refs: map[string]reference{"lead_id": ofLead, "id": ofDeed, "operator_id": ofOperator, "said": ofJoined}},
	{name: "lead_numbers", refs: map[string]reference{"lead_id": ofLead}},
	{name: "leads", refs: map[string]reference{"id": ofLead, "visitor_id": publicVisitor, "visit_id": publicVisit, "view_id": publicView, "group_id": ofGroup, "owner_id": ofOperator, "merged_into": ofLead},
		shapes: map[string]shape{"user_fields": objectOfTexts}, wide: []string{"message_hash"}, mend: func(r *record) { r.set("indexed", false) }},
	{name: "refused_leads", refs: map[string]reference{"id": ofRefusal, "visitor_id": publicVisitor, "visit_id": publicVisit, "view_id": publicView, "lead_id": ofTaken},
		shapes: map[string]shape{"sent": anyObject}, mend: func(r *record) { r.set("forward", "") }}, // the leads are here now
	{name: "calls", refs: map[string]reference{"id": ofCall, "visitor_id": publicVisitor, "visit_id": publicVisit, "lead_id": ofLead},
		shapes: map[string]shape{"recording": ofBrowsers}},

	{name: "conversations", refs: map[string]reference{"id": ofConversation, "visitor_id": publicVisitor, "visit_id": publicVisit, "view_id": publicView, "group_id": ofGroup, "operator_id": ofOperator,
		"lead_id": ofLead, "unasked": publicVisit, "offered_to": ofOperator}, wide: []string{"offered_until"}, words: map[string][]string{"state": {"waiting", "open", closed}}, mend: endConversation},
	{name: "conversation_tags", refs: map[string]reference{"conversation_id": ofConversation}},
	{name: "chat_inquiries", refs: map[string]reference{"conversation_id": ofConversation, "lead_id": ofLead}}, // before messages make them
	{name: "messages", refs: map[string]reference{"conversation_id": ofConversation, "operator_id": ofOperator, "file_id": ofFile},
		words: map[string][]string{"author": {"visitor", "operator", "service", "note"}}},
	{name: "chat_files", refs: map[string]reference{"id": ofFile, "conversation_id": ofConversation}, mend: examineFile},
	{name: "chat_waits", refs: map[string]reference{"conversation_id": ofConversation, "group_id": ofGroup, "operator_id": ofOperator}},
	{name: "chat_ratings", refs: map[string]reference{"conversation_id": ofConversation, "operator_id": ofOperator}},
	{name: "chat_letters", refs: map[string]reference{"conversation_id": ofConversation}, mend: func(r *record) { r.set("due", false) }},
	{name: "chat_unwanted"},

	{name: "callbacks", refs: map[string]reference{"id": ofCallback, "visitor_id": publicVisitor, "visit_id": publicVisit, "view_id": publicView, "group_id": ofGroup},
		words: map[string][]string{"state": {"waiting", "calling_operator", "calling_visitor", "talking", "done", "no_answer", "failed", closed}}, mend: endCallback},
	{name: "callback_steps", refs: map[string]reference{"callback_id": ofCallback}},

	{name: "site_pages"},
	{name: "rivals"},
	{name: "shown_numbers"},
	{name: "shown_pages", shapes: map[string]shape{"writings": jsonOf[writings]}},
	{name: "forms", shapes: map[string]shape{"fields": jsonOf[[]string]}},
	{name: "form_answers"},
	{name: "page_markups", shapes: map[string]shape{"markup": anyJSON}},

	{name: "cost_imports", refs: map[string]reference{"id": ofCosts}, words: map[string][]string{"state": {"loading", "draft", "effect", "undone"}}, shapes: map[string]shape{"left_lines": anyJSON}},
	{name: "costs", refs: map[string]reference{"import_id": ofCosts}},
	{name: "saved_reports", refs: map[string]reference{"id": ofReport, "operator_id": ofOperator, "query": ofQuery}, mend: needOwner},
	{name: "bulletin_subscriptions", refs: map[string]reference{"id": ofSubscription},
		words: map[string][]string{"state": {"active", "paused", "stopped", "refused"}, "every": {"day", "week", "month"}}, mend: beginAnew},

	{name: "report_due", refs: map[string]reference{"id": ofDue}, words: map[string][]string{"kind": slices.Sorted(dueKinds())}, twice: true},
}

// Left are the tables with rows of sites that do not move, and why.
var Left = map[string]string{
	"operator_groups":         "set for the site: the file has it beside the rows",
	"operator_group_members":  "set for the site: the file has it beside the rows",
	"chat_replies":            "set for the site: the file has it beside the rows",
	"endpoints":               "set for the site: the file has it beside the rows",
	"own_pool_numbers":        "made of the settings",
	"lead_search":             "made of the leads",
	"call_places":             "made of the calls",
	"operator_sites":          "accounts belong to the installation",
	"operator_declared_sites": "accounts belong to the installation",
	"operator_token_sites":    "tokens belong to the installation",
	"lead_read":               "places in the journal of the installation; what was imported is not new to anybody",
	"lead_opened":             "as lead_read",
	"number_declarations":     "the configuration's",
	"declared_numbers":        "the configuration's",
	"pool_numbers":            "leases end within hours, and calls have been attributed by them",
	"leases":                  "leases end within hours, and calls have been attributed by them",
	"presences":               "who is on the site now",
	"captchas":                "they end within minutes",
	"lead_requests":           "they tell what is sent twice within days, by names that have numbers of the installation",
	"stored_texts":            "bounds of a day",
	"refused_days":            "bounds of a day",
	"callback_networks":       "bounds of a day, by hashes of the installation",
	"callback_orders":         "orders of the installation's platform: callbacks that have not ended stay there",
	"chat_tried":              "conversations that have not ended stay there",
	"chat_turns":              "whose turn is next in the installation",
	"limit_uses":              "limits of the installation",
	"limit_sizes":             "counted anew",
	"sightings":               "when the installation has last been at work",
	"incidents":               "what is wrong in the installation now",
	"deliveries":              "what the installation has sent; it sends the rest",
	"conversions":             "what the installation has told platforms, by numbers of its journal",
	"jobs":                    "the installation does them",
	"journal":                 "whoever reads it would send old news again",
	"report_links":            "addresses of the installation's console",
	"erasure_sites":           "the installation erases; a site does not leave meanwhile",
	"erasure_marks":           "the installation erases; a site does not leave meanwhile",
}

// tables returns the tables that move, in their order, as the database has them.
func tables(ctx context.Context, d *db.DB) ([]table.Table, error) {
	all, err := table.List(ctx, d)
	if err != nil {
		return nil, err
	}
	found := make([]table.Table, len(plan))
	for i, m := range plan {
		at := slices.IndexFunc(all, func(t table.Table) bool { return t.Name == m.name })
		if at < 0 {
			return nil, fmt.Errorf("the database has no table %s", m.name)
		}
		found[i] = all[at]
		// The site is known without being written.
		found[i].Columns = slices.DeleteFunc(found[i].Columns, func(c table.Column) bool { return c.Name == "site_id" })
	}
	return found, nil
}
