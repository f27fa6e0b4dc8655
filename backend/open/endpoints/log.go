package endpoints

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
)

// Delivery is one event on its way to one endpoint. It names nobody.
type Delivery struct {
	Entry      int64      `json:"entry" doc:"Its number at the endpoint."`
	EndpointID int64      `json:"endpoint_id"`
	Event      string     `json:"event"`
	SubjectID  int64      `json:"subject_id" doc:"The number of the lead or the call; 0 for neither."`
	At         time.Time  `json:"at" doc:"When it happened."`
	State      string     `json:"state"`
	Attempts   int        `json:"attempts"`
	TriedAt    *time.Time `json:"tried_at" doc:"When the last attempt ended; null for none."`
	Status     int        `json:"status" doc:"What was answered last; 0 when there was no answer."`
	Reason     string     `json:"reason" doc:"A code: why it was not delivered."`
	Detail     string     `json:"detail"`
}

type logInput struct {
	frame.SiteInput
	EndpointID int64  `query:"endpoint_id" minimum:"0" doc:"One endpoint; without it, all."`
	State      string `query:"state" enum:"waiting,delivered,failed,held,dropped"`
	frame.PageInput
}

type logOutput struct {
	Body struct {
		Deliveries []Delivery `json:"deliveries" nullable:"false" doc:"The latest first. They are kept for 30 days."`
		Next       string     `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

func (r *room) log(ctx context.Context, in *logInput) (*logOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	list := frame.ListOf("deliveries", in.Site, in.EndpointID, in.State)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	log, err := r.deliveries.Log(ctx, s.ID, in.EndpointID, notify.State(in.State), notify.Cursor{Entry: behind[0], Endpoint: behind[1]}, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := new(logOutput)
	log, out.Body.Next = frame.Cut(list, log, in.Limit, func(d notify.Delivery) frame.Place { return frame.Place{d.Cursor().Entry, d.Cursor().Endpoint} })
	out.Body.Deliveries = make([]Delivery, len(log))
	for i, d := range log {
		out.Body.Deliveries[i] = Delivery{
			Entry: d.Entry, EndpointID: d.EndpointID, Event: string(d.Event), SubjectID: d.Subject, At: d.At.UTC(), State: string(d.State), Attempts: d.Attempts,
			Status: d.Status, Reason: d.Reason, Detail: d.Detail,
		}
		if !d.TriedAt.IsZero() {
			out.Body.Deliveries[i].TriedAt = new(d.TriedAt.UTC())
		}
	}
	return out, nil
}
