package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// document is the page of the address, as it was parsed.
func (b *browser) document(path string) *goquery.Document {
	b.t.Helper()
	page := b.get(path)
	require.Equal(b.t, 200, page.status, "%s: %s", path, page.body)
	d, err := goquery.NewDocumentFromReader(strings.NewReader(page.body))
	require.NoError(b.t, err)
	return d
}

// The list says what somebody has written, and not what the service says in all conversations alike.
func TestListOfChatsShowsWhatWasWritten(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, c := d.asks("Do you have lamps?")
		_, err := d.Chats.Say(t.Context(), c.SiteID, c.ID, chat.Message{Author: chat.Service, Code: chat.Unanswered})
		require.NoError(t, err)
		row := d.signedIn("vera").document("/chats").Find("#chats > li")
		require.Contains(t, row.Text(), "Do you have lamps?")
		require.NotContains(t, row.Text(), "Nobody answered")
		require.Zero(t, row.Find(".ours").Length(), "the visitor has written it")
	})
}

// What was recorded plays beside a conversation, as it does on the visitor's card.
func TestRecordingsPlayBesideAConversation(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, c := d.asks("Hello")
		policy := d.signedIn("vera").get(chatPath(c)).header.Get("Content-Security-Policy")
		require.Contains(t, policy, "media-src http: https:")
	})
}

// A lead that was made of a conversation keeps its lines on the card, and beside the conversation.
func TestLeadOfAConversationKeepsItsLines(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		from, c := d.asks("Do you have lamps?")
		_, _, err := d.Leads.Add(t.Context(), submission.Submission{
			SiteID: d.shop.ID, Ref: from.Ref, Origin: lead.Chat, URL: from.URL, CallID: "chat-1", Message: "Do you have lamps?\n\n> We do.\nHow much?",
		})
		require.NoError(t, err)
		b := d.signedIn("vera")
		for _, page := range []string{chatPath(c), fmt.Sprintf("/visitors/%d/%d", d.shop.ID, from.Visitor)} {
			document := b.document(page)
			for _, place := range []string{".brief .lines", ".steps .lines"} {
				require.Equal(t, "Do you have lamps?\n> We do.\nHow much?", document.Find(place).Text(), "%s %s", page, place)
			}
		}
	})
}

// An admin takes a conversation over from a colleague. Both are told, and an operator may not do so.
func TestAdminTakesAConversationOver(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, c := d.asks("Hello")
		d.agent("anna")
		d.agent("boris")
		anna, boris, vera, at := d.signedIn("anna"), d.signedIn("boris"), d.signedIn("vera"), chatPath(c)
		require.Equal(t, http.StatusOK, anna.post(at+"/messages", "client", "a", "text", "Good day").status)
		require.Zero(t, boris.document(at).Find("[data-do=take]").Length())
		require.Equal(t, http.StatusForbidden, boris.post(at+"/work", "do", "take").status)
		require.Equal(t, 1, vera.document(at).Find("[data-do=take]").Length())

		heard := anna.follow("/leads", "")
		require.Equal(t, http.StatusNoContent, vera.post(at+"/work", "do", "take").status)
		require.Contains(t, heard.until("#arrivals").data, "vera has taken over this conversation")
		require.Contains(t, vera.document("/chats?tab=mine").Find("#chats").Text(), "Good day")
		for _, b := range []*browser{anna, vera} {
			require.Contains(t, b.document(at).Find("#said").Text(), "Taken over from ANNA")
		}
		require.Contains(t, anna.document(at).Find("#working .standing").Text(), "vera")
		require.Equal(t, http.StatusNoContent, vera.post(at+"/work", "do", "take").status, "it is hers already")
		require.Equal(t, http.StatusConflict, anna.post(at+"/work", "do", "return").status, "it is hers no more")
	})
}

// An operator makes a lead of a conversation, once. It leads back to the conversation.
func TestOperatorMakesALeadOfAConversation(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		from, c := d.asks("Two lamps, please")
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, from.Ref, visit.Info{Name: "Olga", Phone: "8 495 111-22-33", Region: "RU"}))
		b, at := d.signedIn("vera"), chatPath(c)
		require.Equal(t, http.StatusNoContent, b.post(at+"/work", "do", "lead").status)
		require.Equal(t, http.StatusNoContent, b.post(at+"/work", "do", "lead").status)
		leads, err := d.Leads.OfVisitor(t.Context(), d.shop.ID, from.Visitor, 10)
		require.NoError(t, err)
		require.Len(t, leads, 1)
		require.Equal(t, []string{"Olga", "74951112233", "Two lamps, please", lead.Chat}, []string{leads[0].Name, leads[0].PhoneDigits, leads[0].Message, leads[0].Origin})
		its := fmt.Sprintf("/leads/%d/%d", d.shop.ID, leads[0].ID)
		page := b.document(at)
		require.Equal(t, 1, page.Find("#working a[href='"+its+"']").Length())
		require.Contains(t, page.Find("#said").Text(), "Made a lead of it")
		require.Equal(t, 1, b.document(its).Find("dd a[href='"+at+"']").Length(), "from the lead to the conversation")
		card := b.document(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, from.Visitor))
		require.Equal(t, "Two lamps, please", card.Find(".steps .chat a[href='"+at+"']").Text(), "what was written stands among the steps")
		require.Equal(t, 1, card.Find("section[aria-labelledby=conversation-of] a[href='"+at+"']").Length())
	})
}

// Conversations are found by what was said in them, in any case and order, with notes and the names of files.
func TestConversationsAreSearched(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, lamps := d.asks("Есть ли у вас латунные ЛАМПЫ?")
		_, other := d.asks("Hello")
		_, err := d.Chats.Say(t.Context(), other.SiteID, other.ID, chat.Message{Author: chat.Note, OperatorID: 1, Text: strings.Repeat("very ", 40) + "regular <b>customer</b>"})
		require.NoError(t, err)
		b := d.signedIn("vera")
		found := func(search string) *goquery.Selection {
			return b.document("/chats?" + url.Values{"q": {search}}.Encode()).Find("#chats > li")
		}
		require.Equal(t, 1, found("лампы Латунные").Length())
		require.Contains(t, found("лампы").Find("a").AttrOr("href", ""), chatPath(lamps))
		note := found("CUSTOMER regular")
		require.Equal(t, 1, note.Length())
		require.Contains(t, note.Text(), "…ry very very regular <b>customer", "the text begins before what was found")
		require.Zero(t, found("лампы customer").Length(), "not all of it was said at once")
		require.Zero(t, found("%").Length())
		require.Equal(t, 2, found(" ").Length(), "nothing is looked for")
		beside := b.document(chatPath(lamps) + "?" + url.Values{"q": {"лампы"}}.Encode())
		require.Equal(t, 1, beside.Find("#chats > li").Length(), "the list stays beside the conversation")
		require.Equal(t, 1, beside.Find("#said").Length())
	})
}

// Operators sort conversations by tags. A note tells it, and a lead that is made of one has them, too.
func TestConversationsHaveTags(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		from, lamps := d.asks("Forty lamps, please")
		_, other := d.asks("Hello")
		b, at := d.signedIn("vera"), chatPath(lamps)
		require.Zero(t, b.document("/chats").Find("select[name=tag]").Length(), "there are no tags yet")
		set := func(typed string) int { return b.post(at+"/tags", "tags", typed).status }
		heard := b.follow("/chats", "")
		require.Equal(t, http.StatusSeeOther, set(" wholesale ,, Urgent  order,URGENT order,wholesale"))
		require.Contains(t, heard.until("#chats").data, "Urgent order, wholesale")
		require.Equal(t, http.StatusSeeOther, set("Urgent order, wholesale"), "nothing changes")
		page := b.document(at)
		require.Equal(t, "Urgent order, wholesale", page.Find("[name=tags]").AttrOr("value", ""))
		require.Equal(t, 1, strings.Count(page.Find("#said").Text(), "Set the tags: Urgent order, wholesale"))
		require.Equal(t, "Urgent order, wholesale", page.Find("#chats .tagged").Text())

		found := func(query string) []string {
			return b.document("/chats?" + query).Find("#chats .row-link").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("href", "") })
		}
		require.Equal(t, []string{at + "?tag=wholesale"}, found("tag=wholesale"))
		require.Equal(t, []string{at + "?q=lamps&tag=wholesale"}, found("tag=wholesale&q=lamps"))
		require.Empty(t, found("tag=wholesale&q=hello"))
		require.Empty(t, found("tag=whole"))
		require.Equal(t, []string{chatPath(other), at}, found("tab=all"))
		require.Equal(t, "wholesale", b.document(at+"?tag=wholesale").Find("select[name=tag] [selected]").Text())
		require.Equal(t, http.StatusNoContent, b.post(at+"/work", "do", "close").status)
		require.Len(t, found("tag=wholesale"), 1, "also when it is closed")

		require.Equal(t, http.StatusUnprocessableEntity, set(strings.Repeat("x", 31)))
		require.Equal(t, http.StatusBadRequest, b.post(at+"/tags", "text", "wholesale").status)
		require.Equal(t, http.StatusNotFound, b.post(fmt.Sprintf("/chats/%d/999/tags", d.shop.ID), "tags", "wholesale").status)
		d.agentOf("anna", d.shop.ID+1)
		require.Equal(t, http.StatusNotFound, d.signedIn("anna").post(at+"/tags", "tags", "mine").status)

		require.Equal(t, http.StatusNoContent, b.post(at+"/work", "do", "lead").status)
		leads, err := d.Leads.OfVisitor(t.Context(), d.shop.ID, from.Visitor, 10)
		require.NoError(t, err)
		require.Len(t, leads, 1)
		require.Equal(t, []string{"Urgent order", "wholesale"}, leads[0].Tags)
		require.Equal(t, http.StatusSeeOther, set(""))
		require.Contains(t, b.document(at).Find("#said").Text(), "Removed the tags")
		require.Empty(t, found("tag=wholesale"))
	})
}

// How long visitors have waited is told by operators and groups, to admins.
func TestWaitingTimes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		anna, boris := d.agent("anna"), d.agent("boris")
		answers := func(o int64, waited time.Duration) {
			from, c := d.asks("Hello")
			d.pass(waited)
			say := func(text string) {
				_, err := d.Chats.Say(t.Context(), c.SiteID, c.ID, chat.Message{Author: chat.Operator, OperatorID: o, Text: text})
				require.NoError(t, err)
			}
			say("Good day")
			d.pass(time.Hour)
			say("Are you there?") // for which nobody has waited
			d.asksAgain(from, "Yes")
			d.pass(waited)
			say("Well")
		}
		vera := d.signedIn("vera")
		require.Contains(t, vera.get("/chats/waits").body, "Nobody has waited")
		answers(anna.ID, 30*time.Second)
		answers(anna.ID, 90*time.Second)
		answers(boris.ID, 5*time.Second)
		table := func(of string) (cells [][]string) {
			for _, row := range vera.document("/chats/waits?days=30").Find("[aria-labelledby=" + of + "] tbody tr").EachIter() {
				cells = append(cells, strings.Fields(row.Text()))
			}
			return cells
		}
		require.Equal(t, [][]string{{"ANNA", "4", "1:00", "1:30", "50", "%"}, {"BORIS", "2", "0:05", "0:05", "100", "%"}}, table("by-operator"))
		require.Equal(t, [][]string{{"No", "group", "6", "0:42", "1:30", "66", "%"}}, table("by-group"))
		require.Equal(t, http.StatusForbidden, d.signedIn("anna").get("/chats/waits").status)
	})
}

// What is known of a visitor is corrected beside the conversation, and on the card.
func TestContactsAreCorrected(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		from, c := d.asks("Hello")
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, from.Ref, visit.Info{Name: "Olag", Phone: "8 495 111-22-33", Email: "old@mail.example", Region: "RU"}))
		b, at := d.signedIn("vera"), chatPath(c)
		correct := func(fields map[string]string) *goquery.Selection {
			form := b.document(at).Find(".beside-conversation .corrects form")
			var sent []string
			for _, input := range form.Find("input").EachIter() {
				name, value := input.AttrOr("name", ""), input.AttrOr("value", "")
				if typed, is := fields[name]; is {
					value = typed
				}
				sent = append(sent, name, value)
			}
			a := b.post(form.AttrOr("action", ""), sent...)
			require.Equal(t, http.StatusSeeOther, a.status)
			require.Equal(t, at, a.header.Get("Location"), "back to the conversation")
			return b.document(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, from.Visitor)).Find("section[aria-labelledby=contacts] > .facts")
		}
		known := correct(map[string]string{"name": "Olga <b>", "phone": "8 495 111-22-34"}).Text()
		require.Contains(t, known, "Olga <b>")
		require.Contains(t, known, "+7 495 111-22-34")
		require.NotContains(t, known, "111-22-33", "the wrong one is gone")
		require.Contains(t, known, "old@mail.example")
		known = correct(map[string]string{"email": ""}).Text()
		require.NotContains(t, known, "mail.example", "what is emptied is taken away")
		require.Contains(t, known, "+7 495 111-22-34")
		require.Equal(t, http.StatusNotFound, b.post("/visitors/1/99/contacts", "name", "x").status)
		require.Equal(t, http.StatusNotFound, b.post("/visitors/99/99/contacts", "name", "x").status)
	})
}
