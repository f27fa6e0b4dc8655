package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/locales"
)

// transcriptKind is the kind of the jobs that send transcripts.
const transcriptKind = "chat.transcript"

// transcriptAttempts limits the attempts to send a transcript.
const transcriptAttempts = 8

// Letter is a mail with a conversation in it.
type Letter struct {
	To, Subject, Text, ID string
	At                    time.Time
	Language              string
}

// Letters sends them.
type Letters struct {
	// Check returns an error for anything but the address of a mailbox.
	Check func(address string) error
	// Can reports whether mails can be sent at all.
	Can func() bool
	// Send sends a letter. never is true if another attempt would fail too.
	Send func(ctx context.Context, l Letter) (never bool, err error)
	// Site is the name by which visitors know the site.
	Site func(ctx context.Context, siteID int64) (string, error)
	// Name is the operator's name for visitors.
	Name func(ctx context.Context, operatorID int64) (string, error)
}

// mailing is the data of a job. Asked distinguishes it from other jobs of the conversation.
type mailing struct {
	Conversation int64  `json:"conversation"`
	To           string `json:"to"`
	Asked        int64  `json:"asked"`
}

// sendTranscript runs a job.
func (c *Chats) sendTranscript(ctx context.Context, j queue.Job) error {
	var m mailing
	if err := json.Unmarshal(j.Payload, &m); err != nil {
		return queue.Never(err)
	}
	err := c.mail(ctx, j.SiteID, m)
	if errors.Is(err, ErrUnknown) { // it has been erased
		return nil
	}
	return err
}

func nextTranscript(attempts int) (time.Duration, bool) {
	return min(time.Second<<(2*attempts), time.Hour), attempts < transcriptAttempts
}

// Mails reports whether transcripts can be sent.
func (c *Chats) Mails() bool { return c.letters.Can != nil && c.letters.Can() }

// SendTranscript sends the conversation to the address later. So that nobody can send their own words to others, a
// conversation without a message of an operator returns [ErrNoAnswer]. The error is [ErrNoMail] if no mail can be sent,
// and an [Invalid] for a wrong address.
func (c *Chats) SendTranscript(ctx context.Context, of Conversation, address string) error {
	if !c.Mails() {
		return ErrNoMail
	}
	if err := c.letters.Check(address); err != nil {
		return invalid("wrong_type", "email: %v", err)
	}
	_, answered, err := db.One(ctx, c.db.Read(), db.Only[int64], `SELECT seq FROM messages WHERE site_id = $1 AND conversation_id = $2 AND author = $3 LIMIT 1`,
		of.SiteID, of.ID, string(Operator))
	if err != nil {
		return fmt.Errorf("looking for an answer: %w", err)
	}
	if !answered {
		return ErrNoAnswer
	}
	payload, err := json.Marshal(mailing{of.ID, address, c.now().UnixMilli()})
	if err != nil {
		return err
	}
	return c.db.Write(ctx, c.visits.Key(of.Visitor), func(ctx context.Context, tx db.Tx) error {
		return queue.Add(ctx, tx, queue.Job{SiteID: of.SiteID, Kind: transcriptKind, VisitorID: int64(of.Visitor), Payload: payload})
	})
}

// mail sends the transcript.
func (c *Chats) mail(ctx context.Context, siteID int64, m mailing) error {
	of, err := c.Get(ctx, siteID, m.Conversation)
	if err != nil {
		return err
	}
	site, err := c.letters.Site(ctx, siteID)
	if err != nil {
		return err
	}
	messages, err := c.ToldBefore(ctx, siteID, of.ID, 0, MaxMessages)
	if err != nil {
		return err
	}
	language := locales.Language(of.Language)
	words := mailTexts[language]
	var text strings.Builder
	for _, said := range messages {
		who := words["transcript.you"]
		switch said.Author {
		case Operator:
			if who, err = c.letters.Name(ctx, said.OperatorID); err != nil || who == "" {
				who = words["transcript.operator"]
			}
		case Service:
			if said.Code != "" {
				continue
			}
			who = site
		}
		fmt.Fprintf(&text, "%s, %s\n%s", who, said.At.UTC().Format("2006-01-02 15:04 UTC"), said.Text)
		if said.File != nil {
			text.WriteString("[" + said.File.Name + "]")
		}
		text.WriteString("\n\n")
	}
	never, err := c.letters.Send(ctx, Letter{To: m.To, Subject: strings.ReplaceAll(words["transcript.subject"], "{{.site}}", site), Text: strings.TrimSpace(text.String()) + "\n",
		ID: fmt.Sprintf("chat-%d-%d-%d", siteID, of.ID, m.Asked), At: time.UnixMilli(m.Asked), Language: language})
	if never {
		return nil // the address is not one, which nobody here can mend
	}
	return err
}

// mailTexts has the words around a transcript, by language.
var mailTexts = locales.Read("mails")
