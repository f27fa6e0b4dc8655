// Package destinations is the part of the public API about the advertising and analytics platforms that are told what the
// visitors of sites do.
package destinations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

type room struct {
	*frame.Frame
	conversions *conversion.Conversions
}

// DestinationSettings are what is said of a destination.
type DestinationSettings struct {
	Address  string            `json:"address,omitempty" maxLength:"500" doc:"The measurement ID of Google Analytics, the ID of a pixel, or the address of a Matomo. Platforms that fetch files have none."`
	Goals    map[string]string `json:"goals" nullable:"false" minProperties:"1" maxProperties:"5" doc:"What the platform calls lead, sale, call, answered (a call) and chat. What is not named is not sent." example:"{\"lead\":\"generate_lead\"}"`
	Currency string            `json:"currency,omitempty" maxLength:"3" doc:"That of sums: ISO 4217; empty sends none." example:"EUR"`
	Site     string            `json:"site,omitempty" maxLength:"10" doc:"The number of the site in Matomo."`
	IsHashed bool              `json:"is_hashed,omitempty" doc:"Meta is sent hashes of the e-mail and the phone."`
	TestCode string            `json:"test_code,omitempty" maxLength:"100" doc:"By which Meta shows tests."`
}

// Destination is an account of a platform.
type Destination struct {
	ID   int64  `json:"id" doc:"Its number among the endpoints of the site, as which it is paused, tested and removed, and by which its deliveries are listed."`
	Kind string `json:"kind" enum:"ga4,google_ads,meta,yandex,matomo"`
	DestinationSettings
	Files     []DestinationFile `json:"files" nullable:"false" doc:"Those that the platform fetches."`
	CreatedAt time.Time         `json:"created_at"`
	PausedAt  *time.Time        `json:"paused_at" doc:"Since when nothing is sent, and what happens waits; null while it is sent."`
	IsGone    bool              `json:"is_gone" doc:"The platform has answered that the account is no more."`
}

// DestinationFile is a file that a destination has for its platform.
type DestinationFile struct {
	Name    string `json:"name"`
	Address string `json:"address" doc:"Where the platform fetches it, with the login frontdesk and the password."`
}

func destinationOf(ctx context.Context, e notify.Endpoint) Destination {
	to := conversion.Of(e)
	told := Destination{ID: e.ID, Kind: string(e.Kind), Files: []DestinationFile{}, CreatedAt: e.CreatedAt.UTC(), IsGone: e.Gone, DestinationSettings: DestinationSettings{
		Address: to.Address, Goals: make(map[string]string), Currency: to.Currency, Site: to.Site, IsHashed: to.Hashed, TestCode: to.TestCode,
	}}
	if conversion.IsFetched(e.Kind) {
		told.Address = ""
	}
	for goal, name := range to.Names {
		told.Goals[string(goal)] = name
	}
	for _, name := range conversion.Files(e.Kind) {
		told.Files = append(told.Files, DestinationFile{name, frame.Absolute(ctx, fmt.Sprintf("/feeds/%d-%d/%s", e.SiteID, e.ID, name))})
	}
	if !e.PausedAt.IsZero() {
		told.PausedAt = new(e.PausedAt.UTC())
	}
	return told
}

// endpoint is the endpoint of the kind with what is said of it. An empty credential leaves that as it is.
func (s DestinationSettings) endpoint(kind notify.Kind, credential string) (notify.Endpoint, error) {
	to := platform.Destination{Address: s.Address, Credential: credential, Settings: platform.Settings{
		Currency: s.Currency, Site: s.Site, Hashed: s.IsHashed, TestCode: s.TestCode, Names: make(map[platform.Goal]string),
	}}
	for goal, name := range s.Goals {
		to.Names[platform.Goal(goal)] = name
	}
	if conversion.IsFetched(kind) {
		to.Address = conversion.Login
	}
	return conversion.Endpoint(kind, to)
}

type destinationsOutput struct {
	Body struct {
		Destinations []Destination `json:"destinations" nullable:"false" doc:"The oldest first."`
	}
}

type destinationOutput struct {
	ETag string `header:"ETag"`
	Body Destination
}

type newDestinationInput struct {
	frame.SiteInput
	Body struct {
		Kind       string `json:"kind" enum:"ga4,google_ads,meta,yandex,matomo"`
		Credential string `json:"credential,omitempty" maxLength:"1000" doc:"The secret or the token of the platform's API. It is not shown again. Platforms that fetch files have none."`
		DestinationSettings
	}
}

type putDestinationInput struct {
	frame.ThingInput
	frame.Match
	Body struct {
		Credential string `json:"credential,omitempty" maxLength:"1000" doc:"Without it, that of before stays."`
		DestinationSettings
	}
}

type passwordOutput struct {
	ETag string `header:"ETag"`
	Body struct {
		Destination
		Password string `json:"password" doc:"By which the platform fetches files. It is not shown again; empty for other platforms."`
	}
}

type fileInput struct {
	frame.ThingInput
	File string `path:"file" maxLength:"100" doc:"The name of the file."`
}

const (
	notFound = http.StatusNotFound
	conflict = http.StatusConflict
)

var errFetched = errors.New("only platforms that fetch files have a password")

// Mount adds the operations.
func Mount(f *frame.Frame, conversions *conversion.Conversions) {
	r := &room{f, conversions}
	add := func(method, path, id, summary, description string, opens token.Scope) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/destinations" + path, ID: id, Subject: "Conversions", Opens: opens, Summary: summary, Description: description, Does: path != "",
			Mistakes: frame.Mistakes{notify.ErrUnknown: notFound, notify.ErrChanged: http.StatusPreconditionFailed, notify.ErrTooMany: conflict, errFetched: conflict},
		}
	}
	frame.Add(f, add("GET", "", "listDestinations", "List destinations of conversions", "The platforms that are told of leads, sales, calls and conversations.", token.ReadEndpoints), r.list)
	frame.Add(f, add("GET", "/{id}", "getDestination", "Get a destination of conversions", "One platform.", token.ReadEndpoints),
		func(ctx context.Context, in *frame.ThingInput) (*destinationOutput, error) { return r.answer(ctx, *in) })
	frame.Add(f, add("POST", "", "addDestination", "Add a destination of conversions", "It is told of what happens from now on. It counts among the endpoints of the site.", token.WriteEndpoints), r.add)
	frame.Add(f, add("PUT", "/{id}", "setDestination", "Change a destination of conversions", "It is as it is said here afterwards. Its kind stays.", token.WriteEndpoints), r.change)
	frame.Add(f, add("POST", "/{id}/password", "makeDestinationPassword", "Make another password", "The platform fetches files by this one alone.", token.WriteEndpoints), r.password)
	download := add("GET", "/{id}/files/{file}", "getDestinationFile", "Get a file of conversions", "The conversions of the last 90 days, as the platform takes them.", token.ReadEndpoints)
	download.Files = []string{"text/csv"}
	frame.Write(f, download, func(ctx context.Context, in *fileInput) (*frame.Written, error) {
		e, err := r.stored(ctx, in.ThingInput)
		if err == nil && !slices.Contains(conversion.Files(e.Kind), in.File) {
			err = notify.ErrUnknown
		}
		if err != nil {
			return nil, err
		}
		return &frame.Written{Name: fmt.Sprintf("%s-%d-%s", e.Kind, e.ID, in.File), Type: "text/csv; charset=utf-8", Write: func(ctx context.Context, w io.Writer) error {
			return conversions.WriteFile(ctx, w, e, in.File)
		}}, nil
	})
}

func (r *room) endpoints() *notify.Endpoints { return r.conversions.Deliveries.Endpoints }

// stored is the destination of the call.
func (r *room) stored(ctx context.Context, in frame.ThingInput) (notify.Endpoint, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return notify.Endpoint{}, err
	}
	e, err := r.endpoints().Get(ctx, s.ID, in.ID)
	if err == nil && !e.IsOut() {
		err = notify.ErrUnknown
	}
	return e, err
}

func (r *room) answer(ctx context.Context, in frame.ThingInput) (*destinationOutput, error) {
	e, err := r.stored(ctx, in)
	return &destinationOutput{frame.VersionTag(e.Version), destinationOf(ctx, e)}, err
}

func (r *room) list(ctx context.Context, in *frame.SiteInput) (*destinationsOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	all, err := r.endpoints().List(ctx, s.ID)
	out := new(destinationsOutput)
	out.Body.Destinations = []Destination{}
	for _, e := range all {
		if e.IsOut() {
			out.Body.Destinations = append(out.Body.Destinations, destinationOf(ctx, e))
		}
	}
	return out, err
}

func (r *room) add(ctx context.Context, in *newDestinationInput) (*passwordOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	kind := notify.Kind(in.Body.Kind)
	e, err := in.Body.endpoint(kind, in.Body.Credential)
	if err != nil {
		return nil, err
	}
	e.SiteID = s.ID
	password := ""
	if conversion.IsFetched(kind) {
		password, e.Credential = conversion.NewPassword()
	}
	made, _, err := r.endpoints().Add(ctx, e, frame.Actor(ctx).By)
	if err != nil {
		return nil, mistake(err)
	}
	return shown(ctx, made, password), nil
}

func shown(ctx context.Context, e notify.Endpoint, password string) *passwordOutput {
	out := &passwordOutput{ETag: frame.VersionTag(e.Version)}
	out.Body.Destination, out.Body.Password = destinationOf(ctx, e), password
	return out
}

func (r *room) change(ctx context.Context, in *putDestinationInput) (*destinationOutput, error) {
	before, err := r.stored(ctx, in.ThingInput)
	if err == nil {
		err = in.Holds(frame.VersionTag(before.Version))
	}
	if err != nil {
		return nil, err
	}
	credential := in.Body.Credential
	if conversion.IsFetched(before.Kind) {
		credential = ""
	}
	e, err := in.Body.endpoint(before.Kind, credential)
	if err != nil {
		return nil, err
	}
	e.SiteID, e.ID, e.Version = before.SiteID, before.ID, before.Version
	if err := r.endpoints().Change(ctx, e, frame.Actor(ctx).By); err != nil {
		return nil, mistake(err)
	}
	return r.answer(ctx, in.ThingInput)
}

func (r *room) password(ctx context.Context, in *frame.ThingInput) (*passwordOutput, error) {
	e, err := r.stored(ctx, *in)
	if err == nil && !conversion.IsFetched(e.Kind) {
		err = errFetched
	}
	if err != nil {
		return nil, err
	}
	password, credential := conversion.NewPassword()
	e.Credential = credential
	if err := r.endpoints().Change(ctx, e, frame.Actor(ctx).By); err != nil {
		return nil, mistake(err)
	}
	e.Version++
	return shown(ctx, e, password), nil
}

// mistake is the error, of which the field is told where it is wrong.
func mistake(err error) error {
	if invalid, is := errors.AsType[*notify.Invalid](err); is {
		field := invalid.Field
		if field == "names" || field == "events" {
			field = "goals"
		}
		return frame.Wrong("body."+field, invalid.Err, nil)
	}
	return err
}
