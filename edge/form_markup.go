package edge

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/seed-3405227d/frontdesk/backend/capture"
)

// maxMarkups is how many bytes of the markup of forms are kept, for all sites together.
const maxMarkups = 4 << 20

// markups hold what the forms of pages say of their fields. They come from samples of pages and are not stored. A form
// of a page that has not been sampled is read without its markup.
type markups struct {
	mu    sync.Mutex
	pages map[pageName]capture.Markup
	size  int
}

type pageName struct{ site, path string }

// keep keeps the markup of a page. It forgets other pages if there is no room.
func (m *markups) keep(site, path string, markup capture.Markup) {
	m.mu.Lock()
	defer m.mu.Unlock()
	page := pageName{site, path}
	m.forget(page)
	size := sizeOf(page, markup)
	if len(markup) == 0 || size > maxMarkups {
		return
	}
	for other := range m.pages {
		if m.size+size <= maxMarkups {
			break
		}
		m.forget(other)
	}
	if m.pages == nil {
		m.pages = make(map[pageName]capture.Markup)
	}
	m.pages[page] = markup
	m.size += size
}

func (m *markups) forget(page pageName) {
	if markup, known := m.pages[page]; known {
		m.size -= sizeOf(page, markup)
		delete(m.pages, page)
	}
}

func sizeOf(page pageName, markup capture.Markup) int {
	return len(page.site) + len(page.path) + 100 + markup.Size()
}

// of returns the markup of the page that sent the form, by the request's Referer. It returns nil if the markup is not
// known.
func (m *markups) of(site string, r *http.Request) capture.Markup {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pages[pageName{site, from.Path}]
}
