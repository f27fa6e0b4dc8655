package post

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

const (
	// foundBurst is how many forms of one client are read at once that no rule keeps, and foundPause the time between
	// later ones.
	foundBurst, foundPause = 20, 5 * time.Second
	// maxFound bounds the forms that wait to be read, each of 256 KB at most.
	maxFound = 32
	// restPerWork is how long the reader of found forms rests, as a multiple of the time that it has worked. So it takes
	// a fifth of a processor at most.
	restPerWork = 4
)

// noticed passes a request on whose form no rule keeps, and notes how the site answers it. It keeps the body only if
// the form's fields are not known yet. The body is read after the answer has gone on. Nothing is kept of what people
// have written, only the names of the fields.
func (p *Posts) noticed(w http.ResponseWriter, r *http.Request, q *effect.Request, body *posted.Body, next effect.Next) error {
	if q.Err != nil || len(q.URL.Path) > form.MaxPath || !q.Effect.Consent.Given(r.Header) || q.Preview != nil {
		return next(w, r)
	}
	found := &foundForm{host: r.Host, answer: form.Answer{Path: form.PathOf(q.URL.Path)}}
	finding := p.finding
	switch {
	case p.formKnown(q.Site, found.answer.Path):
		body = nil
	case !finding.admits(cmp.Or(q.Client, r.RemoteAddr)):
		p.observer.Found(FoundDropped)
		body = nil
	}
	found.passingForm = p.passing(q, r, nil, body)
	defer found.share.Close()
	defer func() { finding.add(r.Context(), found) }()
	return found.passes(w, r, func(status int, charset string) { found.answer.Status, found.charset = status, charset }, next)
}

func (e *Posts) formKnown(s site.Site, path string) bool {
	desk, done, err := e.Service.Use()
	if err != nil {
		return true
	}
	defer done()
	return desk.Forms.Known(s.ID, path)
}

// noteForm notes how the site has answered a form. A site of no number was not found in time.
func (e *Posts) noteForm(siteID int64, answer form.Answer) {
	if desk, done, err := e.Service.Use(); err == nil && siteID != 0 {
		desk.Forms.Note(siteID, answer)
		done()
	}
}

// FoundOutcome says what became of the body of a form that no rule keeps, while its fields are not known.
type FoundOutcome string

// The outcomes.
const (
	FoundRead    FoundOutcome = "read"    // for the names of its fields
	FoundDropped FoundOutcome = "dropped" // too many forms are read, or too many of its client
	FoundGone    FoundOutcome = "gone"    // its client has gone before the answer
)

// FoundOutcomes are all outcomes.
var FoundOutcomes = []FoundOutcome{FoundRead, FoundDropped, FoundGone}

// foundForm is a form that no rule keeps.
type foundForm struct {
	*passingForm
	answer  form.Answer // without the fields
	charset string      // that of the site's answer
	host    string
	kept    *posted.Body
}

// finding reads the forms that no rule keeps, one after another, for the names of their fields.
type finding struct {
	posts *Posts
	queue chan *foundForm

	mu      sync.Mutex
	clients pace.ByNetwork
}

func newFinding(p *Posts) *finding {
	return &finding{posts: p, queue: make(chan *foundForm, maxFound), clients: pace.NewByNetwork(foundBurst, foundPause)}
}

// admits says whether another form of the client is to be read, and counts it if so.
func (g *finding) admits(client string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return pace.Take(time.Now(), g.clients.Of(pace.Client(client))...) == 0
}

// add has a form read after its answer has gone on. It never waits. If the client has gone, or there is no room for the
// form, it notes only the answer, if there was one.
func (g *finding) add(ctx context.Context, f *foundForm) {
	if f.kept = f.take(); f.kept != nil {
		if ctx.Err() != nil {
			g.posts.observer.Found(FoundGone)
		} else if f.answer.Status != 0 {
			select {
			case g.queue <- f:
				return
			default:
				g.posts.observer.Found(FoundDropped)
			}
		}
	}
	if f.answer.Status != 0 {
		g.posts.noteForm(f.Site.ID, f.answer)
	}
}

// run reads the forms until ctx is done.
func (g *finding) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-g.queue:
			began := time.Now()
			g.posts.Guard("reading a form that was found", f.read)
			aside.Sleep(ctx, restPerWork*time.Since(began))
		}
	}
}

// read notes the site's answer with the names of the fields. It ignores a form in which people say nothing of
// themselves, and a form that the site refuses with a 4xx status.
func (f *foundForm) read() {
	e := f.posts
	defer e.observer.Found(FoundRead)
	read, err := f.kept.Form(f.charset)
	if err != nil || !capture.Recognise(read, f.Effect.RegionFor(context.Background(), f.host), nil).Says() || 400 <= f.answer.Status && f.answer.Status < 500 {
		return
	}
	f.answer.Fields = read.Names()
	e.noteForm(f.Site.ID, f.answer)
}
