package letter

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
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// kind is the kind of the jobs that send transcripts.
const kind = "chat.transcript"

// maxZone is the length in bytes to which the name of a time zone is cut.
const maxZone = 64

// maxAttempts limits the attempts to send a transcript.
const maxAttempts = 8

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

// NewTranscripts returns the transcripts of the conversations, which the queue sends. Call it before [queue.Queue.Run].
func NewTranscripts(d *db.DB, chats *chat.Chats, q *queue.Queue, letters Letters, now func() time.Time) *Transcripts {
	t := &Transcripts{db: d, chats: chats, letters: letters, now: now}
	q.Handle(kind, queue.Handler{Do: t.do, Next: next})
	return t
}

// mailing is the data of a job. Asked distinguishes it from other jobs of the conversation.
type mailing struct {
	Conversation int64  `json:"conversation"`
	To           string `json:"to"`
	Asked        int64  `json:"asked"`
	Zone         string `json:"zone,omitempty"`
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

// Send sends the conversation to the address later, with times of the zone, such as "Europe/Moscow"; of UTC for one that is
// not known. So that nobody can send their own words to others, a
// conversation without a message of an operator returns [ErrNoAnswer]. The error is [ErrNoMail] if no mail can be sent,
// and a [chat.Invalid] for a wrong address.
func (t *Transcripts) Send(ctx context.Context, of chat.Conversation, address, zone string) error {
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
	payload, err := json.Marshal(mailing{of.ID, address, t.now().UnixMilli(), clip.Text(zone, maxZone)})
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
	site, err := t.letters.siteOf(ctx, of)
	if err != nil {
		return err
	}
	zone := zoneOf(asked.Zone)
	words, language := wordsOf(of.Language)
	fill := strings.NewReplacer("{{.site}}", site, "{{.zone}}", zone.String())
	entries, cut, err := t.entries(ctx, of, site, words, zone)
	if err != nil {
		return err
	}
	begins := fill.Replace(words["transcript.intro"])
	if cut {
		begins += "\n\n" + words["transcript.cut"]
	}
	never, err := t.letters.Send(ctx, Letter{SiteID: siteID, To: asked.To, Subject: fill.Replace(words["transcript.subject"]), Text: begins + "\n\n" + strings.Join(entries, "\n\n") + "\n",
		ID: fmt.Sprintf("chat-%d-%d-%d", siteID, of.ID, asked.Asked), At: time.UnixMilli(asked.Asked), Language: language})
	if never {
		return nil // the address is not one, which nobody here can mend
	}
	return err
}

// maxText bounds the bytes of a letter. What is older is left out.
const maxText = 512 << 10

// entries are the messages of the conversation as they stand in the letter. cut says that there were more before.
func (t *Transcripts) entries(ctx context.Context, of chat.Conversation, site string, words map[string]string, zone *time.Location) (entries []string, cut bool, err error) {
	names := t.letters.names(words)
	size := 0
	for after, more := int64(0), true; more; {
		messages, err := t.chats.Told(ctx, of.SiteID, of.ID, after, chat.MaxMessages)
		if err != nil {
			return nil, false, err
		}
		for _, m := range messages {
			if after = m.Seq; m.Code != "" {
				continue
			}
			who := words["transcript.you"]
			switch m.Author {
			case chat.Operator:
				if who, err = names.of(ctx, m.OperatorID); err != nil {
					return nil, false, err
				}
			case chat.Service:
				who = site
			}
			entry := fmt.Sprintf("%s, %s\n%s", who, m.At.In(zone).Format("2006-01-02 15:04"), m.Text)
			if m.File != nil {
				entry += "[" + m.File.Name + "]"
			}
			entries = append(entries, entry)
			for size += len(entry); size > maxText && len(entries) > 1; cut = true {
				size -= len(entries[0])
				entries = entries[1:]
			}
		}
		more = len(messages) == chat.MaxMessages
	}
	return entries, cut, nil
}

// zoneOf is the time zone of the name, as browsers tell it; UTC for one that is not known.
func zoneOf(name string) *time.Location {
	if name == "Local" { // the server's
		return time.UTC
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
