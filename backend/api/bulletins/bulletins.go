// Package bulletins answers the link in each bulletin by which its reader gets no more of them.
package bulletins

import (
	"errors"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
)

// Readers serves the route.
type Readers struct{ bulletins *bulletin.Bulletins }

// New returns the route of the bulletins' readers.
func New(b *bulletin.Bulletins) *Readers { return &Readers{b} }

// Routes is the route.
func (a *Readers) Routes() []gate.Route {
	return []gate.Route{{Path: bulletin.StopPath, Methods: gate.GetOrPost, Opens: gate.OfAddress, Stream: a.stop}}
}

// stop serves v1/bulletin/stop?t=TOKEN: no more figures are wanted. Programs that look at links open them, so a button or
// the reader's mail program says so, by POST (RFC 8058).
func (a *Readers) stop(r *gate.Request) error {
	s, err := a.bulletins.OfToken(r.Context(), r.Site.ID, r.URL.Query().Get("t"))
	if errors.Is(err, bulletin.ErrUnknown) {
		letter.GonePage(r.Header.Get("Accept-Language")).Answer(r.W, http.StatusNotFound)
		return nil
	}
	if err == nil && r.Method == http.MethodPost {
		if err = a.bulletins.Stop(r.Context(), s); err == nil {
			s.State = bulletin.Stopped
		}
	}
	if err != nil {
		return err
	}
	letter.UnsubscribePage(s.Language, s.State == bulletin.Stopped).Answer(r.W, http.StatusOK)
	return nil
}
