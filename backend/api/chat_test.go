package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// eachChat runs the test on both databases.
func eachChat(t *testing.T, test func(t *testing.T, s *desk)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(t, serve(t, d, siteOf(variantA))) })
}

// says writes as the visitor.
func (s *desk) says(v visitor, text string, headers ...string) answer {
	s.t.Helper()
	return s.script("chat/say", object{"credentials": v.credentials(), "id": id(), "request": object{"text": text, "language": "en"}}, headers...)
}

// of is the visitor's conversation.
func (s *desk) of(v visitor) chat.Conversation {
	s.t.Helper()
	c, err := s.chats.Of(context.Background(), siteID, v.ref().Visitor)
	require.NoError(s.t, err)
	return c
}

// answers writes as the operator.
func (s *desk) answers(v visitor, operator int64, text string) {
	s.t.Helper()
	_, err := s.chats.Say(context.Background(), siteID, s.of(v).ID, chat.Message{Author: chat.Operator, OperatorID: operator, Text: text})
	require.NoError(s.t, err)
}

// agent is a new operator.
func (s *desk) agent() operator.Operator {
	s.t.Helper()
	o, err := s.operators.Create(context.Background(), operator.Server(), operator.Account{Login: "ann", Name: "Ann", Password: "correct horse battery", Role: operator.Admin, Sites: scope.All()})
	require.NoError(s.t, err)
	return o
}

func TestChatCalls(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		a := s.script("chat", object{"credentials": v.credentials()})
		require.Equal(t, false, a.body["online"])
		require.Nil(t, a.body["opens"], "there are no hours")
		require.Nil(t, a.body["conversation"], "nothing is stored by looking")
		require.Nil(t, a.body["messages"])

		a = s.says(v, "Do you ship to Oslo?")
		require.Equal(t, 200, a.status, a.raw)
		require.Contains(t, dump(t, a.body["message"]), `"seq":1`)
		s.answers(v, ann.ID, "We do.")
		s.answers(v, ann.ID, "Tomorrow, even.")
		_, err := s.chats.Say(t.Context(), siteID, s.of(v).ID, chat.Message{Author: chat.Note, OperatorID: ann.ID, Text: "secret"})
		require.NoError(t, err)
		a = s.script("chat", object{"credentials": v.credentials(), "after": 1})
		require.NotContains(t, a.raw, "secret")
		require.NotContains(t, a.raw, `"ann"`, "no login is told")
		var told struct {
			Conversation map[string]any
			Messages     []map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(a.raw), &told))
		require.Equal(t, "open", told.Conversation["state"])
		require.Equal(t, "Ann", told.Conversation["operator"])
		require.Len(t, told.Messages, 2)
		require.Equal(t, []any{2.0, "operator", "Ann", "We do."}, []any{told.Messages[0]["seq"], told.Messages[0]["from"], told.Messages[0]["operator"], told.Messages[0]["text"]})

		require.Equal(t, 200, s.script("chat/read", object{"credentials": v.credentials(), "seq": 3}).status)
		require.EqualValues(t, 3, s.of(v).VisitorRead)
		require.Equal(t, 200, s.script("chat/typing", object{"credentials": v.credentials()}).status)

		// The same call again is the same message.
		call := object{"credentials": v.credentials(), "id": id(), "request": object{"text": "Thanks"}}
		first, again := s.script("chat/say", call), s.script("chat/say", call)
		require.Equal(t, first.body["message"], again.body["message"])
	})
}

// What an operator has read stays read for the visitor, whoever gets the conversation.
func TestChatStaysRead(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		read := func(seq int64) {
			t.Helper()
			a := s.script("chat", object{"credentials": v.credentials()})
			require.Contains(t, dump(t, a.body["conversation"]), fmt.Sprintf(`"read":%d,`, seq), a.raw)
		}
		s.says(v, "Do you ship to Oslo?")
		read(0)
		require.NoError(t, s.chats.Claim(t.Context(), siteID, s.of(v).ID, ann.ID))
		require.NoError(t, s.chats.Read(t.Context(), siteID, s.of(v).ID, chat.Operator, 1))
		for to := range int64(2) {
			require.NoError(t, s.chats.HandOver(t.Context(), siteID, s.of(v).ID, ann.ID+to, chat.Target{OperatorID: ann.ID + to + 1}))
			require.EqualValues(t, 1, s.of(v).Unread, "it is new to whoever gets it")
			read(1)
		}
		s.says(v, "Hello?")
		read(1)
		require.NoError(t, s.chats.Read(t.Context(), siteID, s.of(v).ID, chat.Operator, s.of(v).Seq))
		read(s.of(v).Seq)
	})
}

// A conversation is for the group that answers when it begins, and stays so until it begins anew.
func TestChatIsForAGroup(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		keep := func(name string) group.Group {
			g, err := s.groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: siteID, Name: name, Routing: group.RoundRobin, Members: []int64{ann.ID}})
			require.NoError(t, err)
			return g
		}
		sales := keep("Sales")
		_, err := s.presence.Arrive(t.Context(), ann.ID)
		require.NoError(t, err)
		answering := func(group group.Group) {
			require.Eventually(t, func() bool {
				found, err := s.presence.Answering(t.Context(), siteID, 0)
				require.NoError(t, err)
				return found == group.ID
			}, time.Minute, 10*time.Millisecond)
		}
		answering(sales)
		s.says(v, "Hello")
		require.Equal(t, sales.ID, s.of(v).GroupID)
		night := keep("Night") // by name it is the first
		answering(night)
		s.says(v, "Hello?")
		require.Equal(t, sales.ID, s.of(v).GroupID)
		require.NoError(t, s.chats.Close(t.Context(), siteID, s.of(v).ID, ann.ID))
		s.says(v, "One more thing")
		require.Equal(t, night.ID, s.of(v).GroupID)
	})
}

// A page names the group of a conversation that begins there. Where that one cannot answer, another is asked.
func TestChatForTheGroupOfAPage(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		ann := s.agent()
		bob, err := s.operators.Create(t.Context(), operator.Server(), operator.Account{Login: "bob", Name: "Bob", Password: "correct horse battery", Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		keep := func(name string, members ...int64) group.Group {
			g, err := s.groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: siteID, Name: name, Routing: group.ToAll, Members: members})
			require.NoError(t, err)
			return g
		}
		help, sales, empty := keep("Help", ann.ID), keep("Sales", ann.ID), keep("Alone", bob.ID)
		lease, err := s.presence.Arrive(t.Context(), ann.ID)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			found, err := s.presence.Answering(t.Context(), siteID, sales.ID)
			require.NoError(t, err)
			return found == sales.ID
		}, time.Minute, 10*time.Millisecond)

		for named, expected := range map[int64]int64{sales.ID: sales.ID, help.ID: help.ID, empty.ID: help.ID, 0: help.ID, -1: help.ID, 1 << 60: help.ID} {
			require.NoError(t, s.presence.Renew(t.Context(), lease))
			v := s.visit()
			request := object{"text": "Hello", "language": "en", "group_id": named}
			require.Equal(t, 200, s.script("chat/say", object{"credentials": v.credentials(), "id": id(), "request": request}).status)
			require.Equal(t, expected, s.of(v).GroupID, named)
		}

		v := s.visit()
		require.NoError(t, s.presence.Renew(t.Context(), lease))
		token := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
		file := "v1/chat/send?t=" + url.QueryEscape(token) + "&id=" + id() + "&name=a.txt&g=" + strconv.FormatInt(sales.ID, 10)
		require.Equal(t, 200, s.send(http.MethodPost, file, "text", "Content-Type", "application/octet-stream").status)
		require.Equal(t, sales.ID, s.of(v).GroupID)
	})
}

// Notes fill no page of what a visitor is told, however many there are.
func TestChatBetweenManyNotes(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		s.says(v, "Hello")
		for range 60 {
			_, err := s.chats.Say(t.Context(), siteID, s.of(v).ID, chat.Message{Author: chat.Note, OperatorID: ann.ID, Text: "secret"})
			require.NoError(t, err)
		}
		s.answers(v, ann.ID, "Good day")
		for _, asked := range []object{{"after": 1}, {"after": nil}} {
			asked["credentials"] = v.credentials()
			a := s.script("chat", asked)
			require.Contains(t, a.raw, "Good day")
			require.NotContains(t, a.raw, "secret")
			require.Nil(t, a.body["more"])
		}
	})
}

// Whoever is not the visitor gets nothing, and stores nothing.
func TestChatOfOthers(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, other := s.visit(), s.visit()
		s.says(v, "Hello")
		s.says(other, "Hello")
		before := s.rows()
		forged := v.credentials()
		forged["visitor_id"] = other.body["visitor_id"]
		foreign := s.of(other).ID
		for _, route := range []string{"chat", "chat/say", "chat/read", "chat/typing", "chat/transcript"} {
			request := object{"text": "forged"}
			a := s.script(route, object{"credentials": forged, "id": id(), "request": request})
			require.Equal(t, []any{403, "forged"}, []any{a.status, a.code()}, route)
			a = s.script(route, object{"credentials": v.credentials(), "conversation": foreign, "id": id(), "request": request})
			require.Equal(t, []any{403, "foreign_ids"}, []any{a.status, a.code()}, route)
			a = s.script(route, object{"id": id(), "request": request})
			require.Equal(t, []any{400, "missing"}, []any{a.status, a.code()}, route)
		}
		token, _ := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
		require.NotEmpty(t, token)
		for _, wrong := range []string{"", "x", token + "x", "1" + token, strings.Repeat("1.", 4) + "x", strings.Repeat("a", 1000), strings.ToUpper(token)} {
			for _, route := range []string{"v1/chat/stream?t=", "v1/chat/file?f=1&t="} {
				a := s.send(http.MethodGet, route+url.QueryEscape(wrong), "")
				require.Equal(t, []any{403, "forged"}, []any{a.status, a.code()}, wrong)
			}
			a := s.send(http.MethodPost, "v1/chat/send?id="+id()+"&t="+url.QueryEscape(wrong), "text")
			require.Equal(t, []any{403, "forged"}, []any{a.status, a.code()}, wrong)
		}
		require.Equal(t, before, s.rows())
		s.clock.Store(int64(11 * time.Minute))
		a := s.send(http.MethodGet, "v1/chat/stream?t="+token, "")
		require.Equal(t, 403, a.status, "its time is over")
	})
}

func TestChatBadInput(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v := s.visit()
		before := s.rows()
		refused := func(status int, code string, a answer) {
			t.Helper()
			require.Equal(t, []any{status, code}, []any{a.status, a.code()}, a.raw)
		}
		refused(413, "too_large", s.says(v, strings.Repeat("a", 1<<20)))
		refused(400, "too_long", s.says(v, strings.Repeat("ы", chat.MaxText+1)))
		refused(400, "empty", s.says(v, " \n\x00"))
		refused(400, "wrong_type", s.script("chat/say", object{"credentials": v.credentials(), "id": "short", "request": object{"text": "x"}}))
		refused(400, "missing", s.script("chat/say", object{"credentials": v.credentials(), "id": id()}))
		refused(400, "malformed_text", s.send(http.MethodPost, "v1/chat/say", "{\"request\":{\"text\":\"\xff\"}}", "Content-Type", "application/json"))
		refused(404, "unknown_conversation", s.script("chat/read", object{"credentials": v.credentials(), "seq": 1}))
		require.Equal(t, before, s.rows())

		markup := "<script>alert(1)</script>\u202e\x1b]0;x\x07 javascript:alert(1)"
		s.says(v, markup)
		a := s.script("chat", object{"credentials": v.credentials()})
		require.NotContains(t, a.raw, "<script", "JSON has no markup")
		messages := a.body["messages"].([]any)
		require.Equal(t, markup, messages[0].(object)["text"], "it is kept as it is, and shown as text")
		refused(409, "no_transcript", s.script("chat/transcript", object{"credentials": v.credentials(), "email": "ann@mail.example"}))
	})
}

// One visitor writes so much, and one address begins so many conversations.
func TestChatLimits(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v := s.visit()
		said, a := 0, s.says(v, "flood")
		for ; a.status == 200 && said < 100; a = s.says(v, "flood") { // one more for each three seconds that it takes
			said++
		}
		require.GreaterOrEqual(t, said, 20)
		require.Equal(t, []any{429, "too_many_requests"}, []any{a.status, a.code()})
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.Equal(t, 200, s.says(s.visit(), "another").status)

		begun := 0
		for range 60 {
			if s.says(s.visit(), "Hello", "From-Address", "203.0.113.7:1000").status == 200 {
				begun++
			}
		}
		require.GreaterOrEqual(t, begun, 30)
		require.Less(t, begun, 60)
		require.Equal(t, 200, s.says(s.visit(), "Hello", "From-Address", "203.0.113.8:1000").status)
		all, err := s.chats.List(t.Context(), scope.All(), chat.Filter{}, chat.Cursor{}, 1000)
		require.NoError(t, err)
		require.Len(t, all, begun+3)
	})
}

// What a database cannot store, or could misunderstand, is in no field.
func TestChatOddInput(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v := s.visit()
		odd := "\x00\u202e\ud7ff\x1b[31m<b>'\"; DROP TABLE messages; --\r\nBcc: a@b"
		a := s.script("chat/say", object{"credentials": v.credentials(), "id": id(), "request": object{"text": odd, "language": odd, "invitation": odd, "group_id": 1 << 62}})
		require.Equal(t, 200, a.status, a.raw)
		require.NotContains(t, s.of(v).Language, "\x00")
		a = s.send(http.MethodPost, "v1/chat/say", `{"credentials":`+proof(t, v)+`,"id":"`+id()+`","request":{"text":"\ud800 lone \udfff","group_id":-5}}`, "Content-Type", "application/json")
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "\ufffd lone \ufffd", a.body["message"].(object)["text"])
		a = s.send(http.MethodPost, "v1/chat/say", `{"credentials":`+proof(t, v)+`,"id":"`+id()+`","request":{"text":"x","group_id":1e400}}`, "Content-Type", "application/json")
		require.Equal(t, 400, a.status, a.raw)
		token := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
		for _, name := range []string{odd, strings.Repeat("a", 10_000), "..\\..\\x", ""} {
			a = s.send(http.MethodPost, "v1/chat/send?t="+token+"&id="+id()+"&l="+url.QueryEscape(odd)+"&conversation=x&name="+url.QueryEscape(name), "GIF89a<script>alert(1)</script>")
			require.Equal(t, 200, a.status, a.raw)
			file := a.body["message"].(object)["file"].(object)
			require.NotRegexp(t, "[\x00-\x1f\u202e/\\\\]", file["name"])
			got, _ := s.fetch(s.url + s.fileOf(v, text(file["id"])))
			require.True(t, strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment"), got.Header)
			require.Equal(t, "image/gif", got.Header.Get("Content-Type"))
			require.Contains(t, got.Header.Get("Content-Security-Policy"), "sandbox")
		}
		for _, after := range []string{"-1", "x", "9223372036854775808", "1 OR 1=1"} {
			require.Equal(t, 400, s.send(http.MethodGet, "v1/chat/stream?t="+token+"&a="+url.QueryEscape(after), "").status, after)
		}
	})
}

// A page learns when somebody will be there, while nobody is.
func TestChatTellsWhenSomebodyWillBeThere(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		now := time.Now().UTC()
		night := group.Group{SiteID: siteID, Name: "Night", Zone: "UTC", Routing: group.ToAll}
		for day := range night.Hours {
			night.Hours[day] = []group.Span{{From: (now.Hour() + 2) % 24 * 60, To: (now.Hour()+2)%24*60 + 1}}
		}
		_, err := s.groups.Keep(t.Context(), operator.Server(), night)
		require.NoError(t, err)
		opens := now.Truncate(time.Hour).Add(2 * time.Hour).UnixMilli()
		require.Equal(t, json.Number(strconv.FormatInt(opens, 10)), s.script("chat", object{"credentials": v.credentials()}).body["opens"])
		_, err = s.groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: siteID, Name: "Day", Routing: group.ToAll})
		require.NoError(t, err)
		_, err = s.presence.Arrive(t.Context(), ann.ID)
		require.NoError(t, err)
		require.Nil(t, s.script("chat", object{"credentials": v.credentials()}).body["opens"], "somebody is there")
	})
}

// A face is shown to the visitors of the sites that its operator works for, and browsers may keep it.
func TestOperatorsFaceIsShown(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		var picture bytes.Buffer
		require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 200, 100))))
		require.NoError(t, s.operators.Faces().Set(t.Context(), ann.Actor(), ann.ID, picture.Bytes()))
		s.says(v, "Is anybody there?")
		s.answers(v, ann.ID, "I am.")
		a := s.script("chat", object{"credentials": v.credentials(), "after": 1})
		var told struct {
			Messages []struct{ Operator, Face string }
		}
		require.NoError(t, json.Unmarshal([]byte(a.raw), &told))
		require.Len(t, told.Messages, 1)
		require.Equal(t, "Ann", told.Messages[0].Operator)
		address := "v1/chat/face/" + told.Messages[0].Face

		shown, err := http.Get(s.url + address)
		require.NoError(t, err)
		small, err := jpeg.DecodeConfig(shown.Body)
		require.NoError(t, err)
		require.NoError(t, shown.Body.Close())
		require.Equal(t, [2]int{96, 96}, [2]int{small.Width, small.Height})
		require.Equal(t, "public, max-age=2592000, immutable", shown.Header.Get("Cache-Control"))
		require.Empty(t, shown.Header.Values("Set-Cookie"))
		require.Equal(t, http.StatusNotFound, s.send(http.MethodGet, "v1/chat/face/elsewhere", "").status)

		require.NoError(t, s.operators.Add(t.Context(), "vera", "correct horse battery", operator.Admin))
		require.NoError(t, s.operators.SetSites(t.Context(), operator.Server(), ann.ID, scope.Of(siteID+1)))
		require.Equal(t, http.StatusNotFound, s.send(http.MethodGet, address, "").status, "she works for another site")
	})
}
