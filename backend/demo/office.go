package demo

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// office is what all visitors of the shop share: its forms, and the telephone platform that calls them back.
type office struct {
	shop      site.Site
	at        time.Time
	forms     *form.Forms
	callbacks *callback.Callbacks
	order     string // the last that the platform was given
}

// errand is something for which the office is needed. Those of a day are done in their order, whoever of the workers has them.
type errand struct {
	at time.Time
	do func(ctx context.Context, o *office) error
}

func newOffice(ctx context.Context, d *db.DB, keys *key.Keys, shop site.Site) (*office, error) {
	o := &office{shop: shop}
	now := func() time.Time { return o.at }
	visits, err := visit.Open(ctx, visit.Subjects{DB: d, Keys: keys}, now)
	if err != nil {
		return nil, err
	}
	o.forms = form.New(d, now)
	o.callbacks, err = callback.Open(ctx, callback.Subjects{
		DB: d, Queue: queue.New(d, d.Logger()), Visits: visits, Groups: group.New(d, now),
		Diallers: func() []telephony.Dialler { return []telephony.Dialler{o} },
		Key:      func(context.Context, int64) (string, error) { return o.shop.Key, nil },
	}, now, d.Logger())
	return o, err
}

// do does what the workers have for the office on the day, which is so many days before the last.
func (o *office) do(ctx context.Context, day time.Time, before int, crew []*worker) error {
	var all []errand
	if before == failing { // somebody of the shop tries the form, so it is known also where no visitor has sent one
		all = append(all, errand{day.Add(18 * time.Hour), func(ctx context.Context, o *office) error { return o.answers(ctx, orders, broken) }})
	}
	for _, w := range crew {
		all = append(all, w.errands...)
		w.errands = nil
	}
	slices.SortStableFunc(all, func(a, b errand) int { return a.at.Compare(b.at) })
	for _, e := range all {
		o.at = e.at
		if err := e.do(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// The forms of the shop, and how it answers them. failing is how many days before the last it fails with orders.
const (
	orders, letters = "/order", "/contact"
	taken           = http.StatusSeeOther
	broken          = http.StatusInternalServerError
	failing         = 0
)

// fieldsOf are the names of the forms' fields.
var fieldsOf = map[string][]string{orders: {"items", "name", "phone", "email", "message"}, letters: {"your-name", "phone", "mail", "city", "message"}}

// answers notes how the shop has answered a form.
func (o *office) answers(ctx context.Context, path string, status int) error {
	o.forms.Note(o.shop.ID, form.Answer{Path: path, Status: status, Fields: fieldsOf[path], Kept: true})
	return o.forms.Store(ctx)
}

// callsBack calls a visitor back, who talks for so many seconds, or does not answer.
func (o *office) callsBack(ctx context.Context, asked callback.Asked, talk int64) error {
	result, err := o.callbacks.Order(ctx, asked, callback.Settings{Phone: printed, Repeat: new(int)})
	if err != nil || result.Status != callback.Sent {
		return err
	}
	steps := []telephony.Progress{{Step: telephony.VisitorRings}, {Step: telephony.Talking}, {Step: telephony.Ended, Outcome: telephony.Talked, Talk: talk}}
	if talk == 0 {
		steps = []telephony.Progress{{Step: telephony.VisitorRings}, {Step: telephony.Ended, Outcome: telephony.VisitorNoAnswer, Talk: telephony.Untold}}
	}
	for _, step := range steps {
		o.at = o.at.Add(10*time.Second + time.Duration(max(step.Talk, 0))*time.Second)
		step.Order = o.order
		if err := o.callbacks.Progress(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Name is that of the telephone platform.
func (o *office) Name() string { return "webhook" }

// Place takes an order, which is carried out afterwards.
func (o *office) Place(_ context.Context, order telephony.Order) error {
	o.order = order.ID
	return nil
}

// Cancel has nothing to end.
func (o *office) Cancel(context.Context, string) error { return nil }
