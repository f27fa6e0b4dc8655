package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/template"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// sent are the deliveries of the day, by the endpoint's place in the list.
var sent = []struct {
	endpoint, attempts, status   int
	event, state, reason, detail string
	ago                          time.Duration
}{
	{0, 1, 200, "lead.added", "delivered", "", "", 26 * time.Hour},
	{1, 10, 500, "call.ended", "failed", "status", "", 25 * time.Hour},
	{1, 1, 410, "sale.added", "held", "gone", "", 3 * time.Hour},
	{2, 1, 550, "lead.added", "failed", "smtp", "550 5.1.1 <former-colleague@shop.example>: Recipient address rejected: User unknown in local recipient table", 2 * time.Hour},
	{3, 1, 200, "incident.begun", "delivered", "", "", time.Hour},
	{0, 3, 503, "lead.added", "waiting", "status", "", 20 * time.Minute},
	{0, 2, 0, "call.recorded", "waiting", "timeout", "", 5 * time.Minute},
	{2, 0, 0, "test", "dropped", "", "", time.Minute},
}

// delivering adds endpoints to the shop, and what was sent there. None of it is sent.
func delivering(ctx context.Context, database *db.DB, sites *site.Sites, s site.Site, began time.Time) error {
	at := func() time.Time { return began }
	d := notify.New(notify.Subjects{DB: database, Journal: journal.New(database), Queue: queue.New(database, zap.NewNop()), Sites: sites},
		func() notify.Settings { return notify.Settings{} }, nil, at, zap.NewNop())
	var ids []int64
	for _, e := range []notify.Endpoint{
		{Kind: notify.Webhook, Address: "https://crm.shop.example/hooks/frontdesk", Events: notify.Events},
		{Kind: notify.Webhook, Address: "https://the-former-system-of-the-shop-with-lamps-and-lanterns.example/hooks", Events: []notify.Event{notify.SaleAdded, notify.CallEnded}},
		{Kind: notify.Mail, Address: "former-colleague@shop.example", Events: []notify.Event{notify.LeadAdded}},
		{Kind: notify.Webhook, Address: "https://api.telegram.org/bot123:abc/sendMessage", Events: []notify.Event{notify.LeadAdded, notify.SaleAdded, notify.Begun},
			ContentType: template.JSON, Template: `{"chat_id": "-100123", "text": "{{.event}}: {{.name}} {{.phone}}"}`},
	} {
		e.SiteID, e.Language = s.ID, "en"
		made, _, err := d.Endpoints.Add(ctx, e, login)
		if err != nil {
			return err
		}
		ids = append(ids, made.ID)
	}
	if _, err := d.Endpoints.Rotate(ctx, s.ID, ids[0], login); err != nil {
		return err
	}
	return database.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for i, one := range sent {
			when := began.Add(-one.ago).UnixMilli()
			if _, err := tx.Exec(ctx, `INSERT INTO deliveries (site_id, endpoint_id, entry, event, subject_id, data, at, noted_at, state, attempts, status, reason, detail, tried_at)
				VALUES ($1, $2, $3, $4, 1, '', $5, $5, $6, $7, $8, $9, $10, $5)`,
				s.ID, ids[one.endpoint], i+1, one.event, when, one.state, one.attempts, one.status, one.reason, one.detail); err != nil {
				return err
			}
		}
		for _, wrong := range []struct {
			ago   time.Duration
			kind  incident.Kind
			about string
			name  string
		}{{3 * time.Hour, incident.Endpoint, "2", "the-former-system-of-the-shop-with-lamps-and-lanterns.example"}, {40 * time.Minute, incident.Form, "/contact.php", "/contact.php"}, {8 * time.Minute, incident.Pool, "moscow", "moscow"}} {
			if err := incident.Note(ctx, tx, incident.Incident{SiteID: s.ID, Kind: wrong.kind, About: wrong.about, Name: wrong.name, Status: 502}, true, began.Add(-wrong.ago)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `UPDATE endpoints SET gone = 1, paused_at = $1 WHERE id = $2`, began.UnixMilli(), ids[1])
		return err
	})
}
