package letter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

const (
	// Gather is the default time for which answers are gathered that the visitor has not read.
	Gather = 5 * time.Minute
	// mostADay limits the letters of a conversation on a day of UTC.
	mostADay = 3
	// again is the pause after a letter that could not be sent, and givenUp the time after which the answers are not
	// mailed any more.
	again, givenUp = 5 * time.Minute, 72 * time.Hour
)

// answerKind is the kind of the jobs that look whether a visitor is to be mailed an answer.
const answerKind = "chat.answer"

// Subjects are what the letters need.
type Subjects struct {
	DB      *db.DB
	Chats   *chat.Chats
	Cards   *card.Cards
	Keys    *key.Keys
	Letters Letters
	// Here reports whether the visitor is on the site.
	Here func(ctx context.Context, siteID int64, visitor visit.ID) (bool, error)
	// After is for how long the site has answers gathered; 0 for no letters.
	After func(ctx context.Context, siteID int64) (time.Duration, error)
	// Service is the URL of the site's prefix, with a slash at the end, for a visitor who was on the page; empty if it is
	// not known.
	Service func(ctx context.Context, siteID int64, page string) (string, error)
}

// Answers mails visitors who have left what operators have answered since, if they have given an address. It is safe for
// concurrent use.
type Answers struct {
	Subjects
	now func() time.Time
}

// NewAnswers returns the letters of the conversations, which the queue sends. Call it before [queue.Queue.Run].
func NewAnswers(s Subjects, q *queue.Queue, now func() time.Time) *Answers {
	a := &Answers{s, now}
	q.Handle(answerKind, queue.Handler{Do: a.do, Next: func(int) (time.Duration, bool) { return time.Second, true }})
	return a
}

// Answered notes in the transaction that an operator has answered: a job looks whether the visitor has to be mailed.
// One job looks after all answers until then.
func (a *Answers) Answered(ctx context.Context, tx db.Tx, of chat.Conversation) error {
	if !a.Letters.Can() {
		return nil
	}
	noted, err := tx.Exec(ctx, `INSERT INTO chat_letters (site_id, conversation_id, due, seq, address, day, count) VALUES ($1, $2, TRUE, 0, '', 0, 0)
		ON CONFLICT (site_id, conversation_id) DO UPDATE SET due = TRUE WHERE NOT chat_letters.due`, of.SiteID, of.ID)
	if err != nil {
		return fmt.Errorf("noting an answer: %w", err)
	}
	if noted == 0 {
		return nil
	}
	return queue.Add(ctx, tx, queue.Job{SiteID: of.SiteID, Kind: answerKind, VisitorID: int64(of.Visitor), Payload: strconv.AppendInt(nil, of.ID, 10)})
}

// Errors that have a job look again.
var (
	errGathering = errors.New("more may be answered")
	errHere      = errors.New("the visitor is on the site")
	errEnough    = errors.New("the visitor has been mailed enough today")
)

// do runs a job. It ends when the visitor has read what was answered, or it was mailed, or cannot be.
func (a *Answers) do(ctx context.Context, j queue.Job) error {
	var id int64
	if err := json.Unmarshal(j.Payload, &id); err != nil {
		return queue.Never(err)
	}
	of, err := a.Chats.Get(ctx, j.SiteID, id)
	if errors.Is(err, chat.ErrUnknown) { // it has been erased
		return nil
	}
	if err != nil {
		return err
	}
	sent, err := a.sent(ctx, of)
	if err != nil {
		return err
	}
	answers, err := a.unread(ctx, of, sent.seq)
	if err != nil {
		return err
	}
	to, err := a.addressee(ctx, of, len(answers) > 0 && a.now().Sub(answers[0].At) < givenUp)
	if err != nil {
		return err
	}
	after, err := a.After(ctx, of.SiteID)
	if err != nil {
		return err
	}
	if to == "" || after == 0 || of.Unasked != 0 {
		return a.end(ctx, of, sent)
	}
	if err := a.hold(ctx, of, sent, answers, after); err != nil {
		return err
	}
	l, err := a.letter(ctx, of, answers)
	if err != nil {
		return err
	}
	if l.Link == "" {
		return a.end(ctx, of, sent)
	}
	l.SiteID, l.To = of.SiteID, to
	never, err := a.Letters.Send(ctx, l)
	if err != nil && !never {
		return queue.After(again, err)
	}
	if day := dayOf(a.now()); sent.day != day {
		sent.day, sent.count = day, 0
	}
	sent.seq, sent.address, sent.count = answers[len(answers)-1].Seq, to, sent.count+1
	if err := a.end(ctx, of, sent); err != nil || never {
		return err
	}
	_, err = a.Chats.Say(ctx, of.SiteID, of.ID, chat.Message{Author: chat.Note, Code: chat.CodeMailed, Text: to, ClientID: "." + l.ID})
	return err
}

// hold returns an error while the letter has to wait.
func (a *Answers) hold(ctx context.Context, of chat.Conversation, sent sent, answers []chat.Message, after time.Duration) error {
	now := a.now()
	if wait := answers[0].At.Add(after).Sub(now); wait > 0 {
		return queue.After(wait, errGathering)
	}
	here, err := a.Here(ctx, of.SiteID, of.Visitor)
	if err != nil {
		return err
	}
	if here {
		return queue.After(after, errHere)
	}
	if sent.count >= mostADay && sent.day == dayOf(now) {
		return queue.After(time.UnixMilli((sent.day+1)*day).Sub(now), errEnough)
	}
	return nil
}

// day is in milliseconds, and dayOf counts the days of UTC since 1970.
const day = int64(24 * time.Hour / time.Millisecond)

func dayOf(t time.Time) int64 { return t.UnixMilli() / day }

// sent is what has been mailed to the visitor of a conversation.
type sent struct {
	seq        int64
	address    string
	day, count int64
}

func (a *Answers) sent(ctx context.Context, of chat.Conversation) (sent, error) {
	s, _, err := db.One(ctx, a.DB.Read(), func(s *sent) []any { return []any{&s.seq, &s.address, &s.day, &s.count} },
		`SELECT seq, address, day, count FROM chat_letters WHERE site_id = $1 AND conversation_id = $2`, of.SiteID, of.ID)
	if err != nil {
		return s, fmt.Errorf("reading what was mailed: %w", err)
	}
	return s, nil
}

// unread are the answers that the visitor has neither read nor been mailed.
func (a *Answers) unread(ctx context.Context, of chat.Conversation, mailed int64) (answers []chat.Message, err error) {
	if of.Banned {
		return nil, nil
	}
	told, err := a.Chats.Told(ctx, of.SiteID, of.ID, max(of.VisitorRead, mailed), chat.MaxMessages)
	for _, m := range told {
		if m.Author == chat.Operator {
			answers = append(answers, m)
		}
	}
	return answers, err
}

// end notes what has been mailed, and that no job looks after the conversation any more. If an operator has answered
// since the job has read it, the job looks again.
func (a *Answers) end(ctx context.Context, of chat.Conversation, s sent) error {
	var more bool
	err := a.DB.Write(ctx, int64(of.Visitor), func(ctx context.Context, tx db.Tx) error {
		const key = ` WHERE site_id = $1 AND conversation_id = $2`
		_, err := tx.Exec(ctx, `UPDATE chat_letters SET due = FALSE, seq = $3, address = $4, day = $5, count = $6`+key, of.SiteID, of.ID, s.seq, s.address, s.day, s.count)
		if err != nil {
			return err
		}
		more, _, err = db.One(ctx, tx, db.Only[bool], `SELECT EXISTS (SELECT 1 FROM messages`+key+` AND seq > $3 AND author = 'operator')`, of.SiteID, of.ID, of.Seq)
		if err != nil || !more {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE chat_letters SET due = TRUE`+key, of.SiteID, of.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting what was mailed: %w", err)
	}
	if more {
		return errGathering
	}
	return nil
}
