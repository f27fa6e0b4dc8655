package chats

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

const (
	// chatsAtOnce is how many conversations a page of the list has.
	chatsAtOnce = 100
	// entriesShown is how many entries of a conversation its page begins with, and how many
	// come with each look further back.
	entriesShown = 60
	// maxDue bounds how many conversations are counted beside the navigation.
	maxDue = 100
	// chatSteps is how many pages of the visitor stand beside a conversation.
	chatSteps = 8
	// How much room the parts of a conversation's page have, in bytes of HTML.
	entriesRoom, repliesRoom = 300 << 10, 200 << 10
)

// chatsPage is the content of the page of conversations.
type chatsPage struct {
	Search string // what is looked for in what was said; empty for nothing
	Tag    string // that the conversations have; empty for any
	Tags   []string
	Tab    string
	Tabs   []chatTab
	Rows   []chatRow
	Older  string // address of the next part of the list; empty at the end
	Open   *openChat
}

type chatTab struct {
	Name, Text, Link string
	Count            int // -1 where it is not told
}

func (c *room) showChats(w http.ResponseWriter, r *http.Request) error {
	f, body, err := c.chatsPage(r)
	if err != nil {
		return err
	}
	f.Stream = f.StreamAddress("chats", f.SiteID)
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// chatsPage is the list, as it stands beside a conversation or alone.
func (c *room) chatsPage(r *http.Request) (f frame.Page, body chatsPage, err error) {
	if f, err = c.Page(r, "chats"); err != nil {
		return f, body, err
	}
	if f.Staff, err = c.StaffOf(r.Context(), f); err != nil {
		return f, body, err
	}
	query := r.URL.Query()
	body.Tab = query.Get("tab")
	due, err := c.due.Of(r.Context(), &f)
	if err != nil {
		return f, body, err
	}
	waiting, mine := countDue(due)
	if !slices.ContainsFunc(chatTabs, func(t struct{ name, words string }) bool { return t.name == body.Tab }) {
		body.Tab = tabAll
	}
	for _, t := range chatTabs {
		tab := chatTab{Name: t.name, Text: f.Words.Text(t.words), Link: "/chats?tab=" + t.name}
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
	if body.Tags, err = c.Overview.Tags(r.Context(), f.ByID()); err != nil {
		return f, body, err
	}
	body.Search, body.Tag = strings.TrimSpace(query.Get("q")), tagOf(query)
	if body.Search != "" || body.Tag != "" {
		body.Tab, filter = tabFound, chat.Filter{Tag: body.Tag}
	}
	if body.Search != "" {
		return f, body, c.search(r.Context(), f, &body, after)
	}
	list, err := c.Chats.List(r.Context(), f.Scope, filter, after, chatsAtOnce+1)
	if err != nil {
		return f, body, err
	}
	if len(list) > chatsAtOnce {
		list = list[:chatsAtOnce]
		body.goesOn(list[chatsAtOnce-1].Cursor())
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
		if body.Tab == tabFound {
			row.Path += "?" + body.query().Encode()
		}
		if body.Tab != tabWaiting || row.Due {
			body.Rows = append(body.Rows, row)
		}
	}
	return f, body, nil
}

// query is what the address has of which conversations are shown.
func (p *chatsPage) query() url.Values {
	query := make(url.Values)
	for name, value := range map[string]string{"q": p.Search, "tag": p.Tag} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		query.Set("tab", p.Tab)
	}
	return query
}

// goesOn notes that there are more conversations after the cursor.
func (p *chatsPage) goesOn(after chat.Cursor) {
	query := p.query()
	query.Set("at", strconv.FormatInt(after.LastAt.UnixMilli(), 10))
	query.Set("behind", strconv.FormatInt(after.ID, 10))
	p.Older = "/chats?" + query.Encode()
}

// dueFor are those of the conversations that are due to the operator.
func (c *room) dueFor(ctx context.Context, o operator.Operator, all []overview.Due) (due []overview.Due, err error) {
	for _, d := range all {
		is, err := c.isDue(ctx, o, d)
		if err != nil {
			return nil, err
		}
		if is {
			due = append(due, d)
		}
	}
	return due, nil
}

// countDue counts those that wait, and the operator's own.
func countDue(due []overview.Due) (waiting, mine int) {
	for _, s := range due {
		if s.State == chat.Waiting {
			waiting++
		} else {
			mine++
		}
	}
	return waiting, mine
}
