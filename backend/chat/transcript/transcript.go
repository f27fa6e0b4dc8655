// Package transcript mails conversations to their visitors. The requests of browsers ask it.
package transcript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/locales"
)

// kind is the kind of the jobs that send transcripts.
const kind = "chat.transcript"

// maxAttempts limits the attempts to send a transcript.
const maxAttempts = 8

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

// Errors of requests. Their texts may be shown to the sender.
var (
	ErrNoMail   = errors.New("this installation sends no mail")
	ErrNoAnswer = errors.New("there is nothing to send before an operator has answered")
)

// Transcripts sends conversations. It is safe for concurrent use.
type Transcripts struct {
	db      *db.DB
	chats   *chat.Chats
	letters Letters
	now     func() time.Time
}

// New returns the transcripts of the conversations, which the queue sends. Call it before [queue.Queue.Run].
func New(d *db.DB, chats *chat.Chats, q *queue.Queue, letters Letters, now func() time.Time) *Transcripts {
	t := &Transcripts{db: d, chats: chats, letters: letters, now: now}
	q.Handle(kind, queue.Handler{Do: t.do, Next: next})
	return t
}

// mailing is the data of a job. Asked distinguishes it from other jobs of the conversation.
type mailing struct {
	Conversation int64  `json:"conversation"`
	To           string `json:"to"`
	Asked        int64  `json:"asked"`
}

// do runs a job.
func (t *Transcripts) do(ctx context.Context, j queue.Job) error {
	var m mailing
	if err := json.Unmarshal(j.Payload, &m); err != nil {
		return queue.Never(err)
	}
	err := t.mail(ctx, j.SiteID, m)
	if errors.Is(err, chat.ErrUnknown) { // it has been erased
		return nil
	}
	return err
}

func next(attempts int) (time.Duration, bool) {
	return min(time.Second<<(2*attempts), time.Hour), attempts < maxAttempts
}

// Possible reports whether transcripts can be sent.
func (t *Transcripts) Possible() bool { return t.letters.Can() }

// Send sends the conversation to the address later. So that nobody can send their own words to others, a
// conversation without a message of an operator returns [ErrNoAnswer]. The error is [ErrNoMail] if no mail can be sent,
// and a [chat.Invalid] for a wrong address.
func (t *Transcripts) Send(ctx context.Context, of chat.Conversation, address string) error {
	if !t.Possible() {
		return ErrNoMail
	}
	if err := t.letters.Check(address); err != nil {
		return chat.Invalid{Code: "wrong_type", Reason: fmt.Sprintf("email: %v", err)}
	}
	_, answered, err := db.One(ctx, t.db.Read(), db.Only[int64], `SELECT seq FROM messages WHERE site_id = $1 AND conversation_id = $2 AND author = $3 LIMIT 1`,
		of.SiteID, of.ID, string(chat.Operator))
	if err != nil {
		return fmt.Errorf("looking for an answer: %w", err)
	}
	if !answered {
		return ErrNoAnswer
	}
	payload, err := json.Marshal(mailing{of.ID, address, t.now().UnixMilli()})
	if err != nil {
		return err
	}
	return t.db.Write(ctx, int64(of.Visitor), func(ctx context.Context, tx db.Tx) error {
		return queue.Add(ctx, tx, queue.Job{SiteID: of.SiteID, Kind: kind, VisitorID: int64(of.Visitor), Payload: payload})
	})
}

// mail sends the transcript.
func (t *Transcripts) mail(ctx context.Context, siteID int64, asked mailing) error {
	of, err := t.chats.Get(ctx, siteID, asked.Conversation)
	if err != nil {
		return err
	}
	site, err := t.letters.Site(ctx, siteID)
	if err != nil {
		return err
	}
	messages, err := t.chats.ToldBefore(ctx, siteID, of.ID, 0, chat.MaxMessages)
	if err != nil {
		return err
	}
	language := locales.Language(of.Language)
	words := mailTexts[language]
	var text strings.Builder
	for _, m := range messages {
		who := words["transcript.you"]
		switch m.Author {
		case chat.Operator:
			if who, err = t.letters.Name(ctx, m.OperatorID); err != nil || who == "" {
				who = words["transcript.operator"]
			}
		case chat.Service:
			if m.Code != "" {
				continue
			}
			who = site
		}
		fmt.Fprintf(&text, "%s, %s\n%s", who, m.At.UTC().Format("2006-01-02 15:04 UTC"), m.Text)
		if m.File != nil {
			text.WriteString("[" + m.File.Name + "]")
		}
		text.WriteString("\n\n")
	}
	never, err := t.letters.Send(ctx, Letter{To: asked.To, Subject: strings.ReplaceAll(words["transcript.subject"], "{{.site}}", site), Text: strings.TrimSpace(text.String()) + "\n",
		ID: fmt.Sprintf("chat-%d-%d-%d", siteID, of.ID, asked.Asked), At: time.UnixMilli(asked.Asked), Language: language})
	if never {
		return nil // the address is not one, which nobody here can mend
	}
	return err
}

// mailTexts has the words around a transcript, by language.
var mailTexts = locales.Read("mails")
