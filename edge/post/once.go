package post

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/leads"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
)

// keyOf returns the form's key, which reveals nothing about the form. Forms have the same key if the same client says
// the same and the same rule matches. The client is the visitor, if the cookie or the form's credentials identify one,
// or else the network and the browser. header is that of the form's request.
func keyOf(k *keptForm, h http.Header) string {
	who := slices.Collect(view.VisitorCookie.Values(h, false))
	if len(who) == 0 && k.Said.Credentials["visitor_id"] != "" {
		who = []string{"of", k.Said.Credentials["visitor_id"]}
	}
	if len(who) == 0 {
		who = []string{"at", gate.TruncatedClient(k.Client), k.UserAgent}
	}
	said := k.Said
	said.Credentials = nil // they differ in another view of the page
	content, err := json.Marshal([]any{k.Site, k.Rule.Path, who, said})
	if err != nil { // texts do not fail
		return rand.Text()
	}
	hash := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

// maxSentForms is how many forms are remembered, so that a form that is sent twice has one id.
const maxSentForms = 1 << 12

// sentForms remembers the ids of the forms of the last ten minutes.
type sentForms struct {
	mu    sync.Mutex
	known *simplelru.LRU[string, sentForm]
}

type sentForm struct {
	id string
	at time.Time
}

// idOf returns the id of the form with the key that was sent at the time. It is a new one if the form was first sent
// more than [leads.FormWindow] ago.
func (s *sentForms) idOf(key string, at time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known, _ = simplelru.NewLRU[string, sentForm](maxSentForms, nil) // the size is positive
	}
	if first, found := s.known.Get(key); found && at.Sub(first.at) <= leads.FormWindow {
		return first.id
	}
	id := rand.Text()
	s.known.Add(key, sentForm{id, at})
	return id
}
