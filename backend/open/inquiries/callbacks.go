package inquiries

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Callback is a call back to a visitor.
type Callback struct {
	Site      string     `json:"site" doc:"The key of the site."`
	ID        int64      `json:"id" doc:"The callback's number. No number is used twice."`
	State     string     `json:"state" enum:"waiting,calling_operator,calling_visitor,talking,done,no_answer,failed,closed"`
	Reason    string     `json:"reason" doc:"A code: why it has failed, or how the last attempt has ended."`
	Phone     string     `json:"phone" doc:"The visitor's number: digits in international form."`
	GroupID   int64      `json:"group_id" doc:"The requested group of operators; 0 for none."`
	WantedAt  *time.Time `json:"wanted_at" doc:"The requested time; null for at once."`
	CreatedAt time.Time  `json:"created_at"`
	ChangedAt time.Time  `json:"changed_at"`
	DueAt     *time.Time `json:"due_at" doc:"The time of the next attempt; null for none."`
	EndedAt   *time.Time `json:"ended_at" doc:"Null while it has not ended."`
	Attempts  int        `json:"attempts" doc:"How many attempts have begun."`
	Most      int        `json:"most" doc:"How many there are at most."`
	Operator  string     `json:"operator" doc:"The number that is called first: digits."`
	Talk      *int64     `json:"talk" doc:"How long they talked, in seconds; null if that is not known."`
	URL       string     `json:"url" doc:"The address of the page from which it was requested."`
	VisitorID string     `json:"visitor_id" doc:"As in the browser interface; empty if the visitor is not known."`
	VisitID   string     `json:"visit_id"`
}

// Step is a step in the course of a callback.
type Step struct {
	At      time.Time `json:"at"`
	Attempt int       `json:"attempt"`
	Kind    string    `json:"kind"`
	Detail  string    `json:"detail" doc:"An outcome, a code, or the words of a platform."`
	By      string    `json:"by" doc:"The login of the operator, or the name of the program, that did it; empty for others."`
}

// WholeCallback is a callback with its steps.
type WholeCallback struct {
	Callback
	Steps []Step `json:"steps" nullable:"false" doc:"In their order."`
}

func callbackOf(c callback.Callback, key string) Callback {
	told := Callback{
		Site: key, ID: c.ID, State: string(c.State), Reason: c.Reason, Phone: c.Phone, GroupID: c.GroupID, WantedAt: moment(c.WantedAt), CreatedAt: c.CreatedAt.UTC(),
		ChangedAt: c.ChangedAt.UTC(), DueAt: moment(c.DueAt), EndedAt: moment(c.EndedAt), Attempts: c.Attempts, Most: c.Most, Operator: c.Operator, URL: c.URL,
		VisitorID: id(c.Visitor), VisitID: id(c.Visit),
	}
	if c.Talk >= 0 {
		told.Talk = &c.Talk
	}
	return told
}

type callbacksInput struct {
	Site   string   `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	States []string `query:"state" enum:"waiting,calling_operator,calling_visitor,talking,done,no_answer,failed,closed" maxItems:"8" doc:"Several with commas between them."`
	Digits string   `query:"digits" pattern:"^[0-9]*$" maxLength:"20" doc:"Digits of the visitor's number; a part is enough."`
	frame.PageInput
}

type callbacksOutput struct {
	Body struct {
		Callbacks []Callback `json:"callbacks" nullable:"false" doc:"Newest first."`
		Next      string     `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

type callbackOutput struct{ Body WholeCallback }

type newCallbackInput struct {
	Site string `path:"site" maxLength:"64" doc:"The key of the site."`
	Body struct {
		Phone   string     `json:"phone" minLength:"1" maxLength:"40" doc:"The number to call, in any writing."`
		GroupID int64      `json:"group_id,omitempty" minimum:"0" doc:"The group of operators that is called first; 0 for none."`
		Time    *time.Time `json:"time,omitempty" doc:"When to call, within 30 days; without it, now."`
	}
}

type postponeInput struct {
	frame.ThingInput
	Body struct {
		Until time.Time `json:"until" doc:"When to call, within 30 days."`
	}
}

func (r *room) mountCallbacks() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "callbacks", ID: "listCallbacks", Subject: "Callbacks", Opens: token.ReadCallbacks,
		Summary: "List callbacks", Description: "The calls back to visitors of the sites that the token opens, newest first.",
	}, r.listCallbacks)
	mistakes := frame.Mistakes{callback.ErrUnknown: notFound, callback.ErrState: conflict, callback.ErrTime: wrong, request.ErrPhone: wrong, request.ErrType: wrong}
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/callbacks/{id}", ID: "getCallback", Subject: "Callbacks", Opens: token.ReadCallbacks, Mistakes: mistakes,
		Summary: "Get a callback", Description: "One callback with its steps.",
	}, func(ctx context.Context, in *frame.ThingInput) (*callbackOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		return r.wholeCallback(ctx, s, in.ID)
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites/{site}/callbacks", ID: "makeCallback", Subject: "Callbacks", Opens: token.WriteCallbacks, Mistakes: mistakes,
		Summary: "Call somebody", Description: "First the operators are called, and then the number. A callback that cannot be made is kept as failed, with its reason.",
	}, r.makeCallback)
	change := func(path, name, summary, description string, do func(ctx context.Context, s site.Site, id int64, by string) error) {
		frame.Add(r.Frame, frame.Operation{
			Method: "POST", Path: "sites/{site}/callbacks/{id}/" + path, ID: name, Subject: "Callbacks", Opens: token.WriteCallbacks, Mistakes: mistakes, Does: true,
			Summary: summary, Description: description,
		}, func(ctx context.Context, in *frame.ThingInput) (*callbackOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err == nil {
				err = do(ctx, s, in.ID, frame.Actor(ctx).By)
			}
			if err != nil {
				return nil, err
			}
			return r.wholeCallback(ctx, s, in.ID)
		})
	}
	change("call", "callNow", "Call now", "It is called at once, with one more attempt at least.", func(ctx context.Context, s site.Site, id int64, by string) error {
		_, err := r.Callbacks.Call(ctx, s.ID, id, by, r.callbackSettings(s))
		return err
	})
	change("close", "closeCallback", "Close a callback", "No more calls are made.", func(ctx context.Context, s site.Site, id int64, by string) error {
		return r.Callbacks.Close(ctx, s.ID, id, by)
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites/{site}/callbacks/{id}/postpone", ID: "postponeCallback", Subject: "Callbacks", Opens: token.WriteCallbacks, Mistakes: mistakes, Does: true,
		Summary: "Postpone a callback", Description: "It is called at the time instead.",
	}, func(ctx context.Context, in *postponeInput) (*callbackOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err == nil {
			err = r.Callbacks.Postpone(ctx, s.ID, in.ID, in.Body.Until, frame.Actor(ctx).By)
		}
		if err != nil {
			return nil, err
		}
		return r.wholeCallback(ctx, s, in.ID)
	})
}

// callbackSettings are those in effect for the site.
func (r *room) callbackSettings(s site.Site) callback.Settings {
	if set := r.Effective(s).Callback; set != nil {
		return *set
	}
	return callback.Settings{}
}

func (r *room) wholeCallback(ctx context.Context, s site.Site, id int64) (*callbackOutput, error) {
	c, err := r.Callbacks.Get(ctx, s.ID, id)
	if err != nil {
		return nil, err
	}
	steps, err := r.Callbacks.Steps(ctx, s.ID, id)
	if err != nil {
		return nil, err
	}
	whole := WholeCallback{callbackOf(c, s.Key), make([]Step, len(steps))}
	for i, step := range steps {
		whole.Steps[i] = Step{At: step.At.UTC(), Attempt: step.Attempt, Kind: step.Kind, Detail: step.Detail, By: step.By}
	}
	return &callbackOutput{whole}, nil
}

func (r *room) makeCallback(ctx context.Context, in *newCallbackInput) (*callbackOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	by := callback.By{SiteID: s.ID, Login: frame.Actor(ctx).By, Phone: in.Body.Phone, GroupID: in.Body.GroupID, Region: r.Region(ctx, s.ID)}
	if by.GroupID != 0 {
		if _, err := r.team(ctx, s.ID, by.GroupID); err != nil {
			return nil, err
		}
	}
	if in.Body.Time != nil {
		by.Time = *in.Body.Time
		if r.Now().Sub(by.Time) > time.Minute { // a slip of the calendar must ring nobody
			return nil, callback.ErrTime
		}
	}
	made, _, err := r.Callbacks.Make(ctx, by, r.callbackSettings(s))
	if err != nil {
		return nil, err
	}
	return r.wholeCallback(ctx, s, made.ID)
}

func (r *room) listCallbacks(ctx context.Context, in *callbacksInput) (*callbacksOutput, error) {
	sites, err := r.among(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	list := frame.ListOf("callbacks", in.Site, in.States, in.Digits)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	f := callback.Filter{Sites: sites, Digits: in.Digits}
	f.Behind.At, f.Behind.ID = behind.At()
	for _, state := range in.States {
		f.States = append(f.States, callback.State(state))
	}
	callbacks, err := r.Callbacks.List(ctx, f, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := new(callbacksOutput)
	callbacks, out.Body.Next = frame.Cut(list, callbacks, in.Limit, func(c callback.Callback) frame.Place { return frame.PlaceAt(c.Cursor().At, c.ID) })
	out.Body.Callbacks = make([]Callback, len(callbacks))
	for i, c := range callbacks {
		key, err := r.Key(ctx, c.SiteID)
		if err != nil {
			return nil, err
		}
		out.Body.Callbacks[i] = callbackOf(c, key)
	}
	return out, nil
}
