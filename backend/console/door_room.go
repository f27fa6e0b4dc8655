package console

// doorRoom is where operators come in, and what is theirs alone: the account.
type doorRoom struct {
	*Frame
	attempts       *attempts
	wholeAddresses func() bool
}

// mountDoor adds the door to the console. wholeAddresses tells whether clients' addresses are logged whole; it may be nil.
func mountDoor(f *Frame, wholeAddresses func() bool) *doorRoom {
	c := &doorRoom{f, newAttempts(f.now), wholeAddresses}
	f.Room(Room{Menu: []Entry{{Link: "/account", Icon: "user", Title: "account.short", Class: "only-small", Pages: []string{"account"}}}})
	f.Everybody("GET /setup", c.showSetup)
	f.Everybody("POST /setup", c.setUp)
	f.Everybody("GET /password", c.showNewPassword)
	f.Everybody("POST /password", c.setNewPassword)
	f.Everybody("GET /sign-in", c.showSignIn)
	f.Everybody("POST /sign-in", c.signIn)
	f.Everybody("POST /sign-out", c.signOut)
	f.Everybody("POST /language", c.chooseLanguage)
	f.Everybody("/", c.missing)
	f.SignedIn("GET /account", c.showAccount)
	f.SignedIn("POST /account/password", c.changePassword)
	f.SignedIn("POST /account/away", c.setAway)
	return c
}
