// Package staff is the room of operators, of the history of what they have changed, and of the tokens of programs.
package staff

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/door"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/invitation"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
)

//go:embed templates
var templates embed.FS

type room struct {
	*frame.Frame
	Tokens      *token.Tokens
	Invitations *invitation.Invitations
	TwoStep     *twostep.Steps
	Passkeys    *passkey.Passkeys
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, tokens *token.Tokens, invitations *invitation.Invitations, steps *twostep.Steps, passkeys *passkey.Passkeys) {
	c := &room{f, tokens, invitations, steps, passkeys}
	f.Room(frame.Room{
		Templates: templates,
		Menu:      []frame.MenuEntry{{Link: "/operators", Icon: "shield", Title: "operators.title", Admin: true, Class: "not-small", Pages: []string{"operators", "operator", "history", "person", "tokens"}}},
		Unknown:   map[error]string{operator.ErrUnknown: "fail.notFound", token.ErrUnknown: "fail.notFound"},
	})
	f.Admin("GET /operators", c.showOperators)
	f.Admin("POST /operators", c.With("operators", c.addOperator))
	f.Admin("GET /operators/{operator}", c.showOperator)
	f.Admin("POST /operators/{operator}", c.With("operator", c.editOperator))
	f.Admin("POST /operators/{operator}/sites", c.With("operator", c.setOperatorSites))
	f.Admin("POST /operators/{operator}/disabled", c.setDisabled)
	f.Admin("POST /operators/{operator}/password", c.resetPassword)
	f.Admin("POST /operators/{operator}/two-step/removal", c.turnOffStep)
	f.Admin("POST /operators/{operator}/sessions/removal", c.endSessions)
	f.Admin("POST /operators/{operator}/removal", c.removeOperator)
	f.AdminUpload("POST /operators/{operator}/face", door.MaxFaceForm, c.setFace)
	f.Admin("POST /operators/{operator}/face/removal", c.removeFace)
	f.Admin("GET /history", c.With("history", c.showHistory))
	f.Admin("GET /tokens", c.With("tokens", c.showTokens))
	f.Admin("POST /tokens", c.With("tokens", c.makeToken))
	f.Admin("POST /tokens/{program}/removal", c.With("tokens", c.revokeToken))
}
