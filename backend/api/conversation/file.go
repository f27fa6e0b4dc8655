package conversation

import (
	"context"
	"mime"
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// sendFile serves v1/chat/send?t=TOKEN&id=ID&name=NAME&g=GROUP: the visitor sends a file, which is
// the body. The id is the message's.
func (c *Conversations) sendFile(ctx context.Context, r *gate.Request) (any, error) {
	v, err := c.Views.Bearer(r, OpensLine)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	if err := view.CheckID("id", query.Get("id")); err != nil {
		return nil, err
	}
	if !r.Site.Widget.TakesFiles() {
		return nil, gate.NewFailure(http.StatusForbidden, "no_files", "this site takes no files")
	}
	if err := c.counted(c.files, r, v.Visitor); err != nil {
		return nil, err
	}
	if err := c.sent.Within(r.Request, "too many files were sent from this address"); err != nil {
		return nil, err
	}
	r.Weigh = nil // files have limits of their own
	content, err := r.ReadFile(file.Max)
	if err != nil {
		return nil, err
	}
	ctx, cancel := gate.Storing(ctx)
	defer cancel()
	m := chat.Message{Author: chat.Visitor, ClientID: query.Get("id"), File: &file.File{Name: query.Get("name"), Content: content}}
	if err := m.Check(); err != nil {
		return nil, err
	}
	viewed, known, err := c.Visits.Viewed(ctx, r.Site.ID, v.Ref)
	if err == nil && !known {
		err = visit.ErrForeign
	}
	if err != nil {
		return nil, err
	}
	meant, _ := strconv.ParseInt(query.Get("conversation"), 10, 64)
	group, _ := strconv.ParseInt(query.Get("g"), 10, 64)
	from := chat.From{SiteID: r.Site.ID, Ref: v.Ref, URL: view.CredentialAddress(viewed.URL), Language: query.Get("l"), GroupID: group,
		Patience: r.Site.Widget.Patience()}
	return c.store(ctx, r, v, meant, from, m)
}

// link serves v1/chat/link: the visitor wants a file of the conversation, which an address opens for a moment.
func (c *Conversations) link(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		sender
		File int64 `json:"file"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	_, of, err := c.ownConversation(ctx, r, sent.sender)
	if err != nil {
		return nil, err
	}
	return linkAnswer{true, c.Keys.Token(r.Site.ID, of.Ref, opensFile(sent.File), linkTime)}, nil
}

// linkAnswer has the token with which v1/chat/file gives the file.
type linkAnswer struct {
	Success bool   `json:"success"`
	Link    string `json:"link"`
}

// opensFile is what the token of a file opens. Browsers may fetch a download by other means than a page, without
// cookies, so the token is good without them.
func opensFile(id int64) string { return "file " + strconv.FormatInt(id, 10) }

// file serves v1/chat/file?t=TOKEN&f=FILE: a file of the visitor's conversation. The token of a stream opens pictures.
func (c *Conversations) file(ctx context.Context, r *gate.Request) (any, error) {
	id, _ := strconv.ParseInt(r.URL.Query().Get("f"), 10, 64)
	v, err := c.Views.Bearer(r, opensFile(id))
	shown := err != nil
	if shown {
		v, err = c.Views.Bearer(r, OpensLine)
	}
	if err != nil {
		return nil, err
	}
	of, err := c.conversation(ctx, r, v, 0)
	if err != nil {
		return nil, err
	}
	f, err := c.Chats.File(ctx, r.Site.ID, of.ID, id, chat.Visitor)
	if err != nil {
		return nil, err
	}
	if shown && !f.IsShown() {
		return nil, gate.NewFailure(http.StatusForbidden, "forged", "the address opens pictures alone")
	}
	asDownload(r.W.Header(), f)
	return gate.File{Type: f.Type, Content: f.Content}, nil
}

// asDownload has a browser keep the file of a conversation and never show it: whatever is in
// it, it is not opened at the site's own origin.
func asDownload(h http.Header, f file.File) {
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-store")
}
