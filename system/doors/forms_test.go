package doors

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"
)

// What the site answers to a form, or what else goes wrong.
const (
	answers200 = "200"
	answers302 = "302"
	answers400 = "400"
	answers500 = "500"
	noAnswer   = "none"
	clientGone = "gone"
	slow       = "database slow"
	full       = "disk full"
)

var faults = []string{answers200, answers302, answers400, answers500, noAnswer, clientGone, slow, full}

// posted is one form of one visitor.
type posted struct {
	*builder
	language
	country
	id        int
	number    *phonenumbers.PhoneNumber
	phone     string // as the visitor writes it
	region    bool   // the site's country is known to be the visitor's
	marked    bool   // the page of the form has been seen
	restarted bool   // the program has ended and begun again since then
	brief     bool   // name and number alone are filled in
	fault     string
	page      string // its path
}

// String says what is special about it.
func (f *posted) String() string {
	said := []string{f.builder.name, f.language.name, f.phone, f.fault}
	for word, is := range map[string]bool{"without region": !f.region, "without markup": !f.marked, "after a restart": f.restarted, "name and number alone": f.brief} {
		if is {
			said = append(said, word)
		}
	}
	slices.Sort(said[4:])
	return strings.Join(said, ", ")
}

// posts are those of all builders. Each builder meets each language, country, writing of a number and fault, and each
// combination of region, markup and restart, at least once.
func posts(t testing.TB, all []*builder) (list []*posted) {
	for b, of := range all {
		for i := range len(countries) {
			f := &posted{
				builder: of, id: len(list), language: languages[(i+b/2)%len(languages)], country: countries[(b+i)%len(countries)],
				region: (i^b)&1 == 0, marked: (i^b)&2 == 0, restarted: (i^b)&4 == 0, brief: (i+b/8)%2 == 0, fault: faults[(i+3*b)%len(faults)],
			}
			number, err := phonenumbers.Parse(f.mobile(f.id), "")
			require.NoError(t, err)
			f.number = number
			switch (i + b/2) % 3 {
			case 0:
				f.phone = phonenumbers.Format(number, phonenumbers.NATIONAL)
			case 1:
				f.phone = phonenumbers.Format(number, phonenumbers.INTERNATIONAL)
			default:
				f.phone = phonenumbers.NormalizeDigitsOnly(phonenumbers.Format(number, phonenumbers.NATIONAL))
			}
			list = append(list, f)
		}
	}
	return list
}

// site is the key of the site that the form is sent to.
func (f *posted) site() string {
	if f.region {
		return strings.ToLower(f.country.region)
	}
	return "none"
}

func (f *posted) host(p *program) string { return p.Text(f.site() + ".example:$SHOP_PORT") }

func (f *posted) values() map[string]string {
	values := map[string]string{"name": f.first + " " + f.last, "first": f.first, "last": f.last, "phone": f.phone, "email": "", "message": ""}
	if !f.brief {
		values["email"] = fmt.Sprintf("visitor%d@example.com", f.id)
		values["message"] = f.says
	}
	return values
}

// wholeNumber tells whether the program can know which number it is.
func (f *posted) wholeNumber() bool { return f.region || f.phone[0] == '+' }

// shop is the site's origin.
type shop struct {
	pages map[string]string // by host and path

	mu      sync.Mutex
	arrived map[string]func() // by the id of a form: the client goes
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Method == http.MethodGet {
		io.WriteString(w, s.pages[r.Host+r.URL.Path])
		return
	}
	switch fault := r.Header.Get("Fault"); fault {
	case noAnswer:
		panic(http.ErrAbortHandler)
	case clientGone:
		s.mu.Lock()
		leave := s.arrived[r.Header.Get("Form")]
		s.mu.Unlock()
		leave()
		select {
		case <-r.Context().Done():
		case <-time.After(wait):
		}
	case answers302, answers400, answers500:
		w.Header().Set("Location", "/thanks")
		status, _ := strconv.Atoi(fault) // one of these
		w.WriteHeader(status)
	default:
		io.WriteString(w, "<!doctype html><title>Thanks</title><p>Thanks</p>")
	}
}

const shops = `{
	servers {
		trusted_proxies static 127.0.0.0/8 ::1
		trusted_proxies_strict
	}
	frontdesk {
		database sqlite $DIR/frontdesk.db
		operator vera {env.TEST_HASH}
	}
}
http://localhost:$DESK_PORT {
	frontdesk_console
}
`

// shopsOf is the Caddyfile of a site for each country, and of one without any, that keep the forms of all builders.
func shopsOf(all []*builder) string {
	var captures []string
	for _, b := range all {
		if !slices.Contains(captures, b.capture) {
			captures = append(captures, b.capture)
		}
	}
	caddyfile := shops
	for _, c := range append([]country{{}}, countries...) {
		key, region := "none", ""
		if c.region != "" {
			key, region = strings.ToLower(c.region), "region "+c.region
		}
		caddyfile += "http://" + key + ".example:$SHOP_PORT {\n\tfrontdesk " + key + " {\n\t\t" + region + "\n\t\tcapture " +
			strings.Join(captures, "\n\t\tcapture ") + "\n\t}\n\treverse_proxy $SITE\n}\n"
	}
	return caddyfile
}

// browser is a user agent.
const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

// do sends a request to the shop, as from an address of its own.
func (f *posted) do(ctx context.Context, p *program, method, path, contentType, body string) error {
	request, err := http.NewRequestWithContext(ctx, method, p.Text("http://127.0.0.1:$SHOP_PORT")+path, strings.NewReader(body))
	require.NoError(p.T, err)
	request.Host = f.host(p)
	for name, value := range map[string]string{
		"User-Agent": browser, "X-Forwarded-For": fmt.Sprintf("203.0.%d.%d", f.id/256, f.id%256), "Fault": f.fault, "Form": strconv.Itoa(f.id),
		"Content-Type": contentType, "Referer": "http://" + f.host(p) + f.page,
	} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// sendAll sends the forms, some at a time.
func (s *shop) sendAll(p *program, forms []*posted) {
	p.T.Helper()
	var sending sync.WaitGroup
	places := make(chan struct{}, 32)
	for _, f := range forms {
		places <- struct{}{}
		sending.Go(func() {
			defer func() { <-places }()
			ctx, cancel := context.WithTimeout(p.T.Context(), wait)
			defer cancel()
			s.mu.Lock()
			s.arrived[strconv.Itoa(f.id)] = cancel
			s.mu.Unlock()
			contentType, body := f.send(p.T, f.values())
			err := f.do(ctx, p, http.MethodPost, f.path, contentType, body)
			if (err != nil) != (f.fault == clientGone) {
				p.T.Errorf("%v: %v", f, err)
			}
		})
	}
	sending.Wait()
}

// formsOnPage is how many forms a page of the shop has.
const formsOnPage = 15

// print makes the pages of the forms, and has those looked at that are to be known.
func (s *shop) print(p *program, forms []*posted) {
	p.T.Helper()
	known, on := 0, make(map[string]int) // pages, and forms of each kind of page
	for _, f := range forms {
		kind := fmt.Sprint(f.host(p), f.marked)
		f.page = fmt.Sprintf("/contact-%v-%d", f.marked, on[kind]/formsOnPage)
		on[kind]++
		address := f.host(p) + f.page
		if s.pages[address] == "" {
			s.pages[address] = fmt.Sprintf("<!doctype html><title>Lamps</title><p>+7 495 100-%02d-00", len(s.pages))
		}
		s.pages[address] += f.show(f.words())
	}
	d, err := sql.Open("sqlite", "file:"+p.database)
	require.NoError(p.T, err)
	defer d.Close()
	for _, f := range forms {
		if !f.marked {
			continue
		}
		if address := f.host(p) + f.page; s.pages[address] != "" {
			known++
			var learned int
			require.Eventually(p.T, func() bool { // three a second are looked at, and not when many wait
				require.NoError(p.T, f.do(p.T.Context(), p, http.MethodGet, f.page, "", ""))
				require.NoError(p.T, d.QueryRow("SELECT COUNT(*) FROM shown_pages").Scan(&learned))
				return learned >= known
			}, wait, 20*time.Millisecond)
			delete(s.pages, address)
		}
	}
}

// whileLocked does something while somebody else writes to the database.
func (p *program) whileLocked(do func()) {
	p.T.Helper()
	d, err := sql.Open("sqlite", "file:"+p.database+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	require.NoError(p.T, err)
	defer d.Close()
	tx, err := d.BeginTx(p.T.Context(), nil)
	require.NoError(p.T, err)
	do()
	require.NoError(p.T, tx.Rollback())
}

var rowOfLead = regexp.MustCompile(`<li id="lead-\d+-\d+"`)

// leads is how many the console finds by the search.
func (p *program) leads(search string) int {
	p.T.Helper()
	a := p.at("desk").send(request{method: http.MethodGet, path: "/leads?" + fields("q", search), fields: []string{"Cookie: " + p.cookie}})
	require.Equal(p.T, http.StatusOK, a.status, "%s", a.body)
	return len(rowOfLead.FindAll(a.body, -1))
}

var refusedOfPerson = regexp.MustCompile(`<dt>Refused leads</dt><dd class="figure">(\d+)`)

// refused is how many refused leads the console finds of whom has the number.
func (p *program) refused(number string) int {
	p.T.Helper()
	a := p.at("desk").send(post("/person", formType, fields("who", number), "Cookie: "+p.cookie, "Accept-Language: en"))
	require.Equal(p.T, http.StatusOK, a.status, "%s", a.body)
	found := refusedOfPerson.FindSubmatch(a.body)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(string(found[1]))
	require.NoError(p.T, err)
	return n
}

// missing says what is wrong with what an operator finds of the form; empty if nothing is.
func (f *posted) missing(p *program) string {
	leads := p.leads(f.phone)
	switch {
	case leads > 1:
		return fmt.Sprintf("it is %d leads", leads)
	case leads == 1 && f.wholeNumber() && p.leads(phonenumbers.Format(f.number, phonenumbers.E164)) != 1:
		return "its number is not known with the code of its country"
	case leads == 0 && p.refused(f.phone) == 0:
		return "it is neither a lead nor a refused request"
	}
	return ""
}

// Every kind of form that the web's builders make is found by its visitor's number, whatever happens on its way.
func TestEveryFormIsFound(t *testing.T) {
	onDisk(t, "128m", func(d *disk) {
		t.Setenv("TEST_HASH", hash)
		builders := readBuilders(t)
		forms := posts(t, builders)
		s := &shop{pages: make(map[string]string), arrived: make(map[string]func())}
		origin := httptest.NewServer(s)
		defer origin.Close()
		caddyfile := shopsOf(builders)
		p := run(t, caddyfile, "$DIR", d.folder, "$SITE", strings.TrimPrefix(origin.URL, "http://"))
		s.print(p, forms)
		for _, restarted := range []bool{false, true} {
			if restarted {
				require.NoError(t, caddy.Stop())
				http.DefaultClient.CloseIdleConnections() // a post is not sent again on another
				require.NoError(t, p.Load(caddyfile))
				p.Ready()
			}
			by := make(map[string][]*posted)
			for _, f := range forms {
				if f.restarted != restarted {
					continue
				}
				switch f.fault {
				case slow, full:
					by[f.fault] = append(by[f.fault], f)
				default:
					by[""] = append(by[""], f)
				}
			}
			s.sendAll(p, by[""])
			p.whileLocked(func() { s.sendAll(p, by[slow]) })
			free := d.fill()
			s.sendAll(p, by[full])
			free()
		}

		p.signIn("vera", password)
		p.await(func() bool { return p.Metric("frontdesk_forms_waiting") == 0 })
		for _, f := range forms {
			wrong := f.missing(p)
			for late := time.Now().Add(wait); wrong != "" && f.fault == clientGone && time.Now().Before(late); wrong = f.missing(p) {
				time.Sleep(10 * time.Millisecond) // nobody has waited for it
			}
			if wrong != "" {
				t.Errorf("%v: %s", f, wrong)
			}
		}
		p.counts(len(forms))
	})
}

// counts holds what the program has counted to what its tables have.
func (p *program) counts(forms int) {
	p.T.Helper()
	d, err := sql.Open("sqlite", "file:"+p.database)
	require.NoError(p.T, err)
	defer d.Close()
	var stored int
	require.NoError(p.T, d.QueryRow("SELECT (SELECT COUNT(*) FROM leads) + (SELECT COUNT(*) FROM refused_leads)").Scan(&stored))
	require.Equal(p.T, forms, stored)
	counted := 0.0
	for _, outcome := range []string{"stored", "refused", "waits"} {
		counted += p.Metric(`frontdesk_forms_total{outcome="` + outcome + `"}`)
	}
	require.EqualValues(p.T, forms, counted)
}
