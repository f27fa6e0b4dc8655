package conversation

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
)

// throughLetter is the conversation that the link of a letter has opened for this browser; else [chat.ErrUnknown]. Nothing
// else of its visitor is open then.
func (c *Conversations) throughLetter(ctx context.Context, r *gate.Request) (chat.Conversation, error) {
	for token := range view.BackCookie.Values(r.Header, r.Site.SharedCookies) {
		if id, valid := c.Keys.ParseConversationToken(r.Site.ID, token, letter.OpensBack); valid {
			return c.Chats.Get(ctx, r.Site.ID, id)
		}
	}
	return chat.Conversation{}, chat.ErrUnknown
}

// linked is the conversation of the token in the request's address.
func (c *Conversations) linked(r *gate.Request, opens string) (of chat.Conversation, token string, err error) {
	token = r.URL.Query().Get("t")
	id, valid := c.Keys.ParseConversationToken(r.Site.ID, token, opens)
	if !valid {
		return of, "", chat.ErrUnknown
	}
	of, err = c.Chats.Get(r.Context(), r.Site.ID, id)
	return of, token, err
}

// back serves v1/chat/back?t=TOKEN, to which the link of a letter leads. The browser goes on to the page on which the
// visitor was. If it is another browser than the visitor's, it gets a cookie for as long as it stays open, which opens the
// conversation and nothing else. Before consent nothing is set.
func (c *Conversations) back(r *gate.Request) error {
	of, token, err := c.linked(r, letter.OpensBack)
	if errors.Is(err, chat.ErrUnknown) {
		letter.OverPage(r.Header.Get("Accept-Language")).Answer(r.W, http.StatusNotFound)
		return nil
	}
	if err != nil {
		return err
	}
	page, conversation := c.ownPage(r, of.URL), ""
	if r.Site.Consent.Given(r.Header) {
		conversation = strconv.FormatInt(of.ID, 10)
		if visitor, _ := c.Views.Returning(r); visitor != of.Visitor {
			cookie := view.BackCookie.For(r.Host, r.Secure(page), r.Site.SharedCookies, token)
			cookie.MaxAge = 0
			http.SetCookie(r.W, cookie)
		}
	}
	letter.BackPage(of.Language, r.Site.Key, conversation, page).Answer(r.W, http.StatusOK)
	return nil
}

// ownPage is the page of the site to which a letter leads back: the address, as a visitor has named it, or else the site's
// first page.
func (c *Conversations) ownPage(r *gate.Request, address string) string {
	page, err := url.Parse(address)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" {
		return "/"
	}
	origin := page.Scheme + "://" + page.Host
	own := strings.EqualFold(page.Host, r.Host) || r.Site.Own.Has(strings.ToLower(page.Hostname())) && page.Port() == ""
	for _, known := range r.Site.Origins {
		own = own || strings.EqualFold(known, origin)
	}
	if !own {
		return "/"
	}
	return (&url.URL{Scheme: page.Scheme, Host: page.Host, Path: page.Path, RawPath: page.RawPath, RawQuery: page.RawQuery}).String()
}

// stop serves v1/chat/stop?t=TOKEN: no more letters are wanted. Programs that look at links open them, so a button or the
// reader's mail program says so, by POST.
func (c *Conversations) stop(r *gate.Request) error {
	of, _, err := c.linked(r, letter.OpensStop)
	if err == nil && r.Method == http.MethodPost {
		err = c.Answers.Stop(r.Context(), r.Site.ID, of.ID)
	}
	if errors.Is(err, chat.ErrUnknown) {
		letter.OverPage(r.Header.Get("Accept-Language")).Answer(r.W, http.StatusNotFound)
		return nil
	}
	if err == nil {
		letter.StopPage(of.Language, r.Method == http.MethodPost).Answer(r.W, http.StatusOK)
	}
	return err
}
