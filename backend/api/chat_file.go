package api

import (
	"context"
	"mime"
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// chatSend serves v1/chat/send?t=TOKEN&id=ID&name=NAME&g=GROUP: the visitor sends a file, which is
// the body. The id is the message's.
func (a *API) chatSend(ctx context.Context, c *call) (any, error) {
	p, err := a.bearer(c, OpensLine)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	if err := checkID("id", query.Get("id")); err != nil {
		return nil, err
	}
	if !c.site.Widget.takesFiles() {
		return nil, fail(http.StatusForbidden, "no_files", "this site takes no files")
	}
	if err := a.counted(a.chats.files, c, p.Visitor); err != nil {
		return nil, err
	}
	if err := within(a.chats.sent, c.r, "too many files were sent from this address"); err != nil {
		return nil, err
	}
	c.weigh = nil // files have limits of their own
	content, err := c.body(chat.MaxFile)
	if err != nil {
		return nil, err
	}
	m := chat.Message{Author: chat.Visitor, ClientID: query.Get("id"), File: &chat.File{Name: query.Get("name"), Content: content}}
	if err := m.Check(); err != nil {
		return nil, err
	}
	viewed, known, err := a.Visits.Viewed(ctx, c.site.ID, p.Ref)
	if err == nil && !known {
		err = visit.ErrForeign
	}
	if err != nil {
		return nil, err
	}
	meant, _ := strconv.ParseInt(query.Get("conversation"), 10, 64)
	group, _ := strconv.ParseInt(query.Get("g"), 10, 64)
	from := chat.From{SiteID: c.site.ID, Ref: p.Ref, URL: credentialAddress(viewed.URL), Language: query.Get("l"), GroupID: group,
		Patience: c.site.Widget.patience()}
	return a.say(ctx, c, p, meant, from, m)
}

// chatLink serves v1/chat/link: the visitor wants a file of the conversation, which an address opens for a moment.
func (a *API) chatLink(ctx context.Context, c *call) (any, error) {
	var sent struct {
		chatCaller
		File int64 `json:"file"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	p, _, err := a.ownConversation(ctx, c, sent.chatCaller)
	if err != nil {
		return nil, err
	}
	return linkAnswer{true, a.Visits.Token(c.site.ID, p.Ref, opensFile(sent.File), linkTime)}, nil
}

// linkAnswer has the token with which v1/chat/file gives the file.
type linkAnswer struct {
	Success bool   `json:"success"`
	Link    string `json:"link"`
}

// opensFile is what the token of a file opens. Browsers may fetch a download by other means than a page, without
// cookies, so the token is good without them.
func opensFile(id int64) string { return "file " + strconv.FormatInt(id, 10) }

// chatFile serves v1/chat/file?t=TOKEN&f=FILE: a file of the visitor's conversation.
func (a *API) chatFile(ctx context.Context, c *call) (any, error) {
	id, _ := strconv.ParseInt(c.r.URL.Query().Get("f"), 10, 64)
	p, err := a.bearer(c, opensFile(id))
	if err != nil {
		return nil, err
	}
	of, err := a.conversation(ctx, c, p, 0)
	if err != nil {
		return nil, err
	}
	f, err := a.Chats.File(ctx, c.site.ID, of.ID, id, chat.Visitor)
	if err != nil {
		return nil, err
	}
	AsDownload(c.w.Header(), f)
	return file{f.Type, f.Content}, nil
}

// AsDownload has a browser keep the file of a conversation and never show it: whatever is in
// it, it is not opened at the site's own origin.
func AsDownload(h http.Header, f chat.File) {
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-store")
}
