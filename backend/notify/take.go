package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// reader is the name under which the journal is read.
const reader = "deliveries"

// releaseEvery is how often what waits at endpoints that are not paused any more is
// looked for: a node may have died while it was at it.
const releaseEvery = time.Minute

// calls are the events of what was told of a call.
var calls = map[telephony.Kind]Event{telephony.Start: CallStarted, telephony.Answer: CallAnswered, telephony.End: CallEnded, telephony.Record: CallRecorded}

// Run notes what the journal says until ctx ends.
func (d *Deliveries) Run(ctx context.Context) {
	done := make(chan struct{})
	aside.Go(d.logger, "releasing deliveries", func() {
		defer close(done)
		every := time.NewTicker(releaseEvery)
		defer every.Stop()
		for {
			if err := d.release(ctx); err != nil && ctx.Err() == nil {
				d.logger.Warn("releasing deliveries failed", zap.Error(err))
			}
			select {
			case <-ctx.Done():
				return
			case <-every.C:
			}
		}
	})
	d.Journal.Reader(reader, d.take, func(err error) {
		d.logger.Warn("noting deliveries failed", zap.Error(err))
	}).Run(ctx)
	<-done
}

// eventOf is what the entry tells endpoints; empty for nothing.
func eventOf(e journal.Entry) Event {
	var said struct {
		IsSale bool           `json:"is_sale"`
		Event  telephony.Kind `json:"event"`
		Deed   string         `json:"deed"`
		Was    string         `json:"was"`
	}
	switch e.Kind {
	case lead.Added:
		if json.Unmarshal(e.Data, &said) == nil && said.IsSale {
			return SaleAdded
		}
		return LeadAdded
	case lead.Changed:
		if json.Unmarshal(e.Data, &said) == nil && said.Deed == "sale" && said.Was == "" {
			return SaleAdded
		}
	case call.Told:
		if json.Unmarshal(e.Data, &said) == nil {
			return calls[said.Event]
		}
	case incident.Begun, incident.Over:
		return Event(e.Kind)
	case EndpointTested:
		return Test
	}
	return ""
}

// take notes the entries' deliveries, and has them done.
func (d *Deliveries) take(ctx context.Context, tx db.Tx, entries []journal.Entry) error {
	sites := make(map[int64][]Endpoint)
	var rows []Delivery
	for _, entry := range entries {
		event, out := eventOf(entry), d.outOf(entry)
		if entry.SiteID == 0 || event == "" && out == "" && entry.Kind != EndpointAdded {
			continue
		}
		if _, read := sites[entry.SiteID]; !read {
			there, err := endpoints(ctx, tx, entry.SiteID)
			if err != nil {
				return err
			}
			sites[entry.SiteID] = there
		}
		for i := range sites[entry.SiteID] {
			e := &sites[entry.SiteID][i]
			if entry.Kind == EndpointAdded && entry.SubjectID == e.ID {
				e.begun = true
				if _, err := tx.Exec(ctx, `UPDATE endpoints SET begun = TRUE WHERE site_id = $1 AND id = $2`, e.SiteID, e.ID); err != nil {
					return fmt.Errorf("noting deliveries: %w", err)
				}
			}
			event := event
			if e.IsOut() {
				event = out
			}
			if event == "" || !e.wants(event, entry) {
				continue
			}
			row := Delivery{SiteID: e.SiteID, EndpointID: e.ID, Entry: entry.Seq, Event: event, Subject: entry.SubjectID, At: entry.At, State: waiting, kind: e.Kind}
			if event.ofIncident() {
				row.data = entry.Data
			} else if event.ofCall() || e.IsOut() { // what is told of a call keeps its order, and what is sent and taken back
				row.lane = row.Subject
			}
			if !e.PausedAt.IsZero() {
				row.State = held
			}
			rows = append(rows, row)
		}
	}
	return d.insert(ctx, tx, rows)
}

// wants reports whether the endpoint is told of the entry.
func (e *Endpoint) wants(event Event, entry journal.Entry) bool {
	if event == Test {
		return entry.SubjectID == e.ID
	}
	if e.IsOut() {
		return e.begun && (event == TakenBack || event == GivenBack || slices.Contains(e.Events, event))
	}
	if event.ofIncident() && e.isAbout(entry) {
		return false // it would hear of itself when that is over
	}
	if e.Kind == Mail && entry.Kind == lead.Added && lead.CameAsSpam(entry) {
		return false // systems are told of its marks, and people are left alone
	}
	return e.begun && slices.Contains(e.Events, event)
}

// isAbout reports whether the entry tells of an incident of the endpoint itself.
func (e *Endpoint) isAbout(entry journal.Entry) bool {
	var news incident.News
	return json.Unmarshal(entry.Data, &news) == nil && news.Kind == incident.Endpoint && news.About == e.about()
}

// about is what incidents of the endpoint are about.
func (e Endpoint) about() string { return strconv.FormatInt(e.ID, 10) }

// insert adds the deliveries, and jobs for those that wait.
func (d *Deliveries) insert(ctx context.Context, tx db.Tx, rows []Delivery) error {
	noted := d.now().UnixMilli()
	type row struct {
		site, endpoint, entry int64
		event                 string
		subject               int64
		data                  string
		at                    int64
		state                 string
	}
	stored := make([]row, len(rows))
	for i, r := range rows {
		stored[i] = row{r.SiteID, r.EndpointID, r.Entry, string(r.Event), r.Subject, string(r.data), r.At.UnixMilli(), string(r.State)}
	}
	for some := range db.Parts(stored) {
		values, args := db.Values(some, func(r *row) []any {
			return []any{&r.site, &r.endpoint, &r.entry, &r.event, &r.subject, &r.data, &r.at, &r.state}
		}, noted)
		if _, err := tx.Exec(ctx, `INSERT INTO deliveries (site_id, endpoint_id, entry, event, subject_id, data, at, state, noted_at, attempts, status, reason, detail, tried_at)
			SELECT v.*, CAST($1 AS BIGINT), 0, 0, '', '', 0 FROM (`+values+`) AS v`, args...); err != nil {
			return fmt.Errorf("noting deliveries: %w", err)
		}
	}
	var jobs []queue.Job
	for _, r := range rows {
		if r.State == waiting {
			jobs = append(jobs, r.job())
		}
	}
	return queue.Add(ctx, tx, jobs...)
}

// reference is what a job says of its delivery.
type reference struct {
	Endpoint int64 `json:"endpoint"`
	Entry    int64 `json:"entry"`
}

// mailbag is the target of all mails: one server takes them.
const mailbag = "server"

// job has the delivery done.
func (r Delivery) job() queue.Job {
	payload, err := json.Marshal(reference{r.EndpointID, r.Entry})
	if err != nil { // numbers do not fail
		panic(err)
	}
	job := queue.Job{SiteID: r.SiteID, Kind: string(r.kind), Target: strconv.FormatInt(r.EndpointID, 10), Lane: r.lane, Payload: payload}
	if r.kind == Mail {
		job.Target, job.Lane = mailbag, 0
	}
	return job
}
