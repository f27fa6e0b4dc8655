package console

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// sendLead answers with all that a lead and its parts say, and what was done with them, as a file. Pages show the beginning of
// long texts, and link here.
func (c *Console) sendLead(w http.ResponseWriter, r *http.Request) {
	siteID, id, ok := twoNumbers(r, siteField, "lead")
	if !ok {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	l, err := c.Leads.Get(r.Context(), siteID, id)
	if errors.Is(err, lead.ErrUnknown) {
		c.fail(w, r, http.StatusNotFound, "fail.noLead")
		return
	}
	var parts []lead.Lead
	if err == nil {
		parts, err = c.Leads.Parts(r.Context(), l.Key())
	}
	var deeds []lead.Deed
	if err == nil {
		ids := []int64{id}
		for _, part := range parts {
			ids = append(ids, part.ID)
		}
		deeds, err = c.Leads.Deeds(r.Context(), siteID, ids)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	words := c.wordsFor(r)
	sendText(w, fmt.Sprintf("lead-%d", id), func(to io.Writer) {
		writeLead(to, words, l)
		for _, part := range parts { // one by one: each may have a megabyte
			if part, err := c.Leads.Get(r.Context(), siteID, part.ID); err == nil {
				writeLead(to, words, part)
			} else if !errors.Is(err, lead.ErrUnknown) {
				panic(http.ErrAbortHandler) // what ends early must not look whole
			}
		}
		for _, d := range deeds {
			if d.Kind == "note" {
				fmt.Fprintf(to, "%s %s\n%s\n\n", words.exactly(d.At), d.By.Login, d.Said)
			}
		}
	})
}

func writeLead(to io.Writer, w *words, l lead.Lead) {
	fmt.Fprintf(to, "%s %d, %s\n\n", w.text("lead.title"), l.ID, w.exactly(l.At))
	writeFields(to, []field{
		{w.text("contact.name"), l.Name}, {w.text("contact.phone"), l.Phone}, {w.text("contact.email"), l.Email}, {w.text("lead.form"), l.FormName},
		{w.text("column.page"), l.URL}, {w.text("card.referrer"), l.Source.Referrer}, {w.text("card.landing"), l.Source.Landing},
	})
	if l.Message != "" {
		fmt.Fprintf(to, "\n%s\n\n", l.Message)
	}
	writeFields(to, fieldsOf(l))
	io.WriteString(to, "\n")
}

// sendRefused answers with all that is kept of a refused submission, as a file.
func (c *Console) sendRefused(w http.ResponseWriter, r *http.Request) {
	siteID, id, ok := twoNumbers(r, siteField, "refused")
	if !ok {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	refused, err := c.Leads.GetRefused(r.Context(), siteID, id)
	switch {
	case errors.Is(err, lead.ErrUnknownRefused):
		c.fail(w, r, http.StatusNotFound, "fail.noRefused")
	case err != nil:
		c.failed(w, r, err)
	default:
		sendText(w, fmt.Sprintf("refused-%d", id), func(to io.Writer) { writeFields(to, sentFields(refused.Sent)) })
	}
}

// sendMessage answers with the text of a message of a conversation, as a file.
func (c *Console) sendMessage(w http.ResponseWriter, r *http.Request) {
	conversation, ok := c.chatAt(w, r)
	if !ok {
		return
	}
	seq, err := strconv.ParseInt(r.PathValue("message"), 10, 64)
	if err != nil || seq <= 0 {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	var found []chat.Message
	if found, err = c.Chats.Messages(r.Context(), conversation.SiteID, conversation.ID, seq-1, 1); err != nil {
		c.failed(w, r, err)
		return
	}
	if len(found) == 0 || found[0].Seq != seq {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	sendText(w, fmt.Sprintf("message-%d-%d", conversation.ID, seq), func(to io.Writer) { io.WriteString(to, found[0].Text) })
}
