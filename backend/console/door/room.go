// Package door is where operators come in: signing in and out, the first account, new passwords, and those who guess
// them. It guards the routes of all rooms, and has the account of the operator who is in.
package door

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
)

//go:embed templates
var templates embed.FS

// Door is where operators come in, and what is theirs alone: the account.
type Door struct {
	*frame.Frame
	attempts       *attempts
	wholeAddresses func() bool
}

// Mount adds the door to the console. wholeAddresses tells whether clients' addresses are logged whole; it may be nil.
func Mount(f *frame.Frame, wholeAddresses func() bool) *Door {
	c := &Door{f, newAttempts(f.Now), wholeAddresses}
	f.Room(frame.Room{Templates: templates, Menu: []frame.MenuEntry{{Link: "/account", Icon: "user", Title: "account.short", Class: "only-small", Reader: true, Pages: []string{"account"}}}})
	f.Everybody("GET /setup", c.showSetup)
	f.Everybody("POST /setup", c.setUp)
	f.Everybody("GET /password", c.showNewPassword)
	f.Everybody("POST /password", c.setNewPassword)
	f.Everybody("GET /sign-in", c.showSignIn)
	f.Everybody("POST /sign-in", c.signIn)
	f.Everybody("POST /sign-out", c.signOut)
	f.Everybody("POST /language", c.chooseLanguage)
	f.Everybody("/", c.missing)
	f.Reader("GET /account", c.showAccount)
	f.Reader("POST /account/password", c.changePassword)
	f.SignedIn("POST /account/away", c.setAway)
	f.Upload("POST /account/face", MaxFaceForm, c.setFace)
	f.SignedIn("POST /account/face/removal", c.removeFace)
	f.SignedIn("GET /faces/{face}", c.showFace)
	return c
}
