package api_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// letterLink is the link of a letter, which opens the visitor's conversation.
func (s *desk) letterLink(v visitor, opens string, lasting time.Duration) string {
	s.t.Helper()
	return "v1/chat/" + opens + "?t=" + s.visits.Keys.ConversationToken(siteID, s.of(v).ID, opens, lasting)
}

// follow opens a link in a browser, and returns the page and the cookie that it sets.
func (s *desk) follow(method, link, cookie string) (status int, page, set string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+link, nil)
	require.NoError(s.t, err)
	r.Header.Set("Cookie", cookie)
	response, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer response.Body.Close()
	var content strings.Builder
	require.NoError(s.t, response.Write(&content))
	require.Equal(s.t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(s.t, "no-store", response.Header.Get("Cache-Control"))
	require.Contains(s.t, []string{"no-referrer", "same-origin"}, response.Header.Get("Referrer-Policy"))
	require.Contains(s.t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
	return response.StatusCode, content.String(), response.Header.Get("Set-Cookie")
}

var leadsTo = regexp.MustCompile(`data-conversation="([^"]*)" data-page="([^"]*)"`)

// The link of a letter opens the conversation in another browser, and nothing else of the visitor.
func TestLetterOpensTheConversationAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		site := siteOf(variantA)
		site.Own = source.OwnOf(site.Origins, nil)
		s := serve(t, d, site)
		v, other := s.visit(), s.visit()
		s.says(v, "Hello")
		s.answers(v, 3, "Good day")
		picture, err := s.chats.Say(t.Context(), siteID, s.of(v).ID, chat.Message{Author: chat.Operator, OperatorID: 3, File: &file.File{Name: "a.txt", Content: []byte("a file")}})
		require.NoError(t, err)
		link := s.letterLink(v, letter.OpensBack, time.Hour)

		status, _, set := s.follow(http.MethodGet, link, v.cookie)
		require.Equal(t, http.StatusOK, status)
		require.Empty(t, set, "it is the visitor's own browser")
		status, page, set := s.follow(http.MethodGet, link, other.cookie)
		require.Equal(t, http.StatusOK, status)
		to := leadsTo.FindStringSubmatch(page)
		require.NotNil(t, to, page)
		require.Equal(t, "https://shop.example/lamps?utm_source=news&utm_medium=mail", html.UnescapeString(to[2]))
		require.Regexp(t, `^__Host-svc_b=[\w.-]+; Path=/; HttpOnly; Secure; SameSite=Lax$`, set, "it ends with the browser")
		pass, _, _ := strings.Cut(set, ";")
		require.NotContains(t, page, text(v.body["visitor_id"]))

		both := []string{"Cookie", other.cookie + "; " + pass}
		told := s.script("chat", object{"credentials": other.credentials()}, both...)
		require.Contains(t, told.raw, "Good day")
		stream := text(told.body["stream"])
		given := s.script("chat/link", object{"credentials": other.credentials(), "file": picture.File.ID}, both...)
		require.Equal(t, http.StatusOK, given.status, given.raw)
		require.Equal(t, http.StatusOK, s.script("chat/say", object{"credentials": other.credentials(), "id": id(), "request": object{"text": "From my phone"}}, both...).status)
		require.Contains(t, s.script("chat", object{"credentials": v.credentials()}).raw, "From my phone")
		require.NotEmpty(t, stream)

		// Everything else stays the other's own.
		opened := s.open(viewOf("https://shop.example/"), other.cookie+"; "+pass)
		require.Equal(t, other.body["visitor_id"], opened.body["visitor_id"])
		stolen := s.script("chat", object{"credentials": v.shown()}, both...)
		require.Equal(t, []any{403, "foreign_browser"}, []any{stolen.status, stolen.code()})
		require.Equal(t, 403, s.script("property", object{"credentials": v.shown(), "id": id(), "name": "size"}, both...).status)
		_, err = s.chats.Of(t.Context(), siteID, other.ref().Visitor)
		require.ErrorIs(t, err, chat.ErrUnknown)

		// It is over with its time, and with the conversation.
		s.clock.Store(int64(2 * time.Hour))
		require.NotContains(t, s.script("chat", object{"credentials": other.credentials()}, both...).raw, "Good day")
		status, _, set = s.follow(http.MethodGet, link, other.cookie)
		require.Equal(t, []any{http.StatusNotFound, ""}, []any{status, set})
	})
}

// Whatever address a visitor has named, a letter leads to a page of the site.
func TestLetterLeadsToTheSite(t *testing.T) {
	s := serve(t, dbtest.Open(t, dbtest.SQLite(t)), siteOf(variantA))
	v := s.visit()
	s.says(v, "Hello")
	link := s.letterLink(v, letter.OpensBack, time.Hour)
	host := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/frontdesk/")
	for address, page := range map[string]string{
		"https://www.shop.example/a?b=c&d#e": "https://www.shop.example/a?b=c&d", "http://" + host + "/a": "http://" + host + "/a",
		"https://evil.example/": "/", "https://www.shop.example@evil.example/": "/", "https://evil.example#www.shop.example": "/", "https://www.shop.example:1/": "/",
		"javascript:alert(1)": "/", "//evil.example": "/", "https:evil.example": "/", "https://www.shop.example\\@evil.example/": "/", "%": "/", "": "/",
		`https://www.shop.example/"><script>alert(1)</script>`: "https://www.shop.example/%22%3E%3Cscript%3Ealert%281%29%3C/script%3E",
	} {
		require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE conversations SET url = $1`, address)
			return err
		}))
		_, content, _ := s.follow(http.MethodGet, link, "")
		to := leadsTo.FindStringSubmatch(content)
		require.NotNil(t, to, content)
		require.Equal(t, page, html.UnescapeString(to[2]), address)
	}
	for _, wrong := range []string{"", "x", "1.2.3", strings.Repeat("a", 500), s.letterLink(v, letter.OpensStop, time.Hour)[len("v1/chat/stop?t="):]} {
		status, content, set := s.follow(http.MethodGet, "v1/chat/back?t="+url.QueryEscape(wrong), "")
		require.Equal(t, []any{http.StatusNotFound, ""}, []any{status, set}, wrong)
		require.NotContains(t, content, "<script")
	}
}

// Before consent the link of a letter sets nothing.
func TestLetterBeforeConsent(t *testing.T) {
	site := siteOf(variantA)
	site.Consent = gate.Consent{Cookie: "agreed"}
	s := serve(t, dbtest.Open(t, dbtest.SQLite(t)), site)
	v := s.open(viewOf("https://www.shop.example/"), "agreed=1")
	require.Equal(t, http.StatusOK, s.says(v, "Hello", "Cookie", "agreed=1").status)
	_, page, set := s.follow(http.MethodGet, s.letterLink(v, letter.OpensBack, time.Hour), "")
	require.Empty(t, set)
	require.Empty(t, leadsTo.FindStringSubmatch(page)[1], "and keeps nothing in the browser")
	_, page, set = s.follow(http.MethodGet, s.letterLink(v, letter.OpensBack, time.Hour), "agreed=1")
	require.NotEmpty(t, set)
	require.NotEmpty(t, leadsTo.FindStringSubmatch(page)[1])
}

// A program that looks at the links of a mail does not give up its letters.
func TestLettersAreGivenUpByPost(t *testing.T) {
	s := serve(t, dbtest.Open(t, dbtest.SQLite(t)), siteOf(variantA))
	v := s.visit()
	s.says(v, "Hello")
	link := s.letterLink(v, letter.OpensStop, time.Hour)
	require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO chat_letters (site_id, conversation_id, due, seq, address, day, count) VALUES ($1, $2, FALSE, 1, 'Ada@mail.example', 1, 1)`, siteID, s.of(v).ID)
		return err
	}))
	unwanted := func() []string {
		list, err := db.List(t.Context(), s.db.Read(), db.Only[string], `SELECT address FROM chat_unwanted`)
		require.NoError(t, err)
		return list
	}
	status, page, _ := s.follow(http.MethodGet, link, "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, `<form method="post"><button>`)
	require.Empty(t, unwanted())
	status, page, _ = s.follow(http.MethodPost, link, "")
	require.Equal(t, http.StatusOK, status)
	require.NotContains(t, page, "<form")
	require.Equal(t, []string{"ada@mail.example"}, unwanted())
	status, _, _ = s.follow(http.MethodPost, strings.Replace(link, "t=", "t=x", 1), "")
	require.Equal(t, http.StatusNotFound, status)
}
