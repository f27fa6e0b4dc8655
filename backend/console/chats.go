package console

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// chatsAtOnce is how many conversations a page of the list has.
	chatsAtOnce = 100
	// entriesShown is how many entries of a conversation its page begins with, and how many
	// come with each look further back.
	entriesShown = 60
	// maxCalling bounds how many conversations are counted beside the navigation.
	maxCalling = 300
	// chatSteps is how many pages of the visitor stand beside a conversation.
	chatSteps = 8
	// How much room the parts of a conversation's page have, in bytes of HTML.
	entriesRoom, repliesRoom = 300 << 10, 200 << 10
)

// chatsPage is the content of the page of conversations.
type chatsPage struct {
	Tab   string
	Tabs  []chatTab
	Rows  []chatRow
	Older string // address of the next part of the list; empty at the end
	Open  *openChat
}

type chatTab struct {
	Name, Text, Link string
	Count            int // -1 where it is not told
}

// openChat is the conversation whose page it is.
type openChat struct {
	Row     chatRow
	Entries []template.HTML
	Seq     int64 // of the last entry
	Earlier bool  // there are entries before
	Working chatWorking
	Card    card
	Steps   []step
	Now     chatNow
	Replies []template.HTML
	Fewer   bool // there are more replies than are shown
}

// chatWorking is what can be done with a conversation now.
type chatWorking struct {
	Row    chatRow
	Staff  []operator.Operator // to whom it can be handed
	Groups []operator.Group
}

// chatNow is what a visitor looks at.
type chatNow struct {
	Here  bool
	Title string
	Page  page
}

func (c *talksRoom) showChats(w http.ResponseWriter, r *http.Request) error {
	f, body, err := c.chatsPage(r)
	if err != nil {
		return err
	}
	f.Stream = f.StreamAddress("chats", f.SiteID)
	f.Body = body
	return c.show(w, r, http.StatusOK, f)
}

// chatsPage is the list, as it stands beside a conversation or alone.
func (c *talksRoom) chatsPage(r *http.Request) (f frame, body chatsPage, err error) {
	if f, err = c.page(r, "chats"); err != nil {
		return f, body, err
	}
	if f.Staff, err = c.staffOf(r.Context(), f); err != nil {
		return f, body, err
	}
	query := r.URL.Query()
	body.Tab = query.Get("tab")
	calling, err := c.calling.Of(r.Context(), &f)
	if err != nil {
		return f, body, err
	}
	waiting, mine := countCalling(calling)
	if !slices.ContainsFunc(chatTabs, func(t struct{ name, words string }) bool { return t.name == body.Tab }) {
		body.Tab = tabAll
	}
	for _, t := range chatTabs {
		tab := chatTab{Name: t.name, Text: f.Words.text(t.words), Link: "/chats?tab=" + t.name}
		switch t.name {
		case tabWaiting:
			tab.Count = waiting
		case tabMine:
			tab.Count = mine
		}
		body.Tabs = append(body.Tabs, tab)
	}
	filter := chat.Filter{Live: true}
	switch body.Tab {
	case tabWaiting:
		filter.State = chat.Waiting
	case tabMine:
		filter.OperatorID = f.Operator.ID
	case tabClosed:
		filter = chat.Filter{State: chat.Closed}
	}
	var after chat.Cursor
	if at, err := strconv.ParseInt(query.Get("at"), 10, 64); err == nil {
		after.LastAt = time.UnixMilli(at)
		after.ID, _ = strconv.ParseInt(query.Get("behind"), 10, 64)
	}
	list, err := c.Chats.List(r.Context(), f.Scope, filter, after, chatsAtOnce+1)
	if err != nil {
		return f, body, err
	}
	if len(list) > chatsAtOnce {
		list = list[:chatsAtOnce]
		last := list[chatsAtOnce-1].Cursor()
		body.Older = "/chats?" + url.Values{"tab": {body.Tab}, "at": {strconv.FormatInt(last.LastAt.UnixMilli(), 10)}, "behind": {strconv.FormatInt(last.ID, 10)}}.Encode()
	}
	seen, err := c.seenChats(r.Context(), list)
	if err != nil {
		return f, body, err
	}
	for _, s := range seen {
		row, err := c.chatRowOf(r.Context(), f, s)
		if err != nil {
			return f, body, err
		}
		if body.Tab != tabWaiting || row.Calls {
			body.Rows = append(body.Rows, row)
		}
	}
	return f, body, nil
}

// callingAll are the conversations of the sites that call for somebody.
func (c *talksRoom) callingAll(ctx context.Context, sites scope.Sites) ([]chatSeen, error) {
	list, err := c.Chats.Calling(ctx, sites, maxCalling)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	offers, err := c.Chats.Offers(ctx, list)
	if err != nil {
		return nil, err
	}
	all := make([]chatSeen, len(list))
	for i, conversation := range list {
		all[i] = chatSeen{Conversation: conversation, offer: offers[conversation.Key()]}
	}
	return all, nil
}

// callingFor are those of the conversations that call for the operator.
func (c *talksRoom) callingFor(ctx context.Context, o operator.Operator, all []chatSeen) (calling []chatSeen, err error) {
	for _, s := range all {
		calls, err := c.calls(ctx, o, s)
		if err != nil {
			return nil, err
		}
		if calls {
			calling = append(calling, s)
		}
	}
	return calling, nil
}

// countCalling counts those that wait, and the operator's own.
func countCalling(calling []chatSeen) (waiting, mine int) {
	for _, s := range calling {
		if s.State == chat.Waiting {
			waiting++
		} else {
			mine++
		}
	}
	return waiting, mine
}

// showChat shows a conversation, with what is known of its visitor.
func (c *talksRoom) showChat(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	f, body, err := c.chatsPage(r)
	if err == nil {
		body.Open, err = c.openChat(r.Context(), f, conversation)
	}
	if err != nil {
		return err
	}
	for i := range body.Rows {
		body.Rows[i].Here = body.Rows[i].ID == conversation.ID && body.Rows[i].SiteID == conversation.SiteID
	}
	f.Stream = f.StreamAddress("chats", f.SiteID) + "&" + url.Values{"at": {strconv.FormatInt(conversation.SiteID, 10)},
		"conversation": {strconv.FormatInt(conversation.ID, 10)}, "seq": {strconv.FormatInt(body.Open.Seq, 10)}}.Encode()
	f.Title, f.Body = body.Open.Row.Label, body
	return c.show(w, r, http.StatusOK, f)
}

// chatAt is the conversation that the address names. The site is one of the operator's: the
// door has seen to that.
func (c *talksRoom) chatAt(r *http.Request) (conversation chat.Conversation, err error) {
	siteID, id, err := twoNumbers(r, siteField, "conversation")
	if err != nil {
		return conversation, chat.ErrUnknown
	}
	return c.Chats.Get(r.Context(), siteID, id)
}

func (c *talksRoom) openChat(ctx context.Context, f frame, conversation chat.Conversation) (*openChat, error) {
	entries, err := c.Chats.Before(ctx, conversation.SiteID, conversation.ID, 0, entriesShown)
	if err != nil {
		return nil, err
	}
	open := &openChat{}
	room := entriesRoom
	if open.Entries, err = latestWithin(c.Frame, f.Words, "chat-entry", rowsOf(f, entries, remarkOf), &room); err != nil {
		return nil, err
	}
	if shown := len(open.Entries); shown > 0 {
		open.Seq, open.Earlier = entries[len(entries)-1].Seq, entries[len(entries)-shown].Seq > 1
	}
	seen, err := c.seenChats(ctx, []chat.Conversation{conversation})
	if err != nil {
		return nil, err
	}
	if open.Row, err = c.chatRowOf(ctx, f, seen[0]); err != nil {
		return nil, err
	}
	if open.Working, err = c.chatWorking(ctx, f, open.Row); err != nil {
		return nil, err
	}
	replies, err := c.Chats.Replies(ctx, conversation.SiteID)
	if err != nil {
		return nil, err
	}
	room = repliesRoom
	if open.Replies, err = within(c.Frame, f.Words, "chat-reply", replies, &room); err != nil {
		return nil, err
	}
	open.Fewer = len(open.Replies) < len(replies)
	return open, c.chatCard(ctx, f, conversation.SiteID, conversation.Visitor, open)
}

// chatWorking is what the operator can do with the conversation.
func (c *talksRoom) chatWorking(ctx context.Context, f frame, row chatRow) (chatWorking, error) {
	groups, err := c.Operators.Groups(ctx, row.SiteID)
	working := chatWorking{Row: row, Groups: groups}
	for _, o := range f.Staff {
		if o.Present && !o.Disabled && o.ID != f.Operator.ID && o.Sites.Has(row.SiteID) {
			working.Staff = append(working.Staff, o)
		}
	}
	return working, err
}

// chatCard fills in what is known of the visitor. Of one who has been forgotten there is
// nothing.
func (c *talksRoom) chatCard(ctx context.Context, f frame, siteID int64, visitor visit.ID, open *openChat) error {
	found, err := c.Visits.Card(ctx, siteID, visitor)
	if errors.Is(err, visit.ErrUnknown) {
		open.Card = card{ID: int64(visitor), SiteID: siteID, Label: open.Row.Label}
		return nil
	}
	if err == nil {
		open.Card, err = c.Cards.Of(ctx, f, siteID, found)
	}
	if err != nil {
		return err
	}
	open.Now = nowOf(found)
	if len(open.Card.Visits) > 0 {
		open.Steps = open.Card.Visits[0].Steps
		open.Steps = open.Steps[:min(len(open.Steps), chatSteps)]
	}
	return nil
}

func nowOf(found visit.Card) chatNow {
	now := chatNow{Here: found.Here}
	if len(found.Sessions) > 0 && len(found.Sessions[0].Pages) > 0 {
		latest := found.Sessions[0].Pages[0]
		now.Title, now.Page = latest.Title, pageOf(latest.URL)
	}
	return now
}

// showEntries answers with entries of a conversation: those behind a number, or before one.
func (c *talksRoom) showEntries(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	before, errBefore := strconv.ParseInt(query.Get("before"), 10, 64)
	after, errAfter := strconv.ParseInt(query.Get("after"), 10, 64)
	var list []chat.Message
	within := within[remark]
	switch {
	case errBefore == nil && before > 0:
		within = latestWithin[remark]
		list, err = c.Chats.Before(r.Context(), conversation.SiteID, conversation.ID, before, entriesShown)
	case errAfter == nil && after >= 0:
		list, err = c.Chats.Messages(r.Context(), conversation.SiteID, conversation.ID, after, chat.MaxMessages)
	default:
		return failure(http.StatusBadRequest, "fail.form")
	}
	if err != nil {
		return err
	}
	return c.answerEntries(w, r, within, list...)
}

// answerEntries answers with the entries alone, as many as are rendered within a page.
func (c *talksRoom) answerEntries(w http.ResponseWriter, r *http.Request, within func(*Frame, *words, string, []remark, *int) ([]template.HTML, error), list ...chat.Message) error {
	o, _ := current(r)
	staff, err := c.Staff(r.Context(), o.Sites)
	if err != nil {
		return err
	}
	f := frame{Words: c.wordsFor(r), Operator: o, Staff: staff}
	room := listRoom
	entries, err := within(c.Frame, f.Words, "chat-entry", rowsOf(f, list, remarkOf), &room)
	if err != nil {
		return err
	}
	part, err := c.part(f.Words, "chat-entries", entries)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(part)
	return nil
}
