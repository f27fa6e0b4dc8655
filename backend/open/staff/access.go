package staff

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/face"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
)

type faceInput struct {
	ID      int64  `path:"id" minimum:"1" doc:"The operator's number."`
	RawBody []byte `doc:"The picture."`
}

// face is the face of the operator of the call.
func (r *room) face(ctx context.Context, in *operatorInput) (*frame.Written, error) {
	o, err := r.operator(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if o.Face == "" {
		return nil, face.ErrUnknown
	}
	picture, err := r.Operators.Faces().Named(ctx, frame.Caller(ctx).Sites, o.Face)
	return &frame.Written{Name: fmt.Sprintf("face-%d.jpg", o.ID), Type: face.Type, Size: len(picture), Write: func(_ context.Context, w io.Writer) error {
		_, err := w.Write(picture)
		return err
	}}, err
}

// mountAccess adds what an admin does for an operator who has lost something.
func (r *room) mountAccess(add func(method, path, id string, opens token.Scope, summary, description string) frame.Operation) {
	frame.Add(r.Frame, add("DELETE", "/{id}/sessions", "endSessions", token.WriteOperators, "End an operator's sessions", "The operator signs in anew, on all devices."),
		func(ctx context.Context, in *operatorInput) (*struct{}, error) {
			o, err := r.operator(ctx, in.ID)
			if err == nil {
				err = r.SignIns.EndOthers(ctx, frame.Actor(ctx), o.ID, "")
			}
			return nil, err
		})
	frame.Add(r.Frame, add("DELETE", "/{id}/two-step", "turnOffTwoStep", token.WriteOperators, "Turn two steps off", "For an operator who has lost the authenticator and the recovery codes: the password alone is enough from then on."),
		func(ctx context.Context, in *operatorInput) (*struct{}, error) {
			o, err := r.operator(ctx, in.ID)
			if err == nil {
				err = r.TwoStep.TurnOff(ctx, frame.Actor(ctx), o.ID)
			}
			if errors.Is(err, twostep.ErrOff) { // it is as it was asked for
				err = nil
			}
			return nil, err
		})
	get := add("GET", "/{id}/face", "getFace", token.ReadOperators, "Get an operator's face", "The picture as visitors see it in the chat: a JPEG, 96 pixels wide and high.")
	get.Files, get.Mistakes = []string{face.Type}, frame.Mistakes{operator.ErrUnknown: notFound, face.ErrUnknown: notFound}
	frame.Write(r.Frame, get, r.face)
	set := add("PUT", "/{id}/face", "setFace", token.WriteOperators, "Set an operator's face", "The body is a JPEG, PNG, GIF or WebP of at most 5 MB. Visitors see it, small, in the chat.")
	set.Dear, set.MaxBody = true, face.Max+1
	frame.Add(r.Frame, set, func(ctx context.Context, in *faceInput) (*struct{}, error) {
		o, err := r.operator(ctx, in.ID)
		if err == nil {
			err = r.Operators.Faces().Set(ctx, frame.Actor(ctx), o.ID, in.RawBody)
		}
		if errors.Is(err, face.ErrPicture) || errors.Is(err, face.ErrLarge) {
			err = frame.Wrong("body", err, nil)
		}
		return nil, err
	})
	frame.Add(r.Frame, add("DELETE", "/{id}/face", "removeFace", token.WriteOperators, "Remove an operator's face", "Visitors see initials in its place."),
		func(ctx context.Context, in *operatorInput) (*struct{}, error) {
			o, err := r.operator(ctx, in.ID)
			if err == nil {
				err = r.Operators.Faces().Set(ctx, frame.Actor(ctx), o.ID, nil)
			}
			return nil, err
		})
}
