package post

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/leads"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/snippet"
)

const (
	// formBudget is how long the answer to a form waits until the database has stored the form. After that, the spool
	// keeps the form.
	formBudget = 250 * time.Millisecond
	// formTime bounds the time to store a form.
	formTime = 10 * time.Second
	// maxForms bounds the forms that are being stored at once.
	maxForms = 256
)

// FormOutcome says what became of a form that a rule matches.
type FormOutcome string

// The outcomes.
const (
	FormStored     FormOutcome = "stored"     // in the database: as a lead, as a part of one, or as what is known of the visitor
	FormRefused    FormOutcome = "refused"    // in the database, among the refused submissions
	FormFull       FormOutcome = "full"       // nowhere: it is refused, and no more of these are kept today
	FormEmpty      FormOutcome = "empty"      // nowhere: nothing is filled in
	FormWaits      FormOutcome = "waits"      // on the disk, for the database
	FormLost       FormOutcome = "lost"       // neither the database nor the disk has stored it
	FormFlood      FormOutcome = "flood"      // its client sends more forms than people do
	FormUnreadable FormOutcome = "unreadable" // the body is not what its type says
	FormUnagreed   FormOutcome = "unagreed"   // its sender has not agreed to tracking
)

// FormOutcomes are all outcomes.
var FormOutcomes = []FormOutcome{FormStored, FormRefused, FormFull, FormEmpty, FormWaits, FormLost, FormFlood, FormUnreadable, FormUnagreed}

// keptForm is a form that waits to be stored, with the parts of its request that matter.
type keptForm struct {
	ID     string             `json:"id"`            // as in [leads.Form]
	Key    string             `json:"key,omitempty"` // as in [leads.Form]
	At     time.Time          `json:"at"`
	Sent   time.Time          `json:"sent"` // when the request began
	Site   string             `json:"site"` // the site's key
	Rule   capture.Rule       `json:"rule"`
	Said   capture.Recognised `json:"said"`
	Status int                `json:"status"`           // 0 if there was no answer
	Broken bool               `json:"broken,omitempty"` // as in [leads.Form]
	Signed bool               `json:"signed,omitempty"` // as in [gate.Site]
	Region string             `json:"region,omitempty"` // by which its numbers are read
	// Service is the service elsewhere that gets the form. It is nil if this one has the site's visitors.
	Service *forward.Service `json:"service,omitempty"`

	Host      string   `json:"host"`
	Path      string   `json:"path"`
	Secure    bool     `json:"secure,omitempty"`
	Client    string   `json:"client"`
	Visitors  []string `json:"visitors,omitempty"` // the values of the visitor's cookies
	Cookies   string   `json:"cookies,omitempty"`  // the Cookie field for a service elsewhere, instead of Visitors
	Referer   string   `json:"referer,omitempty"`
	UserAgent string   `json:"user_agent,omitempty"`
	Language  string   `json:"language,omitempty"`

	waited bool // it has waited on the disk
}

// request returns the form's request, with the parts that matter.
func (k *keptForm) request() *http.Request {
	r := &http.Request{Method: http.MethodPost, Host: k.Host, URL: &url.URL{Path: k.Path}, RemoteAddr: k.Client, Header: http.Header{
		"Referer": {k.Referer}, "User-Agent": {k.UserAgent}, "Accept-Language": {k.Language},
	}}
	if k.Secure {
		r.URL.Scheme = "https"
	}
	if k.Cookies != "" {
		r.Header.Set("Cookie", k.Cookies)
	}
	for _, value := range k.Visitors {
		r.Header.Add("Cookie", string(view.VisitorCookie)+"="+value)
	}
	return r
}

// end stores the form, unless its sender has not agreed, its client sends too many, or it cannot be read. status is
// that of the site's answer. When end returns, the form is in the database or on the disk, or the log says that it is
// lost.
func (f *passingForm) end(status int, charset string) {
	body := f.take()
	if body == nil || f.Preview != nil {
		return
	}
	e, r, s, key := f.posts, f.asked, f.Site, f.Key
	if !f.Effect.Consent.Given(r.Header) {
		e.observer.Form(FormUnagreed)
		return
	}
	if desk, done, err := e.Service.Use(); err == nil {
		flood := desk.API.Leads.Floods(r)
		if flood && s.ID != 0 {
			desk.Refused.CountLost(s.ID)
		}
		done()
		if flood {
			e.Logger.Warn("a form was not kept: its client sends too many", zap.String("site", key))
			e.observer.Form(FormFlood)
			return
		}
	}
	forms := &e.markups
	forms.load(context.WithoutCancel(r.Context()), e.Shared, s)
	read, err := body.Form(forms.charset(key, r), charset)
	if err != nil {
		e.Logger.Debug("a form could not be read", zap.String("site", key), zap.Error(err))
		e.observer.Form(FormUnreadable)
		return
	}
	k := &keptForm{
		At: e.Service.Now(), Sent: f.sent, Site: key, Rule: *f.rule, Status: status, Broken: !f.whole(),
		Signed: f.Effect.Of.Settings.Variant == snippet.VariantA, Region: f.Effect.RegionFor(context.WithoutCancel(r.Context()), r.Host),
		Service: f.Effect.Of.Settings.Elsewhere(), Host: r.Host, Path: r.URL.Path, Secure: r.TLS != nil || r.URL.Scheme == "https", Client: r.RemoteAddr,
		Referer: r.Referer(), UserAgent: r.UserAgent(), Language: r.Header.Get("Accept-Language"),
	}
	k.Said = f.rule.Read(read, k.Region, forms.formOf(key, r, read))
	e.noteForm(s.ID, form.Answer{
		Path: form.PathOf(k.Path), Status: status, Fields: read.Names(), Kept: k.Said.Says() && !k.Said.Trapped && !k.Broken,
	})
	if k.Service != nil {
		k.Cookies = f.Effect.CookiesOf(r.Header)
	} else {
		k.Visitors = slices.Collect(view.VisitorCookie.Values(r.Header, f.Effect.Shared()))
	}
	if k.Said.Empty {
		e.observer.Form(FormEmpty)
		return
	}
	k.Key = keyOf(k, r.Header)
	k.ID = e.sent.idOf(k.Key, k.At)
	e.observer.Form(e.store(k))
}

// becomes are the outcomes of forms that the service has taken.
var becomes = map[leads.Kept]FormOutcome{leads.KeptStored: FormStored, leads.KeptRefused: FormRefused, leads.KeptNot: FormFull, leads.KeptEmpty: FormEmpty}

var (
	errManyForms = errors.New("too many forms are being stored")
	errSlow      = errors.New("the database has not stored it in time")
	errBehind    = errors.New("an earlier form of the same visitor waits")
)

// store stores the form in the database, or else on the disk.
func (e *Posts) store(k *keptForm) FormOutcome {
	kept, err := e.storeInTime(k)
	if err != nil {
		return e.keep(k, err)
	}
	return becomes[kept]
}

// storeInTime stores the form and waits for at most formBudget. Forms of one visitor are stored one after another.
func (e *Posts) storeInTime(k *keptForm) (leads.Kept, error) {
	if err := e.away(); err != nil {
		return "", err
	}
	if e.storing.Add(1) > maxForms {
		e.storing.Add(-1)
		return "", errManyForms
	}
	timer := time.NewTimer(formBudget)
	defer timer.Stop()
	visitor := k.visitor()
	done, ours := e.turns.wait(visitor, timer.C)
	if !ours {
		e.storing.Add(-1)
		return "", errSlow
	}
	defer done()
	if visitor != 0 && e.spool != nil && e.spool.Holds(visitor) {
		e.storing.Add(-1)
		return "", errBehind
	}
	type end struct {
		kept leads.Kept
		err  error
	}
	stored := make(chan end, 1)
	aside.Go(e.Logger, "storing a form", func() {
		defer e.storing.Add(-1)
		kept, err := e.storeForm(context.Background(), k)
		stored <- end{kept, err}
	})
	select {
	case end := <-stored:
		return end.kept, end.err
	case <-timer.C:
		return "", errSlow
	}
}

// away returns why the database cannot store anything now, or nil if it may.
func (e *Posts) away() error {
	desk, done, err := e.Service.Use()
	if err != nil {
		return err
	}
	defer done()
	if trouble := desk.DB.Trouble(); trouble != nil {
		return trouble
	}
	return nil
}

// storeForm stores the form. It takes formTime at most.
func (e *Posts) storeForm(ctx context.Context, k *keptForm) (kept leads.Kept, err error) {
	ctx, cancel := context.WithTimeout(ctx, formTime)
	defer cancel()
	desk, done, err := e.Service.Use()
	if err != nil {
		return "", err
	}
	defer done()
	if !e.Guard("storing a form", func() { kept, err = k.store(ctx, desk) }) {
		err = errors.New("storing it ended in a panic")
	}
	return kept, err
}

func (k *keptForm) store(ctx context.Context, desk *backend.Desk) (leads.Kept, error) {
	s, err := desk.Sites.ByKey(ctx, k.Site)
	if err != nil {
		return "", err
	}
	of := gate.Site{ID: s.ID, Key: s.Key, Signed: k.Signed, Uses: desk.Limits, Region: func(ctx context.Context) string {
		if k.Region != "" {
			return k.Region
		}
		region, _ := desk.Numbers.Region(ctx, s.ID) // if it cannot be read, it is empty
		return region
	}}
	if k.Service != nil {
		of.Service = *k.Service
		of.Forward = func(ctx context.Context, item forward.Item) error { return desk.Forwards.Add(ctx, s.ID, item) }
	}
	if k.waited {
		// The form's sender may have been erased in the meantime.
		erased, err := desk.Persons.ErasedSince(ctx, s.ID, k.At, of.Region(ctx), k.Said.Phone, k.texts()...)
		if err != nil || erased {
			return leads.KeptEmpty, err
		}
	}
	return desk.API.Leads.KeepForm(ctx, k.request(), of, leads.Form{ID: k.ID, Key: k.Key, At: k.At, Sent: k.Sent, Rule: &k.Rule, Said: k.Said, Status: k.Status, Broken: k.Broken})
}

// texts returns the texts of the form that may name somebody.
func (k *keptForm) texts() []string {
	texts := []string{k.Said.Name, k.Said.Email, k.Said.Message, k.Said.FormName}
	for name, value := range k.Said.UserFields {
		texts = append(texts, name, value)
	}
	return texts
}
