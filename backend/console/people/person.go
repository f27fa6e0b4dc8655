package people

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// personPage is the content of the page on which persons are looked for.
type personPage struct {
	Who     string // as it was typed
	SiteID  int64  // of the visitor; 0 for none
	Visitor string // number of the visitor, or empty
	Found   *personFound
	Erased  []erasureRow
}

// personFound is what is known of somebody.
type personFound struct {
	Person string
	Total  int64
	Rows   []knownRows
	Named  []knownRows // of them, those that name the person in a text alone
	// Partial tells that not all texts have been looked through.
	Partial bool
	Links   []personLink
	More    bool // there are more than the links
}

// knownRows are how many of a thing are known.
type knownRows struct {
	Name string
	Rows int
}

// personLink leads to a visitor or a lead.
type personLink struct {
	Icon, To, Label, Site string
}

// erasureRow is an erasure in the list.
type erasureRow struct {
	person.Erasure
	Count int      // of the rows
	Keys  []string // of the sites; none for all
}

const (
	// maxPersonLinks is how many visitors, leads and conversations are linked to.
	maxPersonLinks = 50
	// personPatience is how long the page looks through texts.
	personPatience = 15 * time.Second
)

func (c *room) showPerson(w http.ResponseWriter, r *http.Request) error {
	return c.person(w, r, http.StatusOK, "", nil)
}

// showPersonOf shows the page for the visitor that the address names.
func (c *room) showPersonOf(w http.ResponseWriter, r *http.Request) error {
	if _, visitor := personVisitor(r); visitor == 0 {
		return frame.NotFound
	}
	return c.person(w, r, http.StatusOK, "", nil)
}

// person shows the page with what was found, or why it was not looked for.
func (c *room) person(w http.ResponseWriter, r *http.Request, status int, problem string, found *personFound) error {
	f, err := c.Page(r, "person")
	if err != nil {
		return err
	}
	body := personPage{Who: r.PostFormValue("who"), Found: found}
	if site, visitor := personVisitor(r); visitor != 0 {
		body.SiteID, body.Visitor = site, strconv.FormatInt(visitor, 10)
	}
	list, err := c.Persons.Erasures(r.Context(), f.Operator.Sites)
	if err != nil {
		return err
	}
	for _, e := range list {
		row := erasureRow{Erasure: e, Count: int(e.Rows)}
		for _, s := range f.Sites {
			if !e.Sites.All() && e.Sites.Has(s.ID) {
				row.Keys = append(row.Keys, s.Key)
			}
		}
		body.Erased = append(body.Erased, row)
	}
	f.Problem, f.Body, f.Here = problem, body, "/person"
	return c.Show(w, status, f)
}

// personVisitor is the visitor that the address or the form names; 0 for none.
func personVisitor(r *http.Request) (site, visitor int64) {
	if site, visitor, err := frame.IDs(r, frame.SiteField, "visitor"); err == nil {
		return site, visitor
	}
	site, errSite := strconv.ParseInt(r.PostFormValue("site"), 10, 64)
	visitor, errVisitor := strconv.ParseInt(r.PostFormValue("visitor"), 10, 64)
	if errSite != nil || errVisitor != nil {
		return 0, 0
	}
	return site, visitor
}

// sought is whom the form names, at the sites that the operator sees.
func sought(r *http.Request) (person.Sought, error) {
	s := person.Sought{Sites: frame.Permitted(r)}
	if site, visitor := personVisitor(r); visitor != 0 {
		s.Visitors = []person.Visitor{{SiteID: site, ID: visit.ID(visitor)}}
	}
	return s, s.Read(r.PostFormValue("who"))
}

// unsought says why nobody was looked for.
func (c *room) unsought(w http.ResponseWriter, r *http.Request, err error) error {
	if errors.Is(err, person.ErrNobody) {
		return c.person(w, r, http.StatusUnprocessableEntity, c.Words(r).Text("person.nobody"), nil)
	}
	return err
}

// lookAtPerson shows what is known of the person. It is a form, so that nobody's number stands in an address.
func (c *room) lookAtPerson(w http.ResponseWriter, r *http.Request) error {
	self, _ := frame.Current(r)
	s, err := sought(r)
	var known person.Known
	if err == nil {
		s.Patience = personPatience
		known, err = c.Persons.Look(r.Context(), self.Login, s)
	}
	var f frame.Page
	if err == nil {
		f, err = c.Page(r, "person")
	}
	if err != nil {
		return c.unsought(w, r, err)
	}
	found := &personFound{Person: known.Person, Total: known.Total(), Partial: known.Partial, Rows: knownOf(f.Words, known.Rows), Named: knownOf(f.Words, known.Named)}
	link := func(m trace.Mark, icon, to, words string) {
		if len(found.Links) == maxPersonLinks {
			found.More = true
			return
		}
		found.Links = append(found.Links, personLink{icon, fmt.Sprintf("/%s/%d/%d", to, m.SiteID, m.ID), f.Words.Text(words, "id", m.ID), f.SiteKey(m.SiteID)})
	}
	for _, m := range known.Leads {
		link(m, "inbox", "leads", "person.lead")
	}
	for _, m := range known.Conversations {
		link(m, "message-circle", "chats", "person.conversation")
	}
	for _, m := range known.Visitors {
		if _, err := c.Cards.Visitors.Card(r.Context(), m.SiteID, visit.ID(m.ID)); err == nil { // what the visitor has left may have outlived the visits
			link(m, "user", "visitors", "person.visitor")
		}
	}
	return c.person(w, r, http.StatusOK, "", found)
}

func knownOf(w *words.Tongue, tables []person.TableRows) (rows []knownRows) {
	for _, t := range tables {
		rows = append(rows, knownRows{tableName(w, t.Table), int(t.Rows)})
	}
	return rows
}

// tableWords are the names of the words for what stands in the tables. Others are called as they are.
var tableWords = map[string]string{
	"visitors":          "kept.visitors",
	"contacts":          "kept.contacts",
	"properties":        "kept.properties",
	"user_events":       "kept.userEvents",
	"views":             "kept.views",
	"presences":         "kept.presences",
	"visits":            "kept.visits",
	"lead_requests":     "kept.leadRequests",
	"lead_opened":       "kept.leadOpened",
	"leads":             "kept.leads",
	"refused_leads":     "kept.refusedLeads",
	"call_places":       "kept.callPlaces",
	"calls":             "kept.calls",
	"leases":            "kept.leases",
	"pool_numbers":      "kept.poolNumbers",
	"lead_deeds":        "kept.leadDeeds",
	"lead_numbers":      "kept.leadNumbers",
	"lead_origins":      "kept.leadOrigins",
	"lead_marks":        "kept.leadMarks",
	"lead_tags":         "kept.leadTags",
	"incidents":         "kept.incidents",
	"jobs":              "kept.jobs",
	"conversations":     "kept.conversations",
	"messages":          "kept.messages",
	"conversation_tags": "kept.conversationTags",
	"chat_files":        "kept.chatFiles",
	"chat_letters":      "kept.chatLetters",
	"chat_ratings":      "kept.chatRatings",
	"chat_tried":        "kept.chatTried",
	"chat_unwanted":     "kept.chatUnwanted",
	"chat_waits":        "kept.chatWaits",
	"chat_inquiries":    "kept.chatInquiries",
	"callbacks":         "kept.callbacks",
	"callback_orders":   "kept.callbackOrders",
	"callback_steps":    "kept.callbackSteps",
	"stored_texts":      "kept.storedTexts",
	"deliveries":        "kept.deliveries",
	"forms":             "kept.forms",
	"form_answers":      "kept.formAnswers",
	"page_markups":      "kept.pageMarkups",
	"shown_pages":       "kept.shownPages",
	"shown_numbers":     "kept.shownNumbers",
	"journal":           "kept.journal",
}

// tableName is what stands in a table, in words.
func tableName(w *words.Tongue, table string) string {
	if name := tableWords[table]; name != "" {
		return w.Text(name)
	}
	return table
}

// exportPerson hands out what is known of the person, as a file.
func (c *room) exportPerson(w http.ResponseWriter, r *http.Request) error {
	self, _ := frame.Current(r)
	s, err := sought(r)
	begun := false
	if err == nil {
		err = c.Persons.Export(r.Context(), self.Login, s, w, func() {
			begun = true
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Disposition", `attachment; filename="person-`+c.Now().UTC().Format(time.DateOnly)+`.json"`)
		})
	}
	switch {
	case err == nil:
	case begun: // the file ends in the middle of its object
		c.Logger.Error("exporting a person failed", zap.Error(err))
		panic(http.ErrAbortHandler)
	default:
		return c.unsought(w, r, err)
	}
	return nil
}

// erasePerson has the person erased.
func (c *room) erasePerson(w http.ResponseWriter, r *http.Request) error {
	self, _ := frame.Current(r)
	s, err := sought(r)
	if err == nil {
		_, err = c.Persons.Erase(r.Context(), self.Login, s)
	}
	if err != nil {
		return c.unsought(w, r, err)
	}
	return c.Back(w, r, "/person", "person.erasing")
}
