package api

import (
	"context"
	"mime"
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// bearer is the page view of the token in the call's address.
func (a *API) bearer(c *call) (page, error) {
	ref, valid := a.visits.ParseToken(c.site.ID, c.r.URL.Query().Get("t"))
	if !valid {
		return page{}, fail(http.StatusForbidden, "forged", "the address is not one that this service gave to the page, or its time is over")
	}
	return page{Ref: ref}, nil
}

// chatSend serves v1/chat/send?t=TOKEN&id=ID&name=NAME&g=GROUP: the visitor sends a file, which is
// the body. The id is the message's.
func (a *API) chatSend(ctx context.Context, c *call) (any, error) {
	p, err := a.bearer(c)
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
	content, err := c.body(chat.MaxFile)
	if err != nil {
		return nil, err
	}
	m := chat.Message{Author: chat.Visitor, ClientID: query.Get("id"), File: &chat.File{Name: query.Get("name"), Content: content}}
	if err := m.Check(); err != nil {
		return nil, err
	}
	address, known, err := a.visits.Address(ctx, c.site.ID, p.Ref)
	if err == nil && !known {
		err = visit.ErrForeign
	}
	if err != nil {
		return nil, err
	}
	meant, _ := strconv.ParseInt(query.Get("conversation"), 10, 64)
	group, _ := strconv.ParseInt(query.Get("g"), 10, 64)
	from := chat.From{SiteID: c.site.ID, Ref: p.Ref, URL: credentialAddress(address), Language: query.Get("l"), GroupID: group,
		Patience: c.site.Widget.patience()}
	return a.say(ctx, c, p, meant, from, m)
}

// chatFile serves v1/chat/file?t=TOKEN&f=FILE: a file of the visitor's conversation.
func (a *API) chatFile(ctx context.Context, c *call) (any, error) {
	p, err := a.bearer(c)
	if err != nil {
		return nil, err
	}
	of, err := a.conversation(ctx, c, p, 0)
	if err != nil {
		return nil, err
	}
	id, _ := strconv.ParseInt(c.r.URL.Query().Get("f"), 10, 64)
	f, err := a.chats.Chats.File(ctx, c.site.ID, of.ID, id, chat.Visitor)
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
