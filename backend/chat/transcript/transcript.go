// Package transcript mails conversations to their visitors. The requests of browsers ask it.
package transcript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/locales"
)

// kind is the kind of the jobs that send transcripts.
const kind = "chat.transcript"

// maxZone is the length in bytes to which the name of a time zone is cut.
const maxZone = 64

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
	site, err := t.letters.Site(ctx, siteID)
	if err != nil {
		return err
	}
	if page, err := url.Parse(of.URL); err == nil && page.Hostname() != "" { // else the visitor has never seen the key
		if site = page.Hostname(); strings.Contains(site, "xn--") {
			site, _ = idna.Display.ToUnicode(site)
		}
	}
	zone := zoneOf(asked.Zone)
	language := locales.Language(of.Language)
	words := mailTexts[language]
	fill := strings.NewReplacer("{{.site}}", site, "{{.zone}}", zone.String())
	entries, cut, err := t.entries(ctx, of, site, words, zone)
	if err != nil {
		return err
	}
	begins := fill.Replace(words["transcript.intro"])
	if cut {
		begins += "\n\n" + words["transcript.cut"]
	}
	never, err := t.letters.Send(ctx, Letter{To: asked.To, Subject: fill.Replace(words["transcript.subject"]), Text: begins + "\n\n" + strings.Join(entries, "\n\n") + "\n",
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
	names := make(map[int64]string)
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
				if _, known := names[m.OperatorID]; !known {
					name, err := t.letters.Name(ctx, m.OperatorID)
					if err != nil {
						return nil, false, err
					}
					names[m.OperatorID] = cmp.Or(name, words["transcript.operator"])
				}
				who = names[m.OperatorID]
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

// mailTexts has the words around a transcript, by language.
var mailTexts = locales.Read("mails")
