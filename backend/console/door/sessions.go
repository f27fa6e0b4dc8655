package door

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/visit/agent"
)

// addressOf is the client's address as it may be kept and logged.
func (s Subjects) addressOf(r *http.Request) string {
	client := pace.Client(r.RemoteAddr)
	if s.WholeAddresses != nil && s.WholeAddresses() && client.IsValid() {
		return client.String()
	}
	return pace.Truncated(client)
}

// begin begins a session of the operator in the browser of the request, and notes with what. proven tells that more than a
// password was given.
func (c *Door) begin(r *http.Request, o operator.Operator, proven bool) error {
	if err := c.Sessions.Begin(r, o, proven, c.Now()); err != nil {
		return err
	}
	with := agent.Of(r.UserAgent())
	err := c.SignIns.Note(r.Context(), c.Sessions.Sign(r, o.Sites), signin.Client{Browser: with.Browser, System: with.System, Address: c.addressOf(r)})
	if err != nil { // a session that nobody sees is none
		_ = c.Sessions.End(r)
	}
	return err
}

// endSessions ends the session of the operator that the form names, or else all others.
func (c *Door) endSessions(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	if err := EndSessions(c.Frame, r, o.ID, c.Sessions.Sign(r, o.Sites).Token); err != nil {
		return err
	}
	return c.Back(w, r, "/account", "sessions.ended")
}

// EndSessions ends the session of the account that the form names, or else all but that of the name here. The error may be
// that of [signin.SignIns.End].
func EndSessions(f *frame.Frame, r *http.Request, account int64, here string) error {
	self, _ := frame.Current(r)
	if name := r.PostFormValue("session"); name != "" {
		return f.SignIns.End(r.Context(), self.Actor(), account, name)
	}
	return f.SignIns.EndOthers(r.Context(), self.Actor(), account, here)
}
