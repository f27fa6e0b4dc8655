package lookup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

const (
	// maxLines is how many things of a kind are shown.
	maxLines = 6
	// leastSigns and leastDigits are what a search needs, and a number among calls.
	leastSigns, leastDigits = 2, 4
	// maxSearch is how many characters a search has at most.
	maxSearch = search.MaxLength
	// patience is how long conversations are looked through.
	patience = time.Second
	// maxRegions is by how many countries a number is read.
	maxRegions = 8
)

// page is what was found.
type page struct {
	Search string
	Groups []group
}

// group is what was found of a kind.
type group struct {
	Title string // name of the words
	Icon  string
	Lines []line
	All   string // address of all of them; empty for none
}

// line leads to what was found.
type line struct {
	Link, Label, Text, Site string
	At                      time.Time // zero for none
}

// show looks for what the query says, at all sites that the operator sees.
func (c *room) show(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	typed := strings.TrimSpace(r.URL.Query().Get("q"))
	if utf8.RuneCountInString(typed) > maxSearch {
		typed = string([]rune(typed)[:maxSearch])
	}
	body := page{Search: typed}
	f.Scope = f.Operator.Sites
	if utf8.RuneCountInString(typed) >= leastSigns {
		for _, look := range []func(context.Context, frame.Page, string) (group, error){c.pages, c.visitors, c.leads, c.conversations, c.calls, c.sites} {
			found, err := look(r.Context(), f, typed)
			if err != nil {
				return err
			}
			if len(found.Lines) > 0 {
				body.Groups = append(body.Groups, found)
			}
		}
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// pages are those of the menu.
func (c *room) pages(_ context.Context, f frame.Page, typed string) (group, error) {
	found := group{Title: "lookup.pages", Icon: "arrow-left"}
	for _, entry := range f.Menu {
		if title := f.Words.Text(entry.Title); has(title, typed) {
			found.Lines = append(found.Lines, line{Link: entry.Link, Label: title})
		}
	}
	return found, nil
}

func (c *room) visitors(ctx context.Context, f frame.Page, typed string) (group, error) {
	found := group{Title: "visitors.title", Icon: "users"}
	visitors, err := c.Visitors.LookUp(ctx, f.Scope, typed, c.regions(ctx, f), maxLines)
	if err != nil {
		return found, err
	}
	people, err := c.Visitors.People(ctx, visitors)
	if err != nil {
		return found, err
	}
	for _, of := range visitors {
		known := ways(f, people[of])
		found.Lines = append(found.Lines, line{
			Link: rows.CardLink(of.SiteID, int64(of.Visitor)), Site: f.SiteKey(of.SiteID),
			Label: rows.FirstOf(append(slices.Clone(known), rows.VisitorLabel(f.Words, int64(of.Visitor)))...), Text: strings.Join(known[min(1, len(known)):], " · "),
		})
	}
	return found, nil
}

// ways are the name of a visitor, and the ways to reach the visitor.
func ways(f frame.Page, who card.Who) (known []string) {
	for _, one := range []string{who.Name, rows.ContactPhoneOf(who.Phone).Text(f.Words), who.Email} {
		if one = strings.TrimSpace(one); one != "" {
			known = append(known, one)
		}
	}
	return known
}

// regions are the countries of the operator's sites.
func (c *room) regions(ctx context.Context, f frame.Page) (regions []string) {
	if c.Region == nil {
		return nil
	}
	for _, s := range f.Sites {
		if region := c.Region(ctx, s.ID); !slices.Contains(regions, region) && len(regions) < maxRegions {
			regions = append(regions, region)
		}
	}
	return regions
}

func (c *room) leads(ctx context.Context, f frame.Page, typed string) (group, error) {
	found := group{Title: "leads.title", Icon: "inbox", All: "/leads?" + url.Values{"q": {typed}, "site": {"0"}}.Encode()}
	list, err := c.Inbox.List(ctx, inbox.Filter{Sites: f.ByID(), Search: typed, Lagging: true}, lead.Cursor{}, maxLines)
	if errors.Is(err, search.ErrShort) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	for _, row := range frame.Rows(f, list.Leads, rows.LeadRowOf) {
		found.Lines = append(found.Lines, line{Link: row.Link, Label: row.Label, Text: row.Digest, Site: row.Site, At: row.At})
	}
	return found, nil
}

func (c *room) conversations(ctx context.Context, f frame.Page, typed string) (group, error) {
	found := group{Title: "chats.title", Icon: "message-circle", All: "/chats?" + url.Values{"q": {typed}, "site": {"0"}}.Encode()}
	matches, _, err := c.Conversations.Search(ctx, f.Scope, chat.Filter{}, typed, chat.Cursor{}, maxLines, patience)
	if err != nil {
		return found, err
	}
	visitors := make([]card.Of, len(matches))
	for i, m := range matches {
		visitors[i] = card.Of{SiteID: m.SiteID, Visitor: m.Visitor}
	}
	people, err := c.Visitors.People(ctx, visitors)
	if err != nil {
		return found, err
	}
	for i, m := range matches {
		found.Lines = append(found.Lines, line{
			Link: rows.ChatLink(m.SiteID, m.ID), Site: f.SiteKey(m.SiteID), At: m.LastAt, Text: rows.Digest(rows.FirstOf(m.Said.Text, m.Said.File)),
			Label: rows.FirstOf(append(ways(f, people[visitors[i]]), rows.VisitorLabel(f.Words, int64(m.Visitor)))...),
		})
	}
	return found, nil
}

func (c *room) calls(ctx context.Context, f frame.Page, typed string) (group, error) {
	digits := contact.Digits(typed)
	found := group{Title: "calls.title", Icon: "phone-incoming", All: "/calls?" + url.Values{"number": {digits}, "site": {"0"}}.Encode()}
	if len(digits) < leastDigits || len(digits) > 20 {
		return found, nil
	}
	list, err := c.Calls.List(ctx, call.Filter{Sites: f.Scope, Unattributed: f.Scope.All(), Number: digits, Lagging: true}, call.Cursor{}, maxLines)
	if err != nil {
		return found, err
	}
	for _, row := range frame.Rows(f, list, rows.CallRowOf) {
		found.Lines = append(found.Lines, line{Link: rows.FirstOf(row.Link, found.All), Label: row.Caller, Text: f.Words.Text("lookup.called", "number", row.Called), Site: row.Site, At: row.At})
	}
	return found, nil
}

func (c *room) sites(_ context.Context, f frame.Page, typed string) (group, error) {
	found := group{Title: "sites.title", Icon: "globe"}
	if len(f.Sites) < 2 && !f.Admin() {
		return found, nil
	}
	for _, s := range f.Sites {
		if len(found.Lines) == maxLines {
			break
		}
		if !has(s.Key, typed) && !has(words.Host(s.Key), typed) {
			continue
		}
		to := fmt.Sprintf("/visitors?site=%d", s.ID)
		if f.Admin() {
			to = frame.SiteLink(s.ID)
		}
		found.Lines = append(found.Lines, line{Link: to, Label: words.Host(s.Key)})
	}
	return found, nil
}

// has tells whether the text has what was typed, in any case.
func has(text, typed string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(typed))
}
