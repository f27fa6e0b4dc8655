// Package bulletins is the room of figures by mail: who gets those of which site, and how often. It writes the mails, too, in
// the words of the console.
package bulletins

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
)

//go:embed templates
var templates embed.FS

type room struct {
	*frame.Frame
	bulletins *bulletin.Bulletins
	hasMail   func() bool
}

// Mount adds the room to the console. hasMail tells whether this server's configuration has a mail server.
func Mount(f *frame.Frame, b *bulletin.Bulletins, hasMail func() bool) {
	c := &room{f, b, hasMail}
	f.Room(frame.Room{Templates: templates, Unknown: map[error]string{bulletin.ErrUnknown: "fail.notFound"}})
	f.Admin("GET "+here, c.With("bulletins", c.list))
	f.Admin("POST "+here, c.With("bulletins", c.add))
	f.Admin("POST "+here+"/{site}/{subscriber}/paused", c.pause)
	f.Admin("POST "+here+"/{site}/{subscriber}/test", c.test)
	f.Admin("POST "+here+"/{site}/{subscriber}/removal", c.remove)
}
