// Package events is the part of the public API that tells of what happens, as it happens: by a stream of events that
// goes on where a program has lost it.
package events

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/stream"
)

// Path is where the stream is.
const Path = frame.Path + "events"

const (
	// heartbeat is how often something is sent when nothing happens, so that a lost connection is noticed.
	heartbeat = 5 * time.Second
	// atOnce is how many entries are read at once.
	atOnce = 100
	// gathering is the least time between two reads.
	gathering = 200 * time.Millisecond
)

// subject are the kinds of events that begin with a word, and the scope that opens them.
type subject struct {
	word  string
	opens token.Scope
}

var subjects = []subject{
	{"lead.", token.ReadLeads}, {"call.", token.ReadCalls}, {"chat.", token.ReadChats}, {"callback.", token.ReadCallbacks},
	{"incident.", token.ReadSites}, {"site.", token.ReadHistory}, {"operator.", token.ReadHistory},
}

// unread is what operators have read; it happens to nobody else.
const unread = "lead.read"

// Event is something that happened. It names nobody: who is behind it is read at its address.
type Event struct {
	Kind      string          `json:"kind" doc:"Such as lead.added, lead.changed, call.told, chat.message, chat.state, callback.state, incident.begun or site.changed."`
	At        time.Time       `json:"at"`
	Site      string          `json:"site" doc:"The key of the site; empty for all of them."`
	SubjectID int64           `json:"subject_id" doc:"The number of the lead, the call, the conversation, the callback, the site or the account."`
	Data      json.RawMessage `json:"data" doc:"More of it."`
}

// Events tells of what happens.
type Events struct {
	*frame.Frame
	journal *journal.Journal
	streams streams
}

type streamInput struct {
	Site        string   `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	Kinds       []string `query:"kind" maxItems:"20" doc:"Kinds, or their beginnings such as lead, with commas between them; without them, all that the token opens."`
	After       string   `query:"after" maxLength:"50" doc:"As Last-Event-ID, for the first call of a program."`
	LastEventID string   `header:"Last-Event-ID" maxLength:"50" doc:"The id of the last event that was read: the stream goes on behind it. Without it, the stream begins with what happens next. Events are kept for 30 days."`
}

// Mount adds the operation.
func Mount(f *frame.Frame, j *journal.Journal) *Events {
	e := &Events{Frame: f, journal: j, streams: newStreams()}
	frame.Stream(f, frame.Operation{
		Method: "GET", Path: "events", ID: "streamEvents", Subject: "Events", Opens: token.ReadEvents, Summary: "Listen to events",
		Description: "What happens on the sites, as a stream of server-sent events. The name of each is its kind, and its data is JSON. " +
			"A token hears of what it may read. It opens five streams at once.",
		Mistakes: frame.Mistakes{errMany: http.StatusTooManyRequests},
	}, e.open)
	return e
}

// IsStream tells whether the request is for a stream of events.
func IsStream(r *http.Request) bool { return r.URL.Path == Path }

// Close ends all streams. None is opened afterwards.
func (e *Events) Close() { e.streams.Close() }

var (
	errPosition = errors.New("expected the id of an event")
	errMany     = errors.New("too many streams are open")
)

func (e *Events) open(ctx context.Context, in *streamInput) (func(huma.Context), error) {
	of := frame.Caller(ctx)
	sites := of.Sites
	if in.Site != "" {
		s, err := e.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		sites = sites.Only(s.ID)
	}
	where, last := "header.Last-Event-ID", in.LastEventID
	if last == "" {
		where, last = "query.after", in.After
	}
	position, err := journal.ParsePosition(last)
	switch {
	case last == "":
		position, err = e.journal.End(ctx)
	case err != nil:
		err = frame.Wrong(where, errPosition, last)
	}
	if err != nil {
		return nil, err
	}
	running, leave, entered := e.streams.enter(of.ID)
	if !entered {
		return nil, errMany
	}
	return func(c huma.Context) {
		defer leave()
		e.stream(running, c, listening{Events: e, of: of, sites: sites, kinds: in.Kinds}, position)
	}, nil
}

// listening is an open stream.
type listening struct {
	*Events
	of    token.Token
	sites scope.Sites
	kinds []string
	out   *stream.Answer
}

func (e *Events) stream(running context.Context, c huma.Context, s listening, position journal.Position) {
	r, w := humago.Unwrap(c)
	s.out = stream.Over(w)
	defer s.out.End()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(running, cancel)()
	follower := e.journal.Follow(position, s.sites)
	defer follower.Close()
	ctx, cancel = follower.Hearing(ctx) // the program comes back to a node that hears
	defer cancel()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if err := s.run(ctx, follower); err != nil && ctx.Err() == nil {
		e.Logger.Debug("a stream of events ended", zap.Error(err))
	}
}

func (s *listening) run(ctx context.Context, follower *journal.Follower) error {
	revoked, forget := s.Tokens.Revocations()
	defer forget()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	// A program whose stream breaks before it tells of anything goes on from here.
	if err := s.out.Send(fmt.Appendf(nil, ": the stream begins\nid: %s\n\n", follower.Position())); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-revoked:
			if stands, err := s.Tokens.Stands(ctx, s.of.ID); err != nil || !stands {
				return err
			}
		case <-beat.C:
			if stands, err := s.Tokens.Stands(ctx, s.of.ID); err != nil || !stands {
				return err
			}
			// The id alone moves the place on from which the program goes on (HTML, section 9.2.6).
			if err := s.out.Send(fmt.Appendf(nil, "id: %s\n\n", follower.Position())); err != nil {
				return err
			}
		case <-follower.News():
			if err := s.tell(ctx, follower); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
			case <-time.After(gathering):
			}
		}
	}
}

// tell sends what has happened.
func (s *listening) tell(ctx context.Context, follower *journal.Follower) error {
	for {
		entries, err := follower.Next(ctx, atOnce)
		if err != nil || len(entries) == 0 {
			return err
		}
		var text bytes.Buffer
		for _, e := range entries {
			if !s.wants(e.Kind) {
				continue
			}
			key := ""
			if e.SiteID != 0 {
				if key, err = s.Key(ctx, e.SiteID); err != nil {
					return err
				}
			}
			data, err := json.Marshal(Event{Kind: e.Kind, At: e.At.UTC(), Site: key, SubjectID: e.SubjectID, Data: e.Data})
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "id: %s\nevent: %s\ndata: %s\n\n", e.Position, e.Kind, data)
		}
		if text.Len() > 0 {
			if err := s.out.Send(text.Bytes()); err != nil {
				return err
			}
		}
	}
}

// wants reports whether the stream tells of the kind.
func (s *listening) wants(kind string) bool {
	at := slices.IndexFunc(subjects, func(of subject) bool { return strings.HasPrefix(kind, of.word) })
	if at < 0 || kind == unread || !s.of.Opens(subjects[at].opens) {
		return false
	}
	return len(s.kinds) == 0 || slices.ContainsFunc(s.kinds, func(wanted string) bool { return kind == wanted || strings.HasPrefix(kind, wanted+".") })
}
