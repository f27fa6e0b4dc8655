// Package endpoints is the part of the public API about where the news of sites goes: webhooks and mail addresses, and
// what was delivered there.
package endpoints

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

type room struct {
	*frame.Frame
	deliveries *notify.Deliveries
}

// EndpointSettings is what is said of an endpoint.
type EndpointSettings struct {
	Address     string   `json:"address" minLength:"1" maxLength:"2000" doc:"The URL of a webhook, or an address of mail."`
	Events      []string `json:"events" nullable:"false" minItems:"1" enum:"lead.added,sale.added,call.started,call.answered,call.ended,call.recorded,incident.begun,incident.over" doc:"Those that it is told of."`
	Language    string   `json:"language,omitempty" maxLength:"10" default:"en" doc:"That of texts."`
	Subject     string   `json:"subject,omitempty" maxLength:"1000" doc:"The template of a mail's subject; empty for the usual one."`
	Template    string   `json:"template,omitempty" maxLength:"20000" doc:"That of a mail's text, or of a webhook's body; empty for the usual one."`
	ContentType string   `json:"content_type,omitempty" maxLength:"100" doc:"That of a webhook's own template."`
}

// Endpoint is where a site's news goes.
type Endpoint struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind" doc:"webhook or mail; others are destinations of conversions, which are made and changed as such."`
	EndpointSettings
	CreatedAt time.Time  `json:"created_at"`
	PausedAt  *time.Time `json:"paused_at" doc:"Since when nothing is sent, and what happens waits; null while it is sent."`
	IsGone    bool       `json:"is_gone" doc:"The receiver has answered that it is no more."`
}

func endpointOf(e notify.Endpoint) Endpoint {
	told := Endpoint{ID: e.ID, Kind: string(e.Kind), CreatedAt: e.CreatedAt.UTC(), IsGone: e.Gone, EndpointSettings: EndpointSettings{
		Address: e.Address, Events: []string{}, Language: e.Language, Subject: e.Subject, Template: e.Template, ContentType: e.ContentType,
	}}
	for _, event := range e.Events {
		told.Events = append(told.Events, string(event))
	}
	if !e.PausedAt.IsZero() {
		told.PausedAt = new(e.PausedAt.UTC())
	}
	return told
}

// over is the endpoint with what is said of it.
func (t EndpointSettings) over(e notify.Endpoint) notify.Endpoint {
	e.Address, e.Language, e.Subject, e.Template, e.ContentType, e.Events = t.Address, t.Language, t.Subject, t.Template, t.ContentType, nil
	for _, event := range t.Events {
		if !slices.Contains(e.Events, notify.Event(event)) {
			e.Events = append(e.Events, notify.Event(event))
		}
	}
	return e
}

type endpointsOutput struct {
	Body struct {
		Endpoints []Endpoint `json:"endpoints" nullable:"false" doc:"The oldest first."`
	}
}

type endpointOutput struct {
	ETag string `header:"ETag"`
	Body Endpoint
}

type secretOutput struct {
	ETag string `header:"ETag"`
	Body struct {
		Endpoint
		Secret string `json:"secret" doc:"It signs a webhook's messages, and is not shown again; empty for mail."`
	}
}

type newInput struct {
	frame.SiteInput
	Body struct {
		Kind string `json:"kind" enum:"webhook,mail"`
		EndpointSettings
	}
}

type putInput struct {
	frame.ThingInput
	frame.Match
	Body EndpointSettings
}

type pausedInput struct {
	frame.ThingInput
	Body struct {
		IsPaused bool `json:"is_paused"`
	}
}

type againInput struct {
	frame.ThingInput
	Body struct {
		Entry int64 `json:"entry" minimum:"1" doc:"The number of the delivery at the endpoint."`
	}
}

type failedInput struct {
	frame.ThingInput
	Body struct {
		Since time.Time `json:"since"`
	}
}

type failedOutput struct {
	Body struct {
		Count int `json:"count" doc:"How many are sent."`
	}
}

func answer(e notify.Endpoint) *endpointOutput {
	return &endpointOutput{ETag: frame.VersionTag(e.Version), Body: endpointOf(e)}
}

// Mount adds the operations.
func Mount(f *frame.Frame, deliveries *notify.Deliveries) {
	r := &room{f, deliveries}
	add := func(method, path, id string, opens token.Scope, summary, description string) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/" + path, ID: id, Subject: "Endpoints", Opens: opens, Summary: summary, Description: description, Does: path != "endpoints",
			Mistakes: frame.Mistakes{
				notify.ErrUnknown: http.StatusNotFound, notify.ErrChanged: http.StatusPreconditionFailed, notify.ErrTooMany: http.StatusConflict, errKind: http.StatusConflict,
			},
		}
	}
	frame.Add(f, add("GET", "endpoints", "listEndpoints", token.ReadEndpoints, "List endpoints", "Where the news of a site goes; at most 20."), r.list)
	frame.Add(f, add("GET", "endpoints/{id}", "getEndpoint", token.ReadEndpoints, "Get an endpoint", "One endpoint of a site."),
		func(ctx context.Context, in *frame.ThingInput) (*endpointOutput, error) { return r.get(ctx, in) })
	frame.Add(f, add("POST", "endpoints", "addEndpoint", token.WriteEndpoints, "Add an endpoint", "It is told of what happens from now on."), r.add)
	frame.Add(f, add("PUT", "endpoints/{id}", "setEndpoint", token.WriteEndpoints, "Change an endpoint", "It is as it is said here afterwards. Its kind and its secret stay."), r.change)
	frame.Add(f, add("DELETE", "endpoints/{id}", "removeEndpoint", token.WriteEndpoints, "Remove an endpoint", "What waits for it is not sent."),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			return nil, r.at(ctx, *in, func(e notify.Endpoint, by string) error {
				return r.deliveries.Endpoints.Remove(ctx, e.SiteID, e.ID, by)
			})
		})
	frame.Add(f, add("PUT", "endpoints/{id}/paused", "pauseEndpoint", token.WriteEndpoints, "Pause an endpoint, or go on", "While it is paused, what happens waits."),
		func(ctx context.Context, in *pausedInput) (*endpointOutput, error) {
			if err := r.at(ctx, in.ThingInput, func(e notify.Endpoint, by string) error {
				return r.deliveries.Endpoints.Pause(ctx, e.SiteID, e.ID, in.Body.IsPaused, by)
			}); err != nil {
				return nil, err
			}
			return r.get(ctx, &in.ThingInput)
		})
	frame.Add(f, add("POST", "endpoints/{id}/test", "testEndpoint", token.WriteEndpoints, "Send a test", "It goes the way of all news."),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			return nil, r.at(ctx, *in, func(e notify.Endpoint, by string) error { return r.deliveries.Endpoints.Try(ctx, e.SiteID, e.ID, by) })
		})
	frame.Add(f, add("POST", "endpoints/{id}/secret", "rotateSecret", token.WriteEndpoints, "Make another secret", "The one before signs beside it for a week."), r.rotate)
	frame.Add(f, add("DELETE", "endpoints/{id}/secret", "endEarlierSecret", token.WriteEndpoints, "End the earlier secret", "Only the latest one signs from now on."),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			return nil, r.at(ctx, *in, func(e notify.Endpoint, by string) error {
				return r.deliveries.Endpoints.EndEarlier(ctx, e.SiteID, e.ID, by)
			})
		})
	frame.Add(f, add("GET", "deliveries", "listDeliveries", token.ReadEndpoints, "List deliveries", "What became of the news of a site."), r.log)
	frame.Add(f, add("POST", "endpoints/{id}/again", "deliverAgain", token.WriteEndpoints, "Deliver again", "One delivery is sent once more, whatever came of it."),
		func(ctx context.Context, in *againInput) (*struct{}, error) {
			return nil, r.at(ctx, in.ThingInput, func(e notify.Endpoint, _ string) error {
				return r.deliveries.Again(ctx, e.SiteID, e.ID, in.Body.Entry)
			})
		})
	frame.Add(f, add("POST", "endpoints/{id}/failed", "deliverFailedAgain", token.WriteEndpoints, "Deliver again what has failed", "All that happened since the time and has failed is sent once more."),
		func(ctx context.Context, in *failedInput) (*failedOutput, error) {
			out := new(failedOutput)
			return out, r.at(ctx, in.ThingInput, func(e notify.Endpoint, _ string) (err error) {
				out.Body.Count, err = r.deliveries.AgainFailed(ctx, e.SiteID, e.ID, in.Body.Since)
				return err
			})
		})
}

var errKind = errors.New("this is a destination of conversions, and is changed as such")

// at does something with the endpoint.
func (r *room) at(ctx context.Context, in frame.ThingInput, do func(e notify.Endpoint, by string) error) error {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return err
	}
	e, err := r.deliveries.Endpoints.Get(ctx, s.ID, in.ID)
	if err != nil {
		return err
	}
	return mistake(do(e, frame.Actor(ctx).By))
}

func (r *room) get(ctx context.Context, in *frame.ThingInput) (*endpointOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	e, err := r.deliveries.Endpoints.Get(ctx, s.ID, in.ID)
	return answer(e), err
}

func (r *room) list(ctx context.Context, in *frame.SiteInput) (*endpointsOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	endpoints, err := r.deliveries.Endpoints.List(ctx, s.ID)
	out := new(endpointsOutput)
	out.Body.Endpoints = make([]Endpoint, len(endpoints))
	for i, e := range endpoints {
		out.Body.Endpoints[i] = endpointOf(e)
	}
	return out, err
}

func (r *room) add(ctx context.Context, in *newInput) (*secretOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	made, secret, err := r.deliveries.Endpoints.Add(ctx, in.Body.over(notify.Endpoint{SiteID: s.ID, Kind: notify.Kind(in.Body.Kind)}), frame.Actor(ctx).By)
	if err != nil {
		return nil, mistake(err)
	}
	return shown(made, secret), nil
}

// shown is the answer with a secret.
func shown(e notify.Endpoint, secret string) *secretOutput {
	out := &secretOutput{ETag: frame.VersionTag(e.Version)}
	out.Body.Endpoint, out.Body.Secret = endpointOf(e), secret
	return out
}

func (r *room) change(ctx context.Context, in *putInput) (*endpointOutput, error) {
	err := r.at(ctx, in.ThingInput, func(e notify.Endpoint, by string) error {
		if err := in.Holds(frame.VersionTag(e.Version)); err != nil {
			return err
		}
		if e.IsOut() {
			return errKind
		}
		return r.deliveries.Endpoints.Change(ctx, in.Body.over(e), by)
	})
	if err != nil {
		return nil, err
	}
	return r.get(ctx, &in.ThingInput)
}

func (r *room) rotate(ctx context.Context, in *frame.ThingInput) (*secretOutput, error) {
	var secret string
	err := r.at(ctx, *in, func(e notify.Endpoint, by string) (err error) {
		if e.Kind != notify.Webhook {
			return errMail
		}
		secret, err = r.deliveries.Endpoints.Rotate(ctx, e.SiteID, e.ID, by)
		return err
	})
	if err != nil {
		return nil, err
	}
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	e, err := r.deliveries.Endpoints.Get(ctx, s.ID, in.ID)
	return shown(e, secret), err
}

var errMail = errors.New("only a webhook has a secret")

// mistake is the error, of which the field is told where it is wrong.
func mistake(err error) error {
	if errors.Is(err, errMail) {
		return frame.Wrong("path.id", err, nil)
	}
	if invalid, is := errors.AsType[*notify.Invalid](err); is {
		return frame.Wrong("body."+invalid.Field, invalid.Err, nil)
	}
	return err
}
