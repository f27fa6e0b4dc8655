package frame

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Operation is what is said of an operation of the API, and what opens it.
type Operation struct {
	// Method is that of HTTP. What POST makes may be asked for with an Idempotency-Key, and is answered with 201; see
	// [Operation.Does].
	Method string
	// Path is behind [Path], such as "sites/{site}/leads/{id}".
	Path string
	// ID names the operation for programs that are made from the description.
	ID, Summary, Description string
	// Subject is the heading under which the operation is described.
	Subject string
	Opens   token.Scope
	// Does says that a POST makes nothing that has an address of its own; it is answered with 200, or with 204 when there
	// is nothing to say.
	Does bool
	// Dear says that the work takes long: a token has [dearAtOnce] such calls on their way.
	Dear bool
	// MaxBody is how many bytes its body has at most; 0 for [maxBody].
	MaxBody int64
	// Files are the types of the file that it answers with, see [Write]; nil where it answers with JSON. A POST that answers
	// with one does nothing, and takes no Idempotency-Key.
	Files []string
	// Mistakes are those of callers.
	Mistakes Mistakes
}

// Mistakes are the errors that callers are told with their text, and the statuses for them. All others are failures of
// the service, and are logged.
type Mistakes map[error]int

// told is the answer for an error of the operation's work.
func (f *Frame) told(o Operation, err error) error {
	if _, already := errors.AsType[huma.StatusError](err); already {
		return err
	}
	for mistake, status := range o.Mistakes {
		if errors.Is(err, mistake) {
			return huma.NewError(status, mistake.Error())
		}
	}
	f.Logger.Error("a call of the API has failed", zap.String("operation", o.ID), zap.Error(err))
	return huma.ErrorWithHeaders(huma.Error503ServiceUnavailable("the service cannot answer at the moment; repeat the call later"),
		http.Header{"Retry-After": {"5"}})
}

// Add adds the operation, which do does. An error of do is one of the operation's mistakes, one of huma with a status,
// or a failure.
func Add[I, O any](f *Frame, o Operation, do func(context.Context, *I) (*O, error)) {
	huma.Register(f.huma, f.described(o), func(ctx context.Context, in *I) (*O, error) {
		ctx, cancel := bounded(ctx)
		defer cancel()
		if o.Dear {
			leave, err := f.enter(ctx)
			if err != nil {
				return nil, err
			}
			defer leave()
		}
		out, err := do(ctx, in)
		if err != nil {
			return nil, f.told(o, err)
		}
		return out, nil
	})
}

// enter lets a dear call begin. It calls leave when it has ended. The error is the answer when there are too many.
func (f *Frame) enter(ctx context.Context) (leave func(), err error) {
	leave, entered := f.limits.enter(Caller(ctx).ID)
	if !entered {
		return nil, huma.ErrorWithHeaders(huma.Error429TooManyRequests("this token has dear calls on their way; wait for them"), http.Header{"Retry-After": {"1"}})
	}
	return leave, nil
}

// Stream adds an operation that answers with a stream of events, for as long as its caller reads. open looks whether it
// may be opened, within the time of a call, and returns what writes it.
func Stream[I any](f *Frame, o Operation, open func(context.Context, *I) (func(huma.Context), error)) {
	described := f.described(o)
	described.Responses = map[string]*huma.Response{"200": {
		Description: "A stream of events (HTML, section 9.2).",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	huma.Register(f.huma, described, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		within, cancel := bounded(ctx)
		defer cancel()
		write, err := open(within, in)
		if err != nil {
			return nil, f.told(o, err)
		}
		return &huma.StreamResponse{Body: write}, nil
	})
}

// described is the operation as the description has it. Failures are told in the same way by all: by the answer
// "default".
func (f *Frame) described(o Operation) huma.Operation {
	described := huma.Operation{
		Method: o.Method, Path: Path + o.Path, OperationID: o.ID, Summary: o.Summary, Description: o.Description, Tags: []string{o.Subject},
		Security:     []map[string][]string{{scheme: {string(o.Opens)}}},
		MaxBodyBytes: cmp.Or(o.MaxBody, maxBody),
	}
	if o.MaxBody != 0 {
		described.BodyReadTimeout = fileTime
	}
	if o.Files != nil {
		described.Responses = map[string]*huma.Response{"200": {Description: "A file, to be saved.", Content: make(map[string]*huma.MediaType)}}
		for _, kind := range o.Files {
			schema := &huma.Schema{Type: huma.TypeString, Format: "binary"}
			if kind == "application/json" {
				schema = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
			}
			described.Responses["200"].Content[kind] = &huma.MediaType{Schema: schema}
		}
	}
	if o.Method == http.MethodPost && o.Files == nil {
		if !o.Does {
			described.DefaultStatus = http.StatusCreated
		}
		described.Middlewares = huma.Middlewares{f.once}
		described.Parameters = []*huma.Param{{
			Name: keyField, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(maxKey)},
			Description: "A text of the caller's for this call. The same call with the same key is answered as the first was, and done once.",
		}}
	}
	return described
}

// Site is the site of the key, retired or not. One that the token does not open is not there.
func (f *Frame) Site(ctx context.Context, key string) (site.Site, error) {
	s, err := f.Sites.OfKey(ctx, key)
	if errors.Is(err, site.ErrUnknown) || err == nil && !Caller(ctx).Sites.Has(s.ID) {
		return site.Site{}, huma.Error404NotFound("there is no site of this key, or the token does not open it")
	}
	return s, err
}

// Key is the key of the site of the id; empty for one that is gone.
func (f *Frame) Key(ctx context.Context, siteID int64) (string, error) {
	key, err := f.Sites.Key(ctx, siteID)
	if errors.Is(err, site.ErrUnknown) {
		return "", nil
	}
	return key, err
}

// Wrong is the answer to a call with a wrong value: where it stands, such as "body.name", and why it is wrong.
func Wrong(where string, err error, value any) error {
	return huma.Error422UnprocessableEntity("validation failed", &huma.ErrorDetail{Location: where, Message: err.Error(), Value: value})
}

// Actor is the caller as the history names it.
func Actor(ctx context.Context) operator.Actor {
	of := Caller(ctx)
	return operator.Actor{By: "API: " + of.Name, Sites: of.Sites}
}

// SiteInput is a call about one site.
type SiteInput struct {
	Site string `path:"site" maxLength:"64" doc:"The key of a site." example:"shop.example"`
}

// ThingInput is a call about one thing of a site.
type ThingInput struct {
	Site string `path:"site" maxLength:"64" doc:"The key of the site." example:"shop.example"`
	ID   int64  `path:"id" minimum:"1" doc:"Its number."`
}

// Thing is what the call is about.
func (in ThingInput) Thing() ThingInput { return in }
