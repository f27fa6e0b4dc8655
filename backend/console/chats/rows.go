package chats

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/tag"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

// The tabs of the list of conversations, as its address has them.
const (
	tabWaiting = "waiting"
	tabMine    = "mine"
	tabAll     = "all"
	tabClosed  = "closed"
)

// chatTabs are the tabs and the names of their words.
var chatTabs = []struct{ name, words string }{
	{tabWaiting, "chats.waiting"}, {tabMine, "chats.mine"}, {tabAll, "chats.all"}, {tabClosed, "chats.closed"},
}

// chatSeen is a conversation with what its row shows beside it.
type chatSeen struct {
	chat.Conversation
	who  card.Who
	last overview.Said
	// Rating is what the visitor has said of the conversation; nil for nothing.
	Rating *rating.Rating
}

// dueKey is what is due to somebody at the sites, as it is since the place in the journal.
type dueKey struct {
	sites scope.Sites
	at    journal.Position
}

// chatRow is a conversation as a row of the list.
type chatRow struct {
	chatSeen
	Key, Path string // path of its page
	Site      string
	Label     string
	Known     bool
	Digest    string // the last message on one line
	Ours      bool   // the last message is an operator's
	OwnerName string
	Mine      bool
	Due       bool   // to this operator
	In        string // the tabs on which it is
	Here      bool   // its page is open
}

// seenChats reads what rows show of the conversations.
func (c *room) seenChats(ctx context.Context, list []chat.Conversation) ([]chatSeen, error) {
	of := make([]card.Of, len(list))
	for i, conversation := range list {
		of[i] = card.Of{SiteID: conversation.SiteID, Visitor: conversation.Visitor}
	}
	people, err := c.Cards.Visitors.People(ctx, of)
	if err != nil {
		return nil, err
	}
	last, err := c.Overview.Last(ctx, list)
	if err != nil {
		return nil, err
	}
	ratings, err := c.Ratings.Last(ctx, list)
	if err != nil {
		return nil, err
	}
	seen := make([]chatSeen, len(list))
	for i, conversation := range list {
		seen[i] = chatSeen{Conversation: conversation, who: people[of[i]], last: last[conversation.Key()]}
		if said, found := ratings[conversation.Key()]; found {
			seen[i].Rating = &said
		}
	}
	return seen, nil
}

// seenChat is the conversation of the id.
func (c *room) seenChat(ctx context.Context, siteID, id int64) (seen chatSeen, err error) {
	conversation, err := c.Chats.Get(ctx, siteID, id)
	if err != nil {
		return seen, err
	}
	all, err := c.seenChats(ctx, []chat.Conversation{conversation})
	if err != nil {
		return seen, err
	}
	return all[0], nil
}

// isDue tells whether the conversation is due to the operator: it waits, and is theirs to
// take, or it is theirs and has what is not read. One that is about to be offered calls for
// nobody yet.
func (c *room) isDue(ctx context.Context, o operator.Operator, d overview.Due) (bool, error) {
	if d.State != chat.Waiting {
		return d.State == chat.Open && d.OperatorID == o.ID && d.Unread, nil
	}
	if routes, err := c.Presence.Routes(ctx, d.SiteID, d.GroupID); err != nil {
		return false, err
	} else if routes && (d.Offer.To != 0 || d.Offer.Until == 0) {
		return d.Offer.To == o.ID, nil
	}
	return c.Presence.InGroup(ctx, d.SiteID, d.GroupID, o.ID)
}

// due is what decides to whom the conversation is due.
func (s chatSeen) due() overview.Due {
	return overview.Due{SiteID: s.SiteID, GroupID: s.GroupID, State: s.State, OperatorID: s.OperatorID, Unread: s.Unread > 0, Offer: s.Offer}
}

// chatRowOf is the row of the conversation, for the operator of the frame.
func (c *room) chatRowOf(ctx context.Context, f frame.Page, s chatSeen) (chatRow, error) {
	w := f.Words
	row := chatRow{
		chatSeen:  s,
		Key:       fmt.Sprintf("chat-%d-%d", s.SiteID, s.ID),
		Path:      rows.ChatLink(s.SiteID, s.ID),
		Site:      f.SiteKey(s.SiteID),
		Digest:    rows.Digest(s.last.Text),
		Ours:      s.last.Author != chat.Visitor,
		OwnerName: rows.OwnerName(w, f.Staff, s.OperatorID),
		Mine:      s.OperatorID == f.Operator.ID,
	}
	row.Label, row.Known = chatLabel(w, s)
	if row.Digest == "" {
		row.Digest = s.last.File
	}
	var err error
	if row.Due, err = c.isDue(ctx, f.Operator, s.due()); err != nil {
		return row, err
	}
	in := []string{tabAll}
	switch {
	case s.State == chat.Closed:
		in = []string{tabClosed}
	case s.State == chat.Waiting && row.Due:
		in = append(in, tabWaiting)
	case row.Mine:
		in = append(in, tabMine)
	}
	row.In = strings.Join(in, " ")
	return row, nil
}

func chatLabel(w *words.Tongue, s chatSeen) (label string, known bool) {
	label = rows.FirstOf(s.who.Name, rows.ContactPhoneOf(s.who.Phone).Text(w), s.who.Email)
	if label == "" {
		return rows.VisitorLabel(w, int64(s.Visitor)), false
	}
	return label, true
}

// Tagged are the tags, with commas between them.
func (r chatRow) Tagged() string { return tag.Written(r.Tags()) }

// When is the time by which the row is sorted.
func (r chatRow) When() time.Time { return r.LastAt }

// remark is an entry of a conversation, as shown.
type remark struct {
	chat.Message
	By   string // who has written it; empty for the visitor
	Face string // of By, by its name
	Mine bool
	Said string // a service's words, in place of the text
	HTML template.HTML
	Rest string // address of the text, where it is not shown whole
	Link string // of the file
}

func remarkOf(f frame.Page, m chat.Message) remark {
	e := remark{Message: m, Mine: m.OperatorID == f.Operator.ID && m.OperatorID != 0}
	if m.Author == chat.Operator || m.Author == chat.Note {
		e.By = rows.OwnerName(f.Words, f.Staff, m.OperatorID)
		if at := slices.IndexFunc(f.Staff, func(o operator.Operator) bool { return o.ID == m.OperatorID }); at >= 0 {
			e.Face = f.Staff[at].Face
		}
	}
	if m.Code != "" {
		e.Said = codeText(f.Words, m)
	} else if m.Text != "" {
		var cut bool
		if e.HTML, cut = words.Linked(m.Text); cut {
			e.Rest = fmt.Sprintf("%s/messages/%d", rows.ChatLink(m.SiteID, m.ConversationID), m.Seq)
		}
	}
	if m.File != nil {
		e.Link = fmt.Sprintf("%s/files/%d", rows.ChatLink(m.SiteID, m.ConversationID), m.File.ID)
	}
	return e
}

// codeWords are the names of the words for what the service says.
var codeWords = map[string]string{
	chat.CodeHanded: "chat.handed", chat.CodeTaken: "chat.takenFrom", chat.CodeLead: "chat.ledTo", chat.CodeReturned: "chat.returned", chat.CodeMailed: "chat.mailed", chat.CodeTags: "chat.tagged", chat.CodeBanned: "chat.banned", chat.CodeUnbanned: "chat.unbanned",
	chat.Unanswered: "chat.unanswered", chat.CodeIdle: "chat.idle", chat.UnansweredWhere: "chat.askedWhere",
}

func codeText(w *words.Tongue, m chat.Message) string {
	if m.Code == chat.CodeTags && m.Text == "" {
		return w.Text("chat.untagged")
	}
	if words := codeWords[m.Code]; words != "" {
		return w.Text(words, "name", m.Text)
	}
	return rows.FirstOf(m.Text, w.Text("chat.service"))
}
