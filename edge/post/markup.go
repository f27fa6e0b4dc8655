package post

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

const (
	// maxMarkups bounds the markup of forms in memory, in bytes, for all sites together.
	maxMarkups = 4 << 20
	// markupTime is how long a form waits for the stored markup.
	markupTime = 50 * time.Millisecond
	// readMarkupsAgain is how long the markup of a site in memory is valid. Other nodes look at pages too.
	readMarkupsAgain = time.Hour
)

// markups are what the forms of pages say about their fields, by the sites' keys. They come from samples of pages, and
// from the database, which keeps them over a restart.
type markups struct {
	mu    sync.Mutex
	sites map[string]*siteMarkups
	size  int
}

// siteMarkups are the markups of a site, by the paths of its pages as [form.PathOf] returns them.
type siteMarkups struct {
	pages map[string]capture.Markup
	read  time.Time // from the database
}

// keep keeps the markup of a page. It forgets other pages if there is no room.
func (m *markups) keep(site, path string, markup capture.Markup) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(site, path)
	size := sizeOf(site, path, markup)
	if len(markup) == 0 || size > maxMarkups {
		return
	}
	for other, of := range m.sites {
		for page := range of.pages {
			if m.size+size <= maxMarkups {
				break
			}
			m.forget(other, page)
			of.read = time.Time{}
		}
		if m.size+size <= maxMarkups {
			break
		}
	}
	m.of(site).pages[path] = markup
	m.size += size
}

// of returns the markups of a site. The caller holds the lock.
func (m *markups) of(site string) *siteMarkups {
	if m.sites == nil {
		m.sites = make(map[string]*siteMarkups)
	}
	of := m.sites[site]
	if of == nil {
		of = &siteMarkups{pages: make(map[string]capture.Markup)}
		m.sites[site] = of
	}
	return of
}

func (m *markups) forget(site, path string) {
	of := m.sites[site]
	if of == nil {
		return
	}
	if markup, known := of.pages[path]; known {
		m.size -= sizeOf(site, path, markup)
		delete(of.pages, path)
	}
}

func sizeOf(site, path string, markup capture.Markup) int {
	return len(site) + len(path) + 100 + markup.Size()
}

// due says whether the markup of the site has to be read from the database, and notes that it is being read.
func (m *markups) due(site string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.of(site)
	if now.Sub(of.read) < readMarkupsAgain {
		return false
	}
	of.read = now
	return true
}

// known says whether this process has already looked at the page or read its markup.
func (m *markups) known(site, path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(site).pages[path] != nil
}

// load reads the stored markup of the site, if that has not happened lately.
func (m *markups) load(ctx context.Context, e *effect.Shared, s site.Site) {
	if s.ID == 0 || !m.due(s.Key, time.Now()) {
		return
	}
	desk, done, err := e.Service.Use()
	var pages []form.Page
	if err == nil {
		defer done()
		ctx, cancel := context.WithTimeout(ctx, markupTime)
		defer cancel()
		pages, err = desk.Forms.Pages(ctx, s.ID)
	}
	if err != nil {
		e.Logger.Debug("the markup of forms could not be read", zap.String("site", s.Key), zap.Error(err))
		m.mu.Lock()
		m.of(s.Key).read = time.Time{}
		m.mu.Unlock()
		return
	}
	for _, p := range pages {
		var markup capture.Markup
		if !m.known(s.Key, p.Path) && json.Unmarshal([]byte(p.Markup), &markup) == nil {
			m.keep(s.Key, p.Path, markup)
		}
	}
}

// store keeps the markup of a page in memory and in the database.
func (m *markups) store(ctx context.Context, forms *form.Forms, s site.Site, path string, markup capture.Markup) error {
	path = form.PathOf(path)
	m.keep(s.Key, path, markup)
	text := ""
	if len(markup) > 0 {
		encoded, err := json.Marshal(markup)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	return forms.KeepPage(ctx, s.ID, form.Page{Path: path, Markup: text})
}

// pageOf returns the markup of the page that sent the form, by the request's Referer, or nil if it is not known.
func (m *markups) pageOf(site string, r *http.Request) capture.Markup {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(site).pages[form.PathOf(from.Path)]
}

// charset returns the character set of the page that sent the form, or else of any page of the site, or "".
func (m *markups) charset(site string, r *http.Request) string {
	if page := m.pageOf(site, r); page != nil {
		return page.Charset()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, page := range m.of(site).pages {
		return page.Charset()
	}
	return ""
}

// maxCompared bounds the pages of a site with which a form is compared if its own page is not known.
const maxCompared = 200

// formOf returns the markup of the page that sent the form. If that page is not known, it returns another page of the
// site with such a form: many sites have one form on all pages.
func (m *markups) formOf(site string, r *http.Request, read posted.Form) capture.Markup {
	if page := m.pageOf(site, r); page.Knows(read) > 0 {
		return page
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var best capture.Markup
	compared := 0
	for _, page := range m.of(site).pages {
		if compared++; compared > maxCompared {
			break
		}
		if page.IsOf(read) && page.Knows(read) > best.Knows(read) {
			best = page
		}
	}
	return best
}
