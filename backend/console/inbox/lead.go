package inbox

import (
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// maxAlike is how many leads are shown that may be the same person's.
const maxAlike = 5

// leadDetail is a lead whole.
type leadDetail struct {
	rows.LeadRow
	rows.Values                     // the user fields
	Said         template.HTML      // the message
	Text         string             // address of all that it says
	Visitor      string             // link to the card; empty when there is none
	Conversation *rows.Conversation // the visitor's conversation; nil for none
	Shown        []string           // the numbers that the visitor had of pools
	Me           int64
	Staff        []operator.Operator
	Calls        []rows.CallRow  // the calls that have become this lead or one of its parts
	Merged       []template.HTML // the leads that have been merged into it
	Missing      bool            // there is more than is shown of those, or of the story
	Alike        []rows.LeadRow  // those that may be the same person's
	Story        []template.HTML
	Note         string // that was not accepted
	TagsTyped    string // the tags, or what was typed and not accepted
	Sale         bool   // so, or as it was typed
	Amount       string
	Group        string // the name of the group that it is for; empty for one that there is not
	Back         string // see [reach]
}

// Reach is how to reach the one who has sent it.
func (d leadDetail) Reach() rows.Reach {
	return rows.Reach{PhoneDigits: d.PhoneDigits, Email: d.Email, Back: d.Back}
}

// How much room the parts of a lead's page have, in bytes of HTML. What a part says is shown in less than what the lead says.
const (
	fieldsRoom, partsRoom, storyRoom = 128 << 10, 500 << 10, 160 << 10
	partText, partFields             = 2 << 10, 3 << 10
	noteText                         = 12 << 10
)

// leadPart is a lead that has been merged into another.
type leadPart struct {
	rows.LeadRow
	rows.Values
	Said  template.HTML
	Text  string // see leadDetail
	Split string // address that takes it out; empty when it belongs to another part
}

// leadStep is what has happened to a lead.
type leadStep struct {
	At   time.Time
	By   string
	Text string // what was done, in words
	Note template.HTML
}

func fieldsOf(l lead.Lead) (fields []rows.Field) {
	for _, name := range slices.Sorted(maps.Keys(l.UserFields)) {
		fields = append(fields, rows.Field{Name: name, Value: l.UserFields[name]})
	}
	return fields
}

func (c *room) showLead(w http.ResponseWriter, r *http.Request) error {
	return c.leadPage(w, r, http.StatusOK, "")
}

// leadPage shows the lead of the request, with a problem and what was typed and not accepted.
func (c *room) leadPage(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	siteID, id, err := frame.IDs(r, "site", "lead")
	if err != nil {
		return err
	}
	f, err := c.Page(r, "lead")
	if err != nil {
		return err
	}
	l, err := c.Leads.Get(r.Context(), siteID, id)
	if err == nil {
		f.Staff, err = c.Operators.List(r.Context(), frame.Permitted(r).Only(siteID))
	}
	root := l
	if err == nil {
		root, err = c.Leads.Root(r.Context(), l)
	}
	var unread []lead.Key
	if err == nil {
		unread, err = c.unread.Of(r.Context(), &f)
	}
	if err == nil && slices.Contains(unread, l.Key()) {
		err = c.Inbox.Open(r.Context(), f.Operator.ID, l.Key())
		f.Counts[unreadBadge]--
	}
	if err != nil {
		return err
	}
	if root.ID != l.ID && r.Method == http.MethodGet { // it is shown as a part of the other
		http.Redirect(w, r, fmt.Sprintf("/leads/%d/%d#lead-%d-%d", siteID, root.ID, siteID, l.ID), http.StatusSeeOther)
		return nil
	}
	d := leadDetail{LeadRow: rows.LeadRowOf(f, l), Values: rows.ValuesWithin(fieldsOf(l), fieldsRoom), Text: leadText(l), Me: f.Operator.ID, Staff: slices.DeleteFunc(slices.Clone(f.Staff), func(o operator.Operator) bool { return !o.SeesPersons() })}
	d.typed(r)
	var cut bool
	d.Said, cut = words.Whole(l.Message, words.WholeSize)
	d.Cut = d.Cut || cut
	if d.Shown, err = c.Leads.Numbers(r.Context(), l.Key()); err == nil {
		err = c.gather(r, f, &d)
	}
	if err == nil {
		d.Group, err = rows.GroupName(r.Context(), c.Frame, siteID, l.GroupID)
	}
	if err == nil {
		d.Conversation, err = c.Cards.ConversationOf(r.Context(), siteID, l.Visitor)
	}
	if err == nil && d.PhoneDigits != "" {
		var can bool
		if can, err = rows.CallsBack(r.Context(), c.Frame, f, c.Callbacks, siteID); can {
			d.Back = fmt.Sprintf("/callbacks/new?site=%d&lead=%d", siteID, l.ID)
		}
	}
	if err != nil {
		return err
	}
	for i := range d.Shown {
		d.Shown[i] = words.Phone(d.Shown[i], "")
	}
	if l.Visitor != 0 {
		d.Visitor = rows.CardLink(siteID, int64(l.Visitor))
	}
	f.Stream = f.StreamAddress("lead", siteID) + "&lead=" + strconv.FormatInt(id, 10)
	f.Title, f.Body, f.Problem, f.Here = d.Label, d, problem, d.Link
	frame.AllowRecordings(w.Header())
	return c.Show(w, status, f)
}

// typed fills in what stands in the lead's fields: what is stored, or what the request has sent and was not accepted.
func (d *leadDetail) typed(r *http.Request) {
	d.Note, d.TagsTyped, d.Sale, d.Amount = r.PostFormValue("text"), d.Tagged(), d.IsSale, d.SaleCost
	if r.PostForm.Has("tags") {
		d.TagsTyped = r.PostFormValue("tags")
	}
	if r.PostForm.Has("amount") {
		d.Sale, d.Amount = r.PostForm.Has("sale"), r.PostFormValue("amount")
	}
}

// gather adds what belongs to the lead: its parts, those that are alike, and what was done.
func (c *room) gather(r *http.Request, f frame.Page, d *leadDetail) error {
	parts, err := c.Leads.Parts(r.Context(), d.Lead.Key())
	if err != nil {
		return err
	}
	d.Parts = len(parts)
	ids := []int64{d.ID}
	room := partsRoom
	story := []leadStep{{At: d.At, Text: f.Words.Text("deed.arrived", "way", waysOf(f.Words, d.Lead))}}
	for _, part := range parts {
		ids = append(ids, part.ID)
		story = append(story, leadStep{At: part.At, Text: f.Words.Text("deed.arrivedToo", "way", waysOf(f.Words, part))})
		if part, err = c.Leads.Get(r.Context(), part.SiteID, part.ID); errors.Is(err, lead.ErrUnknown) { // erased since
			continue
		} else if err != nil {
			return err
		}
		shown, err := frame.Within(c.Frame, f.Words, "lead-part", []leadPart{leadPartOf(f, part, d)}, &room)
		if err != nil {
			return err
		}
		d.Merged, d.Missing = append(d.Merged, shown...), d.Missing || len(shown) == 0
	}
	calls, err := c.Calls.OfLeads(r.Context(), d.SiteID, ids...)
	if err != nil {
		return err
	}
	d.Calls = frame.Rows(f, calls, rows.CallRowOf)
	alike, err := c.Leads.Alike(r.Context(), d.Lead, maxAlike)
	if err != nil {
		return err
	}
	d.Alike = frame.Rows(f, alike, rows.LeadRowOf)
	deeds, err := c.Leads.Deeds(r.Context(), d.SiteID, ids)
	if err != nil {
		return err
	}
	for _, one := range deeds {
		if step, shown := stepOf(f, d.LeadRow, one); shown {
			story = append(story, step)
		}
	}
	slices.SortStableFunc(story, func(a, b leadStep) int { return a.At.Compare(b.At) })
	room = storyRoom
	d.Story, err = frame.LatestWithin(c.Frame, f.Words, "lead-step", story, &room)
	d.Missing = d.Missing || len(d.Story) < len(story)
	return err
}

// leadText is the address of all that a lead says.
func leadText(l lead.Lead) string { return fmt.Sprintf("/leads/%d/%d/text", l.SiteID, l.ID) }

func leadPartOf(f frame.Page, l lead.Lead, of *leadDetail) leadPart {
	part := leadPart{LeadRow: rows.LeadRowOf(f, l), Values: rows.ValuesWithin(fieldsOf(l), partFields), Text: leadText(l)}
	var cut bool
	part.Said, cut = words.Whole(l.Message, partText)
	part.Cut = part.Cut || cut
	if l.MergedInto == of.ID {
		part.Split = of.Act("parts") + "/removal"
	}
	return part
}

// waysOf are the ways by which the lead has come.
func waysOf(w *words.Tongue, l lead.Lead) string {
	ways := w.Text("origin." + l.Origin)
	for _, way := range l.Also {
		ways += ", " + w.Text("origin."+way)
	}
	return ways
}

// stepOf is the deed in words. Of a merge, only what is said of the lead that is shown is.
func stepOf(f frame.Page, shown rows.LeadRow, d lead.Deed) (leadStep, bool) {
	step := leadStep{At: d.At, By: d.By.Login}
	for _, o := range f.Staff {
		if o.ID == d.By.ID {
			step.By = o.Label()
		}
	}
	switch d.Kind {
	case "note":
		step.Note, _ = words.Whole(d.Said, noteText)
	case "state":
		step.Text = f.Words.Text("deed.state", "state", f.Words.Text("state."+d.Said))
	case "owner":
		switch d.Said {
		case "":
			step.Text = f.Words.Text("deed.letGo")
		case d.By.Login:
			step.Text = f.Words.Text("deed.taken")
		default:
			step.Text = f.Words.Text("deed.given", "login", words.Written(loginName(f.Staff, d.Said)))
		}
	case "tags":
		if step.Text = f.Words.Text("deed.tags", "tags", words.Written(d.Said)); d.Said == "" {
			step.Text = f.Words.Text("deed.noTags")
		}
	case "sale":
		if step.Text = f.Words.Text("deed.soldFor", "amount", f.SumsOf(shown.SiteID).Money(d.Said)); d.Said == "" {
			step.Text = f.Words.Text("deed.sold")
		}
	case "no_sale":
		step.Text = f.Words.Text("deed.noSale")
	case "called":
		step.Text = f.Words.Text("deed.called")
	case "made":
		step.Text = f.Words.Text("deed.made")
	default:
		if d.LeadID != shown.ID {
			return step, false
		}
		step.Text = f.Words.Text(map[string]string{"merged": "deed.merged", "split": "deed.split", "took_in": "deed.tookIn", "let_out": "deed.letOut"}[d.Kind], "id", d.Said)
	}
	return step, true
}

// loginName is what the operator of the login is called.
func loginName(staff []operator.Operator, login string) string {
	for _, o := range staff {
		if o.Login == login {
			return o.Label()
		}
	}
	return login
}
