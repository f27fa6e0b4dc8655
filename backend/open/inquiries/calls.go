package inquiries

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Call is a telephone call, as far as its platform has reported it.
type Call struct {
	Site       string `json:"site" doc:"The key of the site."`
	ID         int64  `json:"id" doc:"The call's number. No number is used twice."`
	Platform   string `json:"platform"`
	PlatformID string `json:"platform_id" doc:"The platform's own identifier of the call."`
	Called     string `json:"called" doc:"The number that was called: digits in international form."`
	Caller     string `json:"caller" doc:"The caller's number in the same form; empty if it is withheld."`
	Replaces   string `json:"replaces" doc:"The printed number for which the called one stands; empty if that is not known."`

	StartedAt  time.Time  `json:"started_at"`
	AnsweredAt *time.Time `json:"answered_at" doc:"Null if that was not reported."`
	EndedAt    *time.Time `json:"ended_at" doc:"Null if that was not reported."`
	State      string     `json:"state" doc:"How it ended; before that ringing, talking, redirected, or endless when no end was reported for hours."`
	IsLost     bool       `json:"is_lost" doc:"It is over and nobody has spoken."`
	Talk       *int64     `json:"talk" doc:"How long people spoke, in seconds; null if that is not known."`
	Wait       *int64     `json:"wait" doc:"How long it rang, in seconds; null if that is not known."`
	Recording  string     `json:"recording" doc:"The address of a recording. It comes from the platform: open it with care."`
	Price      string     `json:"price"`
	Currency   string     `json:"currency"`

	First      bool          `json:"first" doc:"No earlier call of this caller to the site is known."`
	Reason     string        `json:"reason" doc:"Why it belongs to its visitor or campaign." enum:"known_shown,known,shown,shown_before,shown_many,campaign,printed,pooled,unknown"`
	Confidence string        `json:"confidence" enum:"high,medium,low,none"`
	VisitorID  string        `json:"visitor_id" doc:"As in the browser interface; empty if the visitor is not known."`
	VisitID    string        `json:"visit_id"`
	Source     source.Source `json:"source" doc:"What brought the caller: that of the visit, or what the called number tells."`
	LeadID     int64         `json:"lead_id" doc:"The lead that the call has become; 0 for none."`
}

func (r *room) callOf(c call.Call, key string) Call {
	told := Call{
		Site: key, ID: c.ID, Platform: c.Platform, PlatformID: c.PlatformID, Called: c.Called, Caller: c.Caller, Replaces: c.Replaces,
		StartedAt: c.StartedAt.UTC(), AnsweredAt: moment(c.AnsweredAt), EndedAt: moment(c.EndedAt), State: string(c.State(r.Now())), IsLost: c.Lost(),
		Recording: c.Recording, Price: c.Price, Currency: c.Currency, First: c.First, Reason: string(c.Reason), Confidence: string(c.Confidence),
		VisitorID: id(c.Visitor), VisitID: id(c.Visit), Source: c.SourceOrCampaign(), LeadID: c.LeadID,
	}
	if talked, known := c.Talked(); known {
		told.Talk = new(int64(talked / time.Second))
	}
	if waited, known := c.Waited(); known {
		told.Wait = new(int64(waited / time.Second))
	}
	return told
}

// moment is the time in UTC; nil for none.
func moment(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return new(at.UTC())
}

type callsInput struct {
	Site       string    `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	Outcome    string    `query:"outcome" enum:"answered,lost"`
	Confidence string    `query:"confidence" enum:"high,medium,low,none"`
	Source     string    `query:"source" maxLength:"40" doc:"The kind of the caller's source."`
	Number     string    `query:"number" maxLength:"40" doc:"A part of the caller's, the called or the printed number, in any writing."`
	Since      time.Time `query:"since" doc:"Calls that began at this time or later."`
	Until      time.Time `query:"until" doc:"Calls that began before this time."`
	frame.PageInput
}

type callsOutput struct {
	Body struct {
		Calls []Call `json:"calls" nullable:"false" doc:"Newest first."`
		Next  string `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

type callOutput struct{ Body Call }

func (r *room) mountCalls() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "calls", ID: "listCalls", Subject: "Calls", Opens: token.ReadCalls,
		Summary: "List calls", Description: "The telephone calls to the sites that the token opens, newest first.",
	}, r.listCalls)
	mistakes := frame.Mistakes{call.ErrUnknown: notFound}
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/calls/{id}", ID: "getCall", Subject: "Calls", Opens: token.ReadCalls, Mistakes: mistakes,
		Summary: "Get a call", Description: "One call, as far as its platform has reported it.",
	}, func(ctx context.Context, in *frame.ThingInput) (*callOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		c, err := r.Calls.Get(ctx, s.ID, in.ID)
		return &callOutput{r.callOf(c, s.Key)}, err
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites/{site}/calls/{id}/lead", ID: "makeLeadOfCall", Subject: "Calls", Opens: token.WriteCalls, Mistakes: mistakes, Does: true,
		Summary: "Make a lead of a call", Description: "A call that is a lead already stays that lead.",
	}, func(ctx context.Context, in *frame.ThingInput) (*leadMade, error) {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		made, err := r.Calls.MakeLead(ctx, s.ID, in.ID)
		out := new(leadMade)
		out.Body.LeadID = made.ID
		return out, err
	})
}

var errNumber = errors.New("expected a part of a telephone number: 1 to 20 digits")

func (r *room) listCalls(ctx context.Context, in *callsInput) (*callsOutput, error) {
	sites, err := r.among(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	f := call.Filter{
		Sites: sites, Outcome: call.Outcome(in.Outcome), Confidence: call.Confidence(in.Confidence), Source: in.Source, Number: in.Number, Since: in.Since, Until: in.Until,
	}
	if f.Check() != nil || strings.TrimSpace(in.Number) != "" && len(call.Parts(in.Number)) == 0 {
		return nil, frame.Wrong("query.number", errNumber, in.Number)
	}
	list := frame.ListOf("calls", in.Site, in.Outcome, in.Confidence, in.Source, in.Number, in.Since, in.Until)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	at, id := behind.At()
	calls, err := r.Calls.List(ctx, f, call.Cursor{At: at, ID: id}, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := new(callsOutput)
	calls, out.Body.Next = frame.Cut(list, calls, in.Limit, func(c call.Call) frame.Place { return frame.PlaceAt(c.Cursor().At, c.ID) })
	out.Body.Calls = make([]Call, len(calls))
	for i, c := range calls {
		key, err := r.Key(ctx, c.SiteID)
		if err != nil {
			return nil, err
		}
		out.Body.Calls[i] = r.callOf(c, key)
	}
	return out, nil
}
