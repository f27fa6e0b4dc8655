package main

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	printed  = "74951234567"
	tracking = "74957654321"
	pooled   = "74957650001"
)

// ring is a call of the day.
type ring struct {
	id             string
	ago            time.Duration
	called, caller string
	events         []telephony.Event // after its start, each so many seconds behind it
}

func told(kind telephony.Kind, after int64) telephony.Event {
	return telephony.Event{Kind: kind, At: time.Unix(after, 0), Talk: telephony.Untold, Wait: telephony.Untold}
}

func over(after int64, status telephony.Status, price string) telephony.Event {
	e := told(telephony.End, after)
	e.Status, e.Price, e.Currency = status, price, "RUB"
	return e
}

var rings = []ring{
	{"endless", 6 * time.Hour, tracking, "79165550121", []telephony.Event{told(telephony.Answer, 12)}},
	{"stray", 2 * time.Hour, "78125550111", "79215550100", []telephony.Event{over(7, telephony.Busy, "")}},
	{"client", 20 * time.Minute, tracking, "74955550167", []telephony.Event{told(telephony.Answer, 8), over(192, telephony.Answered, "12.40"), {Kind: telephony.Record, At: time.Unix(200, 0), Talk: telephony.Untold, Wait: telephony.Untold, Recording: "https://pbx.example/calls/1.mp3"}}},
	{"hidden", 8 * time.Minute, tracking, "", []telephony.Event{over(31, telephony.Missed, "")}},
	{"shown", 40 * time.Second, pooled, "79035550109", []telephony.Event{told(telephony.Answer, 5)}},
	{"office", 10 * time.Second, printed, "79265550133", nil},
}

// ringing stores the calls of the day. The visitor has been shown the pool's number.
func ringing(ctx context.Context, database *db.DB, visits *visit.Visits, site int64, who visit.Ref, began time.Time) error {
	at := began.Add(-time.Hour)
	now := func() time.Time { return at }
	numbers := []number.Declared{{Digits: printed, Tracking: []string{tracking, pooled}, Conditions: map[string]string{tracking: "utm_source=news*"}}}
	if err := database.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		return inventory.New(database, now).Declare(ctx, tx, "pictures", map[int64][]number.Declared{site: numbers})
	}); err != nil {
		return err
	}
	leases := lease.New(database, now, nil)
	pool := &number.Pool{Name: "spring", Digits: []string{pooled}}
	if err := pool.Complete(); err != nil {
		return err
	}
	at = began.Add(-time.Minute)
	if _, _, err := leases.Take(ctx, lease.Want{Site: site, Visitor: who.Visitor, Visit: who.Visit, Replaces: printed, Pool: pool}); err != nil {
		return err
	}
	calls := call.New(call.Subjects{DB: database, Visits: visits, Leases: leases}, now)
	for _, r := range rings {
		start := told(telephony.Start, 0)
		start.Called, start.Caller = r.called, r.caller
		for _, e := range append([]telephony.Event{start}, r.events...) {
			at = began.Add(time.Duration(e.At.Unix())*time.Second - r.ago)
			e.Platform, e.Call, e.At = "webhook", r.id, at
			if _, _, err := calls.Take(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}
