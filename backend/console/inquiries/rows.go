package inquiries

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/inquiry"
	"github.com/seed-3405227d/frontdesk/backend/tag"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

// row is an inquiry as a row of the list.
type row struct {
	Key        string // of the row
	Kind, Icon string // Kind in words
	Link       string
	Label      string
	Beneath    string // another way to reach them; empty for none
	Digest     string // what was written, on one line
	Page       words.Address
	Site       string
	At         time.Time
	Source     *rows.Source // nil where it is not known
	// Call and Callback are nil for other kinds, and Conversation is empty: how the conversation stands, in words.
	Call         *rows.CallRow
	Callback     *rows.CallbackRow
	Conversation string
	// Lead is the lead itself, or the one that it has become; nil for none. Own tells that it is itself.
	Lead      *rows.LeadRow
	Own       bool
	OwnerName string
	Tagged    string
	Changed   bool // the row is on the list already, or is not to be there

	name, phone, email string
}

// kinds are the icons of the kinds, and the names of their words.
var kinds = map[inquiry.Kind]struct{ icon, name string }{
	inquiry.Call: {"phone-incoming", "inquiry.call"}, inquiry.Request: {"inbox", "lead.title"},
	inquiry.Chat: {"message-circle", "inquiry.chat"}, inquiry.Callback: {"phone-outgoing", "inquiry.callback"},
}

// rowsOf are the inquiries as rows of a list.
func (c *room) rowsOf(ctx context.Context, p frame.Page, list []inquiry.Inquiry) ([]row, error) {
	of := make([]card.Of, len(list))
	for i := range list {
		of[i] = card.Of{SiteID: list[i].SiteID, Visitor: list[i].Visitor}
	}
	people, err := c.Visitors.People(ctx, of)
	if err != nil {
		return nil, err
	}
	shown := make([]row, len(list))
	for i := range list {
		shown[i] = rowOf(p, list[i], people[of[i]])
	}
	return shown, nil
}

// keyOf is the key of the inquiry's row: for a lead, that of the inbox.
func keyOf(of inquiry.Inquiry) string {
	switch of.Kind {
	case inquiry.Request:
		return fmt.Sprintf("lead-%d-%d", of.SiteID, of.ID)
	case inquiry.Chat: // a conversation may be several inquiries
		return fmt.Sprintf("chat-%d-%d-%d", of.SiteID, of.ID, of.At.UnixMilli())
	}
	return fmt.Sprintf("%s-%d-%d", of.Kind, of.SiteID, of.ID)
}

func rowOf(p frame.Page, of inquiry.Inquiry, who card.Who) row {
	w := p.Words
	r := row{
		Key:  keyOf(of),
		Kind: w.Text(kinds[of.Kind].name), Icon: kinds[of.Kind].icon, Site: p.SiteKey(of.SiteID), At: of.At,
		name: who.Name, phone: rows.ContactPhoneOf(who.Phone).Text(w), email: who.Email,
	}
	if of.Source.Kind != "" {
		r.Source = new(rows.SourceOf(w, of.Source))
	}
	if of.Lead != nil {
		r.Lead = new(rows.LeadRowOf(p, *of.Lead))
		r.OwnerName, r.Tagged = r.Lead.OwnerName, r.Lead.Tagged()
		r.name = rows.FirstOf(of.Lead.Name, r.name)
		r.phone = rows.FirstOf(w.Phone(of.Lead.PhoneDigits, of.Lead.PhoneExtension, of.Lead.Phone), r.phone)
		r.email = rows.FirstOf(of.Lead.Email, r.email)
	}
	last := rows.VisitorLabel(w, int64(of.Visitor))
	switch {
	case of.Call != nil:
		last = r.ofCall(p, of)
	case of.Callback != nil:
		r.Callback = new(rows.CallbackRowOf(p, *of.Callback))
		r.Link, r.Page, r.phone = r.Callback.Link, r.Callback.Page, r.Callback.Who
	case of.Chat != nil:
		r.ofChat(p, of)
	default:
		r.Own, r.Link, r.Digest, r.Page, last = true, r.Lead.Link, r.Lead.Digest, r.Lead.Page, r.Lead.Label
	}
	r.Label = rows.FirstOf(r.name, r.phone, r.email, last)
	for _, way := range []string{r.phone, r.email} {
		if way = strings.TrimSpace(way); way != "" && way != r.Label {
			r.Beneath = way
			break
		}
	}
	return r
}

// ofCall fills in what is the call's, and returns what its caller is called where nothing is known.
func (r *row) ofCall(p frame.Page, of inquiry.Inquiry) string {
	r.Call = new(rows.CallRowOf(p, *of.Call))
	if r.Link = r.Call.Link; r.Link == "" {
		r.Link = "/calls?" + url.Values{"number": {rows.FirstOf(of.Call.Caller, of.Call.Called)}}.Encode()
	}
	if of.Call.Caller != "" {
		r.phone = r.Call.Caller
	}
	return r.Call.Caller
}

func (r *row) ofChat(p frame.Page, of inquiry.Inquiry) {
	r.Link, r.Page = rows.ChatLink(of.SiteID, of.ID), words.AddressOf(of.Chat.URL)
	r.Digest = rows.Digest(rows.FirstOf(of.Said.Text, of.Said.File))
	switch {
	case of.Chat.Banned:
		r.Conversation = p.Words.Text("chat.isBanned")
	case of.Chat.State == chat.Waiting:
		r.Conversation = p.Words.Text("chat.waits")
	case of.Chat.State == chat.Closed:
		r.Conversation = p.Words.Text("chat.isClosed")
	}
	if of.Chat.OperatorID != 0 {
		r.OwnerName = rows.OwnerName(p.Words, p.Staff, of.Chat.OperatorID)
	}
	if tags := of.Chat.Tags(); len(tags) > 0 {
		r.Tagged = tag.Written(tags)
	}
}

// State is a class for how far it has been worked on.
func (r row) State() string {
	if r.Lead == nil {
		return ""
	}
	return r.Lead.State.String()
}
