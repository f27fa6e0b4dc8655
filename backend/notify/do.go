package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/notify/template"
	"github.com/seed-3405227d/frontdesk/backend/notify/webhook"
	"github.com/seed-3405227d/frontdesk/backend/queue"
)

// jobTimeout is what a job has, with what it asks the database.
const jobTimeout = 30 * time.Second

// schedule are the pauses between attempts, as Standard Webhooks has them: some three days in all.
var schedule = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// patience is how long one waits at least for a receiver that is away.
const patience = 76 * time.Hour

// next is the pause before the next attempt, after so many that have failed.
func next(attempts int) (time.Duration, bool) {
	if attempts > len(schedule) {
		return 0, false
	}
	return schedule[attempts-1], true
}

// do does a job: it sends the delivery, and notes what came of it.
func (d *Deliveries) do(ctx context.Context, j queue.Job) error {
	var ref reference
	if err := json.Unmarshal(j.Payload, &ref); err != nil {
		return queue.Never(fmt.Errorf("reading a job: %w", err))
	}
	list, err := deliveries(ctx, d.DB.Read(), reading+` WHERE d.site_id = $1 AND d.endpoint_id = $2 AND d.entry = $3`, j.SiteID, ref.Endpoint, ref.Entry)
	if err != nil {
		return err
	}
	if len(list) == 0 || list[0].State != waiting { // removed, or done by another node
		return nil
	}
	r := list[0]
	e, err := d.Endpoints.Get(ctx, j.SiteID, ref.Endpoint)
	switch {
	case errors.Is(err, ErrUnknown):
		return nil
	case err != nil:
		return err
	case !e.PausedAt.IsZero():
		return d.conclude(ctx, e, r, held)
	}
	status, err := d.send(ctx, e, r)
	if err != nil && ctx.Err() != nil { // this node is ending, which is nobody's failure
		return ctx.Err()
	}
	var f *attempt.Failure
	var unready notReady
	var skip attempt.Skip
	switch {
	case errors.Is(err, errErased):
		return d.conclude(ctx, e, r, dropped)
	case errors.As(err, &unready):
		return unready.error
	case errors.As(err, &skip):
		r.Reason, r.Detail, r.TriedAt = skip.Reason, "", d.now()
		return d.conclude(ctx, e, r, dropped)
	}
	r.Attempts, r.Status, r.Reason, r.Detail, r.TriedAt = r.Attempts+1, status, "", "", d.now()
	if err == nil {
		return d.conclude(ctx, e, r, delivered)
	} else if !errors.As(err, &f) {
		d.logger.Error("sending a delivery failed", zap.Int64("site", r.SiteID), zap.Int64("endpoint", r.EndpointID), zap.Error(err))
		f = &attempt.Failure{Reason: attempt.Internal}
	}
	r.Status, r.Reason, r.Detail = f.Status, f.Reason, f.Detail
	if f.Reason == attempt.Gone {
		return d.leave(ctx, e, r)
	}
	if f.Never || d.exhausted(j, r, f) {
		return d.conclude(ctx, e, r, failed)
	}
	if err := d.note(ctx, e, r, waiting); err != nil {
		return err
	}
	d.count("retried")
	err = f
	if f.After > 0 {
		err = queue.After(f.After, err)
	}
	if f.Away {
		err = queue.Away(err)
	}
	return err
}

// notReady is the error of finding out what is to be sent. It is no attempt.
type notReady struct{ error }

// errMails has a mail wait until its site may send some again. One is tried each minute: the limit may have been raised.
var errMails = errors.New("the site has sent as many mails as it may on a day")

// send makes an attempt. The error is an [attempt.Failure], an [attempt.Skip], errErased, notReady, or else our own.
func (d *Deliveries) send(ctx context.Context, e Endpoint, r Delivery) (status int, err error) {
	sending, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	if e.IsOut() {
		if d.outlet == nil {
			return 0, notReady{errors.New("nobody sends to such an endpoint")}
		}
		return d.outlet.Send(sending, e, r)
	}
	m, v, err := d.message(ctx, r, e.Language)
	switch {
	case errors.Is(err, errErased):
		return 0, err
	case err != nil:
		return 0, notReady{err}
	case e.Kind == Mail:
		if d.Mails != nil && d.HasMail() {
			if wait := d.Mails(ctx, e.SiteID); wait > 0 {
				return 0, notReady{queue.Away(queue.After(min(wait, time.Minute), errMails))}
			}
		}
		return 0, d.mail(sending, e, r, v)
	}
	return d.post(sending, e, r, m, v)
}

// exhausted reports whether the attempt was the last one. While a receiver is away, the queue
// counts no attempts; a delivery then has as many of its own, and three days at least.
func (d *Deliveries) exhausted(j queue.Job, r Delivery, f *attempt.Failure) bool {
	if f.Away {
		return r.Attempts > len(schedule) && d.now().Sub(j.Added) > patience
	}
	_, again := next(j.Attempts + 1)
	return !again
}

// conclude notes the state in which the job leaves the delivery.
func (d *Deliveries) conclude(ctx context.Context, e Endpoint, r Delivery, state State) error {
	err := d.note(ctx, e, r, state)
	if err == nil {
		d.count(string(state))
	}
	return err
}

func (d *Deliveries) count(result string) {
	if d.observer != nil {
		d.observer.Delivery(result)
	}
}

// noteTimeout is what a node that is ending has to note what came of an attempt: it would be made again.
const noteTimeout = 5 * time.Second

// note stores what came of the attempt, and whether the endpoint is away.
func (d *Deliveries) note(ctx context.Context, e Endpoint, r Delivery, state State) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	return d.DB.WriteOwn(ctx, r.Entry, func(ctx context.Context, tx db.Tx) error {
		if err := r.store(ctx, tx, state); err != nil {
			return err
		}
		switch state {
		case delivered:
			return incident.Mend(ctx, tx, e.SiteID, incident.Endpoint, e.about(), d.now())
		case waiting, failed:
			return incident.Note(ctx, tx, e.away(), state == failed, d.now())
		}
		return nil
	})
}

// away is the incident that the endpoint is away.
func (e Endpoint) away() incident.Incident {
	return incident.Incident{SiteID: e.SiteID, Kind: incident.Endpoint, About: e.about(), Name: e.Host()}
}

func (r Delivery) store(ctx context.Context, tx db.Tx, state State) error {
	return tx.Send(ctx, `UPDATE deliveries SET state = $1, attempts = $2, status = $3, reason = $4, detail = $5, tried_at = $6
		WHERE site_id = $7 AND endpoint_id = $8 AND entry = $9 AND state = 'waiting'`,
		string(state), r.Attempts, r.Status, r.Reason, r.Detail, db.Millis(r.TriedAt), r.SiteID, r.EndpointID, r.Entry)
}

// leave pauses the endpoint, whose receiver has said that it is gone. The delivery waits
// with the others for somebody who has it go on.
func (d *Deliveries) leave(ctx context.Context, e Endpoint, r Delivery) error {
	err := d.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := r.store(ctx, tx, held); err != nil {
			return err
		}
		paused, err := tx.Exec(ctx, `UPDATE endpoints SET paused_at = $1, gone = TRUE WHERE site_id = $2 AND id = $3 AND paused_at = 0`, d.now().UnixMilli(), e.SiteID, e.ID)
		if err != nil || paused == 0 {
			return err
		}
		if err := incident.Note(ctx, tx, e.away(), true, d.now()); err != nil {
			return err
		}
		return d.Endpoints.append(ctx, tx, e, EndpointGone, "")
	})
	if err == nil {
		d.count(string(held))
	}
	return err
}

// post sends the message to the webhook. The error is an [attempt.Failure], or else our own.
func (d *Deliveries) post(ctx context.Context, e Endpoint, r Delivery, m Message, v values) (status int, err error) {
	body, contentType, err := e.body(m, v)
	if err != nil {
		return 0, err
	}
	keys, err := e.keys(d.now())
	if err != nil {
		return 0, fmt.Errorf("reading the secret of an endpoint: %w", err)
	}
	status, err = d.poster.Post(ctx, webhook.Message{URL: e.Address, ID: r.ID(), ContentType: contentType, Body: body, Keys: keys})
	if errors.Is(err, webhook.ErrPrivate) { // for whoever runs the server, and may allow the address
		d.logger.Info("an address of a webhook is not public and not allowed", zap.Int64("site", e.SiteID), zap.Int64("endpoint", e.ID))
	}
	return status, err
}

// body is what is sent to the webhook, and its content type.
func (e Endpoint) body(m Message, v values) (body []byte, contentType string, err error) {
	if e.Template == "" {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(m)
		return bytes.TrimSuffix(text.Bytes(), []byte("\n")), template.JSON, err
	}
	text, err := template.Fill(e.Template, e.ContentType, v)
	if err != nil {
		return nil, "", &attempt.Failure{Reason: attempt.Template}
	}
	return []byte(text), e.ContentType, nil
}

// mail sends the message to the address. The error is an [attempt.Failure], or else our own.
func (d *Deliveries) mail(ctx context.Context, e Endpoint, r Delivery, v values) error {
	server := d.settings().Mail
	if server == nil {
		return &attempt.Failure{Reason: attempt.NoServer, Away: true}
	}
	w, err := e.write(v)
	if err != nil {
		return &attempt.Failure{Reason: attempt.Template}
	}
	return server.Send(ctx, mail.Letter{To: e.Address, Subject: w.Subject, Text: w.Text, ID: r.ID(), At: r.At, Language: e.Language, ReplyTo: v["email"]})
}

// HasMail reports whether this server's configuration has a mail server.
func (d *Deliveries) HasMail() bool { return d.settings().Mail != nil }

// ErrNoServer means that no mail server is configured.
var ErrNoServer = errors.New("no mail server is configured")

// Send hands a letter that somebody has asked for to the mail server. It returns [ErrNoServer] when there is none.
// never is true when another attempt would fare no better.
func (d *Deliveries) Send(ctx context.Context, l mail.Letter) (never bool, err error) {
	server := d.settings().Mail
	if server == nil {
		return false, ErrNoServer
	}
	err = server.Send(ctx, l)
	var f *attempt.Failure
	return errors.As(err, &f) && f.Never, err
}
