// Package door is where operators come in: signing in and out, the first account, new passwords. It guards the
// routes of all rooms, and has the account of the operator who is in.
package door

import (
	"embed"
	"html/template"

	"github.com/seed-3405227d/frontdesk/backend/console/attempts"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator/invitation"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
)

//go:embed templates
var templates embed.FS

// Door is where operators come in, and what is theirs alone: the account.
type Door struct {
	*frame.Frame
	Subjects
	attempts *attempts.Attempts
}

// Subjects are what the door asks beside the frame's.
type Subjects struct {
	Invitations *invitation.Invitations
	TwoStep     *twostep.Steps
	Passkeys    *passkey.Passkeys
	// Required says who has to sign in with two steps. It may be nil, for nobody.
	Required func() twostep.Rule
	// WholeAddresses tells whether clients' addresses are logged whole. It may be nil.
	WholeAddresses func() bool
}

// Mount adds the door to the console.
func Mount(f *frame.Frame, s Subjects) *Door {
	c := &Door{f, s, attempts.New(f.Now)}
	step := second{c}
	key, face := passkeys{step}, faces{c}
	f.Room(frame.Room{Templates: templates, Functions: func(*words.Tongue) template.FuncMap { return template.FuncMap{"qr": qrCode} }, Menu: []frame.MenuEntry{{Link: "/account", Icon: "user", Title: "account.short", Class: "only-small", Reader: true, Pages: []string{"account", "steps"}}}})
	f.Everybody("GET /setup", c.showSetup)
	f.Everybody("POST /setup", c.setUp)
	f.Everybody("GET /password", c.showNewPassword)
	f.Everybody("POST /password", c.setNewPassword)
	f.Everybody("GET /forgotten", c.showForgotten)
	f.Everybody("POST /forgotten", c.mailForgotten)
	f.Everybody("GET /sign-in", c.showSignIn)
	f.Everybody("POST /sign-in", c.signIn)
	f.Everybody("GET /sign-in/code", step.showCode)
	f.Everybody("POST /sign-in/code", step.takeCode)
	f.Everybody("POST /sign-in/code/passkey/options", key.askStep)
	f.Everybody("POST /sign-in/code/passkey", key.takeStep)
	f.Everybody("POST /sign-in/passkey/options", key.askSignIn)
	f.Everybody("POST /sign-in/passkey", key.signIn)
	f.Everybody("POST /sign-out", c.signOut)
	f.Everybody("POST /language", c.chooseLanguage)
	f.Everybody("/", c.missing)
	f.Reader("GET /account", c.showAccount)
	f.Reader("POST /account/password", c.changePassword)
	f.Reader("POST /account/email", c.changeEmail)
	f.Reader("GET /account/two-step", step.showSteps)
	f.Reader("POST /account/two-step", step.withCode(step.confirmStep))
	f.Reader("POST /account/two-step/codes", step.withCode(step.renewCodes))
	f.Reader("POST /account/two-step/removal", step.withCode(step.turnOffStep))
	f.Reader("POST /account/passkeys/options", key.askAdding)
	f.Reader("POST /account/passkeys", key.add)
	f.Reader("POST /account/passkeys/removal", key.remove)
	f.Reader("POST /account/sessions/removal", c.endSessions)
	f.SignedIn("POST /account/away", c.setAway)
	f.Upload("POST /account/face", MaxFaceForm, face.setFace)
	f.SignedIn("POST /account/face/removal", face.removeFace)
	f.SignedIn("GET /faces/{face}", face.showFace)
	return c
}
