package handouts

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// NewBulletin says to whom the figures of a site are mailed.
type NewBulletin struct {
	Address  string `json:"address" minLength:"1" maxLength:"254" doc:"An address of mail." example:"owner@shop.example"`
	Every    string `json:"every" enum:"day,week,month" doc:"Of which time each mail has the figures."`
	Language string `json:"language,omitempty" maxLength:"10" default:"en" doc:"That of the texts."`
}

// Bulletin are the figures of a site by mail.
type Bulletin struct {
	ID int64 `json:"id"`
	NewBulletin
	State  string     `json:"state" enum:"active,paused,stopped,refused" doc:"Stopped by the reader, or refused by the mail server several times in a row."`
	By     string     `json:"by" doc:"The login of who has added it, or the name of the program."`
	MadeAt time.Time  `json:"made_at"`
	SentAt *time.Time `json:"sent_at" doc:"When the mail server has taken one last; null for never."`
	Reason string     `json:"reason" doc:"A code: why the last one was not taken; empty where it was."`
	Status int        `json:"status" doc:"What the mail server has answered; 0 for nothing."`
	Detail string     `json:"detail"`
}

func bulletinOf(s bulletin.Subscription) Bulletin {
	told := Bulletin{
		ID: s.ID, NewBulletin: NewBulletin{s.Address, string(s.Every), s.Language}, State: string(s.State), By: s.By, MadeAt: s.MadeAt.UTC(), Reason: s.Reason, Status: s.Status, Detail: s.Detail,
	}
	if !s.SentAt.IsZero() {
		told.SentAt = new(s.SentAt.UTC())
	}
	return told
}

type bulletinsOutput struct {
	Body struct {
		Bulletins []Bulletin `json:"bulletins" nullable:"false" doc:"The oldest first; at most 20."`
	}
}

type bulletinOutput struct{ Body Bulletin }

type newBulletinInput struct {
	frame.SiteInput
	Body NewBulletin
}

type bulletinPausedInput struct {
	frame.ThingInput
	Body struct {
		IsPaused bool `json:"is_paused"`
	}
}

var (
	errMail    = errors.New("no mail server is configured")
	errRetired = errors.New("the site is retired")
)

func (r *room) mountBulletins() {
	add := func(method, path, id, summary, description string, opens token.Scope) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/bulletins" + path, ID: id, Subject: "Reports", Opens: opens, Summary: summary, Description: description, Does: path != "",
			Mistakes: frame.Mistakes{
				bulletin.ErrUnknown: notFound, bulletin.ErrTwice: conflict, bulletin.ErrTooMany: conflict, bulletin.ErrStopped: conflict, bulletin.ErrSoon: http.StatusTooManyRequests,
				bulletin.ErrAddress: wrong, bulletin.ErrEvery: wrong, bulletin.ErrLanguage: wrong, errMail: conflict, errRetired: conflict,
			},
		}
	}
	frame.Add(r.Frame, add("GET", "", "listBulletins", "List figures by mail", "To whom the figures of a site are mailed.", token.ReadReports),
		func(ctx context.Context, in *frame.SiteInput) (*bulletinsOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			found, err := r.Bulletins.List(ctx, scope.Of(s.ID), bulletin.MaxSubscriptions)
			out := new(bulletinsOutput)
			out.Body.Bulletins = make([]Bulletin, len(found))
			for i, of := range found {
				out.Body.Bulletins[i] = bulletinOf(of)
			}
			return out, err
		})
	frame.Add(r.Frame, add("GET", "/{id}", "getBulletin", "Get figures by mail", "To whom they go, and what became of the last mail.", token.ReadReports),
		func(ctx context.Context, in *frame.ThingInput) (*bulletinOutput, error) {
			return r.bulletin(ctx, *in, func(int64, string) error { return nil })
		})
	frame.Add(r.Frame, add("POST", "", "addBulletin", "Mail figures", "The first mail is that of the time that is over next. Each has a link by which its reader ends them.", token.WriteReports), r.addBulletin)
	frame.Add(r.Frame, add("PUT", "/{id}/paused", "pauseBulletin", "Pause figures by mail, or go on", "What is over while they are paused is not mailed later.", token.WriteReports),
		func(ctx context.Context, in *bulletinPausedInput) (*bulletinOutput, error) {
			return r.bulletin(ctx, in.ThingInput, func(siteID int64, by string) error {
				return r.Bulletins.Pause(ctx, siteID, in.ID, in.Body.IsPaused, by)
			})
		})
	frame.Add(r.Frame, add("POST", "/{id}/test", "testBulletin", "Mail figures now", "The latest mail is sent, whether it was sent before or not.", token.WriteReports),
		func(ctx context.Context, in *frame.ThingInput) (*bulletinOutput, error) {
			return r.bulletin(ctx, *in, func(siteID int64, by string) error {
				if !r.HasMail() {
					return errMail
				}
				return r.Bulletins.Try(ctx, siteID, in.ID, by)
			})
		})
	frame.Add(r.Frame, add("DELETE", "/{id}", "removeBulletin", "Mail figures no longer", "The address gets no more of these mails.", token.WriteReports),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			s, err := r.Site(ctx, in.Site)
			if err == nil {
				err = r.Bulletins.Remove(ctx, s.ID, in.ID, frame.Actor(ctx).By)
			}
			return nil, err
		})
}

// bulletin does something with figures by mail, and answers with them.
func (r *room) bulletin(ctx context.Context, in frame.ThingInput, do func(siteID int64, by string) error) (*bulletinOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err == nil {
		err = do(s.ID, frame.Actor(ctx).By)
	}
	if err != nil {
		return nil, err
	}
	of, err := r.Bulletins.Get(ctx, s.ID, in.ID)
	return &bulletinOutput{bulletinOf(of)}, err
}

func (r *room) addBulletin(ctx context.Context, in *newBulletinInput) (*bulletinOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err == nil && !s.RetiredAt.IsZero() {
		err = errRetired
	}
	if err != nil {
		return nil, err
	}
	of, err := r.Bulletins.Add(ctx, bulletin.Subscription{SiteID: s.ID, Address: in.Body.Address, Every: bulletin.Every(in.Body.Every), Language: in.Body.Language}, frame.Actor(ctx).By)
	return &bulletinOutput{bulletinOf(of)}, err
}
