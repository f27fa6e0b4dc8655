package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
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
