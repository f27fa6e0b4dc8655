// Package invitation mails operators the links by which they set their passwords: those who are invited, and those who
// have forgotten theirs. The console asks it.
package invitation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/locales"
)

const (
	// kind is the kind of the jobs that mail a link.
	kind = "operator.link"
	// again is the pause after a letter that could not be sent, and givenUp the time after which it is not sent any more.
	again, givenUp = time.Minute, 24 * time.Hour
)

// Letter is a mail to an operator.
type Letter struct {
	To, Subject, Text, ID string
	At                    time.Time
	Language              string
	// Link is the address on a line of the text that is a link.
	Link string
}

// Subjects are what the letters need.
type Subjects struct {
	DB        *db.DB
	Operators *operator.Operators
	// HasMail reports whether mails can be sent.
	HasMail func() bool
	// Console is the console's URL with a slash at the end; empty if it is not known.
	Console func() string
	// Send sends a letter. never is true if another attempt would fail too.
	Send func(ctx context.Context, l Letter) (never bool, err error)
}

// Invitations mails links. It is safe for concurrent use.
type Invitations struct {
	Subjects
	now func() time.Time
}

// New returns the letters, which the queue sends. Call it before [queue.Queue.Run].
func New(s Subjects, q *queue.Queue, now func() time.Time) *Invitations {
	i := &Invitations{s, now}
	q.Handle(kind, queue.Handler{Do: i.do, Next: func(int) (time.Duration, bool) { return again, true }})
	return i
}

// Can reports whether links can be mailed. The console's own URL stands in them, never the host that a request names.
func (i *Invitations) Can() bool { return i.HasMail() && i.Console() != "" }

// Why a link is mailed.
const (
	invited   = "invited"
	reset     = "reset" // an admin has taken the password
	forgotten = "forgotten"
)

// asked is the payload of a job: whose link it is, and what the letter says. No token is in it.
type asked struct {
	Login    string `json:"login"`
	Why      string `json:"why"`
	By       string `json:"by"` // the name of the admin
	Language string `json:"language"`
	At       int64  `json:"at"` // in milliseconds since 1970
}

// Invited has a new account told that by, a name, has made it, in the language. Its letter is sent only while the account
// waits for a password.
func (i *Invitations) Invited(by, language string) operator.Tell {
	return i.tell(invited, by, language)
}

// Reset is the same for an account whose password by has taken.
func (i *Invitations) Reset(by, language string) operator.Tell { return i.tell(reset, by, language) }

func (i *Invitations) tell(why, by, language string) operator.Tell {
	return func(ctx context.Context, tx db.Tx, account operator.Operator) error {
		return i.add(ctx, tx, asked{Login: account.Login, Why: why, By: by, Language: language})
	}
}

// Forgotten has the account of the login mailed a link for a new password, if there is one that has an address. It does
// the same work whether there is or not; the error tells nothing of it.
func (i *Invitations) Forgotten(ctx context.Context, login, language string) error {
	login, err := operator.FoldLogin(login)
	if err != nil {
		return nil
	}
	err = i.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		return i.add(ctx, tx, asked{Login: login, Why: forgotten, Language: language})
	})
	if err != nil {
		return fmt.Errorf("noting a forgotten password: %w", err)
	}
	return nil
}

func (i *Invitations) add(ctx context.Context, tx db.Tx, a asked) error {
	a.At = i.now().UnixMilli()
	payload, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return queue.Add(ctx, tx, queue.Job{Kind: kind, Payload: payload})
}

// do runs a job. Each attempt makes a new link, with which the earlier one ends.
func (i *Invitations) do(ctx context.Context, j queue.Job) error {
	var a asked
	if err := json.Unmarshal(j.Payload, &a); err != nil {
		return queue.Never(err)
	}
	if i.now().Sub(time.UnixMilli(a.At)) > givenUp {
		return nil
	}
	account, err := operator.Named(ctx, i.Operators, a.Login)
	switch {
	case errors.Is(err, operator.ErrUnknown):
		return nil
	case err != nil:
		return err
	case account.Email == "", a.Why != forgotten && !account.Waiting, !i.Can():
		return nil
	}
	token, err := operator.NewLink(ctx, i.Operators, account.ID)
	if errors.Is(err, operator.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	switch never, err := i.Send(ctx, i.letter(a, account, token, fmt.Sprintf("operator-%d-%d-%d", account.ID, j.ID, j.Attempts))); {
	case never:
		return queue.Never(err)
	case err != nil:
		return queue.After(again, err)
	}
	return nil
}

func (i *Invitations) letter(a asked, account operator.Operator, token, id string) Letter {
	language := locales.Language(a.Language)
	words := texts[language]
	console := strings.TrimSuffix(i.Console(), "/")
	l := Letter{
		To: account.Email, ID: id, At: i.now(), Language: language,
		Link: console + "/password?" + url.Values{"token": {token}}.Encode(),
	}
	host := console
	if at, err := url.Parse(console); err == nil && at.Host != "" {
		host = at.Host
	}
	fill := strings.NewReplacer("{{.by}}", a.By, "{{.console}}", host, "{{.login}}", account.Login)
	l.Subject = fill.Replace(words[a.Why+".subject"])
	l.Text = strings.Join([]string{fill.Replace(words[a.Why+".intro"]), fill.Replace(words["link.login"]), words["link.do"] + "\n" + l.Link, words[a.Why+".ignore"]}, "\n\n") + "\n"
	return l
}

// texts has the words of the letters, by language.
var texts = locales.Read("mails")
