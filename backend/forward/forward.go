// Package forward sends what a node keeps for a service elsewhere: leads and visitor information, by the two requests
// of the browser interface for sites' servers (sections 4.2 and 4.3), and requests of pages that the service could not
// take at the time.
//
// An item is durable before anybody hears that it was taken. It is sent until the service has taken it, however long
// that is. An item that the service refuses is kept with the reason.
package forward

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
)

// Kind is the kind of the jobs.
const Kind = "forward"

// Service is a service with the browser interface.
type Service struct {
	// URL is its consultant_server_url, with a slash at the end.
	URL string `json:"url"`
	// Tracker is its tracker_url, without a slash at the end.
	Tracker string `json:"tracker"`
}

// ParseService reads the two addresses. An empty tracker means the address without its slash.
func ParseService(address, tracker string) (Service, error) {
	s := Service{URL: strings.TrimRight(address, "/") + "/", Tracker: strings.TrimRight(tracker, "/")}
	if err := checkAddress(s.URL); err != nil {
		return Service{}, err
	}
	if s.Tracker == "" {
		s.Tracker = strings.TrimRight(s.URL, "/")
	}
	return s, checkAddress(s.Tracker)
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q is not the address of a service: expected one such as https://desk.example/frontdesk/", address)
	}
	return nil
}

// Item is something that waits to be sent. Its texts are as the visitor sent them.
type Item struct {
	// ID identifies the item, with 16 to 64 characters of base64url. The service recognises an item that comes again by
	// it.
	ID      string  `json:"id"`
	Service Service `json:"service"`
	SiteKey string  `json:"site_key"`
	// Signed says that the service has variant A of the interface (section 9).
	Signed bool `json:"signed,omitempty"`
	// Fields are those of a lead (section 4.2), without credentials. Information is the visitor's name, email and phone
	// (section 4.3). One of Fields, Information and Call is not nil.
	Fields      url.Values `json:"fields,omitempty"`
	Information url.Values `json:"information,omitempty"`
	// Marks are the reasons to think that a program made the lead. SiteError is the status with which the site has
	// answered its form. Both are as in package lead. Other services ignore them.
	Marks     []string `json:"marks,omitempty"`
	SiteError int      `json:"site_error,omitempty"`
	// Key is the key of the lead's form, by which the service recognises a form that was sent twice. At is when it was
	// sent.
	Key string    `json:"key,omitempty"`
	At  time.Time `json:"at,omitzero"`
	// Credentials are those that came with the form, as they were sent.
	Credentials map[string]string `json:"credentials,omitempty"`
	// From is the browser. Without credentials, the service is asked for those of its visit.
	From Browser `json:"from"`
	// Call is a request to the service that has to be sent again.
	Call *Call `json:"call,omitempty"`
}

// Browser is what a request says about a visitor's browser.
type Browser struct {
	// Page is the address of the page, and Client the address of the browser itself.
	Page   string `json:"page,omitempty"`
	Client string `json:"client,omitempty"`
	// Cookie is a Cookie field that contains only the service's own cookies.
	Cookie    string `json:"cookie,omitempty"`
	UserAgent string `json:"user_agent,omitempty"`
	Language  string `json:"language,omitempty"`
}

// Call is a request under the service's address.
type Call struct {
	Method string `json:"method"`
	// Path is relative to the service's address, and includes the query.
	Path   string      `json:"path"`
	Header http.Header `json:"header"`
	Body   string      `json:"body"`
}

// lane returns the lane in which the items of a visitor stay in order. If the visitor is not known, the form decides.
func (i *Item) lane() int64 {
	whose := cmp.Or(i.Credentials["visitor_id"], i.From.Cookie, i.Key)
	if whose == "" {
		return 0
	}
	return int64(uint64(db.Hash(whose)) >> 1)
}

// visitor returns the visitor that the item names, or 0.
func (i *Item) visitor() int64 {
	id, err := strconv.ParseInt(i.Credentials["visitor_id"], 10, 64)
	if err != nil || id < 0 || id >= 1<<53 {
		return 0
	}
	return id
}

// Observer counts attempts by their [Outcome]. It must not block.
type Observer interface {
	Forwarded(Outcome)
}

// Outcome says what became of an attempt to send an item.
type Outcome string

// The outcomes.
const (
	Taken   Outcome = "taken"   // by the service
	Refused Outcome = "refused" // for good; the item is kept with the reason
	Failed  Outcome = "failed"  // the service is away, or wants a pause
)

// Outcomes are all outcomes.
var Outcomes = []Outcome{Taken, Refused, Failed}

// Forwards sends items. It is safe for concurrent use.
type Forwards struct {
	db       *db.DB
	client   *http.Client
	observer Observer
}

// New returns the forwards of the queue, which must not run yet.
func New(d *db.DB, q *queue.Queue, observer Observer) *Forwards {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	// A connection of HTTP/2 that has died is noticed, and not used on.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}
	f := &Forwards{db: d, observer: observer, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	q.Handle(Kind, queue.Handler{Do: f.do, Timeout: timeout})
	return f
}

// timeout bounds an attempt, which has at most three requests.
const timeout = 20 * time.Second

// Add adds an item to be sent. It is durable when Add returns nil.
func (f *Forwards) Add(ctx context.Context, siteID int64, item Item) error {
	payload, err := json.Marshal(item)
	if err != nil {
		return fmt.Errorf("writing what is to be forwarded: %w", err)
	}
	job := queue.Job{SiteID: siteID, Kind: Kind, Target: item.Service.URL, Lane: item.lane(), VisitorID: item.visitor(), Payload: payload}
	if err := f.db.Write(ctx, job.Lane, func(ctx context.Context, tx db.Tx) error { return queue.Add(ctx, tx, job) }); err != nil {
		return fmt.Errorf("keeping what is to be forwarded: %w", err)
	}
	return nil
}

func (f *Forwards) do(ctx context.Context, j queue.Job) error {
	var item Item
	if err := json.Unmarshal(j.Payload, &item); err != nil {
		return queue.Never(fmt.Errorf("it cannot be read: %w", err))
	}
	err := f.send(ctx, &item)
	switch {
	case err == nil:
		f.observer.Forwarded(Taken)
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return err // this node stops
	default:
		if refused, ok := errors.AsType[refusal](err); ok {
			f.observer.Forwarded(Refused)
			return queue.Never(refused)
		}
		f.observer.Forwarded(Failed)
		err = queue.Away(err)
	}
	return err
}
