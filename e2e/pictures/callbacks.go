package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// exchange is the telephone platform of the day, which remembers its last order.
type exchange struct {
	order string
	fails bool
}

func (e *exchange) Name() string { return "webhook" }

func (e *exchange) Place(_ context.Context, o telephony.Order) error {
	if e.order = o.ID; e.fails {
		return errors.New("the platform has answered with the status 503")
	}
	return nil
}

func (e *exchange) Cancel(context.Context, string) error { return nil }

// wish is a callback of the day.
type wish struct {
	guest      int
	ago        time.Duration
	phone, url string
	in         time.Duration // when the visitor wants to be called
	fails      bool
	told       []telephony.Progress
}

func ended(outcome telephony.Outcome, talk int64) telephony.Progress {
	return telephony.Progress{Step: telephony.Ended, Outcome: outcome, Talk: talk}
}

var (
	rings1 = telephony.Progress{Step: telephony.OperatorRings, Talk: telephony.Untold}
	rings2 = telephony.Progress{Step: telephony.VisitorRings, Talk: telephony.Untold}
	talk   = telephony.Progress{Step: telephony.Talking, Talk: telephony.Untold}
)

var wishes = []wish{
	{0, 25 * time.Hour, "+7 916 555-01-21", shop + "/lamps/arc.html", 0, false, []telephony.Progress{rings1, rings2, talk, ended(telephony.Talked, 154)}},
	{2, 3 * time.Hour, "+7 495 555-01-44", shop + "/order.html", 0, true, nil},
	{1, 50 * time.Minute, "+7 921 555-01-00", shop + "/?utm_source=news&utm_medium=mail&utm_campaign=autumn", 26 * time.Hour, false, nil},
	{3, 6 * time.Minute, "+7 903 555-01-09", shop + "/lamps/pebble.html", 0, false, []telephony.Progress{rings1, rings2, ended(telephony.VisitorBusy, telephony.Untold)}},
	{5, 90 * time.Second, "+7 926 555-01-33", shop + "/lamps/lantern.html", 0, false, []telephony.Progress{rings1, rings2, talk}},
}

// callingBack stores the callbacks of the day.
func callingBack(ctx context.Context, database *db.DB, visits *visit.Visits, site int64, refs []visit.Ref, began time.Time) (page string, err error) {
	at := began
	now := func() time.Time { return at }
	pbx := new(exchange)
	callbacks, err := callback.Open(ctx, callback.Subjects{
		DB: database, Queue: queue.New(database, zap.NewNop()), Visits: visits, Groups: group.New(database, now),
		Diallers: func() []telephony.Dialler { return []telephony.Dialler{pbx} },
		Key:      func(context.Context, int64) (string, error) { return "demo-shop", nil },
	}, now, zap.NewNop())
	if err != nil {
		return "", err
	}
	settings := callback.Settings{Phone: printed}
	for i, w := range wishes {
		at, pbx.fails = began.Add(-w.ago), w.fails
		asked := callback.Asked{SiteID: site, Ref: refs[w.guest], URL: w.url, ID: fmt.Sprint("day-", i), Region: "RU", Request: request.Request{Phone: w.phone}}
		if w.in > 0 {
			asked.Time = began.Add(w.in)
		}
		if _, err := callbacks.Order(ctx, asked, settings); err != nil {
			return "", err
		}
		for _, p := range w.told {
			at = at.Add(9 * time.Second)
			p.Order, p.At = pbx.order, at
			if err := callbacks.Progress(ctx, p); err != nil {
				return "", err
			}
		}
	}
	// By hand, and nobody answers: the page that is shown whole.
	at = began.Add(-40 * time.Minute)
	made, _, err := callbacks.Make(ctx, callback.By{SiteID: site, Login: login, Ref: refs[4], Phone: "+7 812 555-01-11", Region: "RU"}, settings)
	if err != nil {
		return "", err
	}
	for range 2 {
		for _, p := range []telephony.Progress{rings1, rings2, ended(telephony.VisitorNoAnswer, telephony.Untold)} {
			at = at.Add(12 * time.Second)
			p.Order, p.At = pbx.order, at
			if err := callbacks.Progress(ctx, p); err != nil {
				return "", err
			}
		}
		at = at.Add(5 * time.Minute)
		if err := callbacks.Look(ctx, site, made.ID); err != nil {
			return "", err
		}
	}
	if err := callbacks.Progress(ctx, telephony.Progress{Order: pbx.order, Step: telephony.Ended, Outcome: telephony.OrderFailed, Reason: "Q.850 34", Talk: telephony.Untold, At: at}); err != nil {
		return "", err
	}
	if err := callbacks.Postpone(ctx, site, made.ID, began.Add(2*time.Hour).Truncate(time.Minute), login); err != nil {
		return "", err
	}
	return fmt.Sprintf("/callbacks/%d/%d", site, made.ID), nil
}
