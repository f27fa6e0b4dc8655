package conversions

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// fileOf is a file that a destination has for its platform.
type fileOf struct{ Name, Address string }

// filesOf are the files of the destination, with the addresses at which its platform fetches them.
func filesOf(r *http.Request, e notify.Endpoint) (files []fileOf) {
	scheme := "http"
	if r.TLS != nil || r.URL.Scheme == "https" {
		scheme = "https"
	}
	for _, name := range conversion.Files(e.Kind) {
		files = append(files, fileOf{name, fmt.Sprintf("%s://%s/feeds/%d-%d/%s", scheme, r.Host, e.SiteID, e.ID, name)})
	}
	return files
}

// newPassword gives the destination another password, and shows it.
func (c *room) newPassword(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	e, err := c.stored(r, named.ID, r.PathValue("destination"))
	if err != nil {
		return err
	}
	if !conversion.IsFetched(e.Kind) {
		return frame.NotFound
	}
	password, credential := conversion.NewPassword()
	e.Credential = credential
	if err := c.Conversions.Deliveries.Endpoints.Change(r.Context(), e, f.Operator.Login); err != nil {
		return c.wrong(w, r, f, named, destinationPage{Endpoint: e, To: conversion.Of(e)}, err)
	}
	e.Version++
	return c.page(w, r, http.StatusOK, f, named, destinationPage{Endpoint: e, To: conversion.Of(e), Password: password})
}

// download sends a file of the destination to an admin.
func (c *room) download(w http.ResponseWriter, r *http.Request, _ frame.Page, named site.Site) error {
	e, err := c.stored(r, named.ID, r.PathValue("destination"))
	if err != nil {
		return err
	}
	return c.write(w, r, e)
}

// write writes the file that the address names.
func (c *room) write(w http.ResponseWriter, r *http.Request, e notify.Endpoint) error {
	name := r.PathValue("table")
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%d-%s"`, e.Kind, e.ID, name))
	err := c.Conversions.WriteFile(r.Context(), w, e, name)
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}

// fetching has platforms fetch files, by a login and a password of each destination. Attempts that fail are counted by
// networks: who knows the password never waits for those who do not.
type fetching struct {
	*room
	mu       sync.Mutex
	failures pace.ByNetwork
}

func (c *fetching) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if wait := c.wait(r); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		http.Error(w, "too many attempts", http.StatusTooManyRequests)
		return
	}
	login, password, _ := r.BasicAuth()
	siteID, id := ids(r.PathValue("feed"))
	e, err := c.Conversions.Deliveries.Endpoints.Get(r.Context(), siteID, id)
	if err != nil && !c.IsUnknown(err) {
		c.failed(w, err)
		return
	}
	if !conversion.MayFetch(e, login, password) || !e.PausedAt.IsZero() {
		c.count(r)
		w.Header().Set("WWW-Authenticate", `Basic realm="conversions", charset="UTF-8"`)
		http.Error(w, "expected the login and the password of the destination", http.StatusUnauthorized)
		return
	}
	switch err := c.write(w, r, e); {
	case err == nil:
	case c.IsUnknown(err):
		http.NotFound(w, r)
	default:
		c.failed(w, err)
	}
}

func (c *fetching) failed(w http.ResponseWriter, err error) {
	c.Logger.Warn("sending a file of conversions failed", zap.Error(err))
	http.Error(w, "not now", http.StatusServiceUnavailable)
}

func (c *fetching) wait(r *http.Request) (wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tally := range c.failures.Of(pace.Client(r.RemoteAddr)) {
		wait = max(wait, tally.Wait(c.Now()))
	}
	return wait
}

func (c *fetching) count(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tally := range c.failures.Of(pace.Client(r.RemoteAddr)) {
		tally.End(c.Now(), true)
	}
}

// ids are those in the name of a feed, "<site>-<endpoint>"; 0 where it is none.
func ids(feed string) (siteID, id int64) {
	before, after, _ := strings.Cut(feed, "-")
	siteID, _ = strconv.ParseInt(before, 10, 64)
	id, _ = strconv.ParseInt(after, 10, 64)
	return siteID, id
}
