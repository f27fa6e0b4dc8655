package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

const (
	login    = "vera"
	password = "correct horse battery"
	shop     = "https://lamps.example"

	desktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	phone   = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)

// guest is somebody of the day.
type guest struct {
	ago      time.Duration // since the visit began
	agent    string
	referrer string
	pages    []string // path and title, one after another
	request  map[string]any
	event    *visit.UserEvent
	stays    bool
}

var guests = []guest{
	{26 * time.Hour, desktop, "https://yandex.ru/", []string{"/lamps/arc.html", "Arc"}, map[string]any{"name": "Pavel Orlov", "phone": "8 916 555-01-21", "message": "Do you deliver to Kazan?", "form_name": "Ask us"}, nil, false},
	{5 * time.Hour, phone, "", []string{"/?utm_source=news&utm_medium=mail&utm_campaign=autumn", "Lamps for every room", "/lamps/birch.html", "Birch"},
		map[string]any{"name": "Maria Konstantinova", "email": "maria@mail.example", "message": "Is Birch also made in oak?", "form_name": "Ask us"}, nil, false},
	{3 * time.Hour, desktop, "https://www.google.com/", []string{"/order.html?gclid=a1", "Order", "/thanks.html", "Thank you"},
		map[string]any{"name": "Bureau Nord", "email": "office@nord.example", "phone": "+7 495 555-01-44", "is_sale": true, "sale_cost": "148500", "message": "Twelve Pebble, invoice to the bureau", "form_name": "Order"}, nil, false},
	{47 * time.Minute, phone, "https://t.me/", []string{"/lamps/pebble.html", "Pebble"}, map[string]any{"phone": "8 903 555-01-09", "message": "Call me back about the repair, please", "form_name": "Callback"}, nil, false},
	{24 * time.Minute, desktop, "https://www.google.com/", []string{"/?gclid=b2", "Lamps for every room", "/lamps/", "All lamps", "/lamps/arc.html", "Arc", "/delivery.html", "Delivery and payment"},
		map[string]any{"name": "Anna Petrova", "phone": "8 495 555-01-67", "email": "anna@mail.example", "message": "Is the Arc lamp in stock? I would like two of them, and to have them delivered on Saturday.", "form_name": "Ask us", "user_fields": map[string]any{"city": "Tver", "lamp": "Arc"}},
		&visit.UserEvent{Category: "catalogue", Action: "download", Name: "catalogue.pdf"}, true},
	{11 * time.Minute, desktop, "https://yandex.ru/", []string{"/guides/bulbs.html", "Which bulb for which lamp"}, nil, nil, true},
	{9 * time.Minute, phone, "", []string{"/?utm_source=vk&utm_medium=cpc&utm_campaign=pendants_autumn", "Lamps for every room", "/lamps/pebble.html", "Pebble", "/order.html", "Order"}, nil, nil, true},
	{4 * time.Minute, phone, "https://www.bing.com/", []string{"/lamps/fjord.html", "Fjord", "/contacts.html", "Contacts"}, nil, nil, true},
	{2 * time.Minute, desktop, "https://interiors.example/ten-lamps", []string{"/lamps/lantern.html", "Lantern", "/lamps/lantern.html?size=large", "Lantern"}, nil, nil, true},
	{30 * time.Second, phone, "", []string{"/contacts.html", "Contacts"}, map[string]any{"name": "Igor", "phone": "8 921 555-01-98", "message": "Which of your lamps work with a dimmer?", "form_name": "Contact"}, nil, true},
}

// unread is the first whose request nobody has read yet.
const unread = 4

// numbers are what the shop's pages show.
var numbers = map[string]map[string][]inventory.Writing{
	"/contacts.html": {"74951234567": {{Place: "text", Text: "+7 495 123-45-67"}, {Place: "tel", Text: "+74951234567"}}, "78005550142": {{Place: "text", Text: "8 800 555-01-42"}}},
	"/":              {"74951234567": {{Place: "text", Text: "8 (495) 123-45-67"}}, "74957654321": {{Place: "text", Text: "+7 495 765-43-21"}}},
}

// day is where its pictures are taken.
type day struct{ lead, card, chat, callback, letter string }

// settingsIn are those of the database in the folder.
func settingsIn(home string) db.Settings {
	return db.Settings{Engine: db.SQLite, Source: filepath.Join(home, "frontdesk.db")}
}

// made is the folder's database, with its tables and nothing in them.
func made(ctx context.Context, home string) (*db.DB, error) {
	database, err := db.Open(ctx, settingsIn(home), zap.NewNop())
	if err != nil {
		return nil, err
	}
	if err := database.Migrate(ctx); err != nil {
		database.Close()
		return nil, err
	}
	return database, nil
}

// live fills the database in the folder with a day of the shop.
func live(ctx context.Context, home string) (d day, err error) {
	database, err := made(ctx, home)
	if err != nil {
		return d, err
	}
	defer database.Close()
	began := time.Now()
	at := began
	now := func() time.Time { return at }
	visits, err := visittest.Make(ctx, database, now)
	if err != nil {
		return d, err
	}
	leads := lead.New(lead.Subjects{DB: database, Visits: visits.Visits, Texts: visits.Texts}, now)
	at = began.Add(-30 * time.Hour)
	sites := site.New(database, now, zap.NewNop(), keepOwn(database, now))
	s, err := sites.Provision(ctx, "demo-shop")
	if err != nil {
		return d, err
	}
	operators := operator.New(database, now)
	vera, err := operators.Create(ctx, operator.Server(), operator.Account{Sites: scope.All(), Login: login, Name: "Vera Smirnova", Password: password, Role: operator.Admin})
	if err != nil {
		return d, err
	}
	at = began
	for path, found := range numbers {
		if err := inventory.New(database, now).Learn(ctx, s.ID, path, found); err != nil {
			return d, err
		}
	}
	if err := sighting.New(database, now).SeeRivals(ctx, s.ID, "/contacts.html", []sighting.Rival{{Loader: "https://app.other.example/static/cs.min.js", Account: "Ab3-xY_7Ab3-xY_7Ab3-xY_7Ab3-xY_7"}}); err != nil {
		return d, err
	}
	var who visit.Ref // the last guest
	var refs []visit.Ref
	l := life{site: s.ID, sites: sites, visits: visits, leads: leads, began: began, at: &at, made: make(map[string]lead.Lead), day: &d}
	for i, g := range guests {
		at = began.Add(-g.ago)
		if i == unread {
			if err := inbox.New(database, leads, now).MarkRead(ctx, vera.ID, 0); err != nil {
				return d, err
			}
		}
		ref, err := l.comes(ctx, i, g)
		if err != nil {
			return d, err
		}
		who = ref
		refs = append(refs, ref)
	}
	if err := working(ctx, leads, operators, s.ID, l.made, began, &at); err != nil {
		return d, err
	}
	if d.chat, err = converse(ctx, database, visits, s.ID, refs, began); err != nil {
		return d, err
	}
	if err := sites.StorePages(ctx); err != nil {
		return d, err
	}
	if err := sending(ctx, database, s.ID, now); err != nil {
		return d, err
	}
	if err := ringing(ctx, database, visits.Visits, s.ID, who, began); err != nil {
		return d, err
	}
	if d.callback, err = callingBack(ctx, database, visits.Visits, s.ID, refs, began); err != nil {
		return d, err
	}
	if err := leasing(ctx, database, sites, s, who, began); err != nil {
		return d, err
	}
	if err := delivering(ctx, database, sites, s, began); err != nil {
		return d, err
	}
	time.Sleep(3 * time.Second) // the words of pages are written a moment later
	return d, nil
}

// life is what the guests of the day do at the site.
type life struct {
	site   int64
	sites  *site.Sites
	visits *visittest.Rooms
	leads  *lead.Leads
	began  time.Time
	at     *time.Time // the clock
	made   map[string]lead.Lead
	day    *day
}

// comes has a guest look at pages, and do what he does there.
func (l *life) comes(ctx context.Context, i int, g guest) (visit.Ref, error) {
	var viewed visit.View
	for n := 0; n+1 < len(g.pages); n += 2 {
		view := visit.Arrival{Nonce: fmt.Sprintf("day-%d-view-%d", i, n), URL: shop + g.pages[n], Title: g.pages[n+1], Kind: "load", UserAgent: g.agent, Language: "ru,en;q=0.8"}
		if n == 0 {
			view.Referrer = g.referrer
		}
		var err error
		if viewed, err = l.visits.Arrive(ctx, l.site, viewed.Visitor, view); err != nil {
			return visit.Ref{}, err
		}
		l.sites.Page(l.site, "woven")
		*l.at = l.at.Add(g.ago / time.Duration(len(g.pages)+2))
	}
	if err := l.does(ctx, i, g, viewed.Ref); err != nil {
		return visit.Ref{}, err
	}
	if g.stays {
		*l.at = l.began.Add(10 * time.Minute) // until the pictures are taken
		l.visits.Onsite.See(l.site, viewed.Ref, onsite.Here)
	}
	return viewed.Ref, nil
}

// does has the guest do something besides looking.
func (l *life) does(ctx context.Context, i int, g guest, ref visit.Ref) error {
	if g.event != nil {
		if err := l.visits.TrackEvent(ctx, l.site, ref, fmt.Sprintf("day-%d-event-000000", i), *g.event); err != nil {
			return err
		}
		value := "interior designer"
		if err := l.visits.SetProperty(ctx, l.site, ref, "client", &value); err != nil {
			return err
		}
	}
	if g.request != nil {
		object, err := json.Marshal(g.request)
		if err != nil {
			return err
		}
		request, err := submission.FromObject(object)
		if err != nil {
			return err
		}
		request.SiteID, request.Ref, request.Origin, request.Region, request.URL = l.site, ref, lead.Script, "RU", shop+g.pages[len(g.pages)-2]
		request.CallID = fmt.Sprintf("day-%d-request-0000", i)
		stored, _, err := l.leads.Add(ctx, request)
		if err != nil {
			return err
		}
		l.made[stored.Name] = stored
		if g.event != nil {
			*l.day = day{lead: fmt.Sprintf("/leads/%d/%d", l.site, stored.ID), card: fmt.Sprintf("/visitors/%d/%d", l.site, ref.Visitor)}
		}
	}
	return nil
}

// sending has forms answered, some of them with errors.
func sending(ctx context.Context, database *db.DB, site int64, now func() time.Time) error {
	forms := form.New(database, now)
	for _, sent := range []form.Answer{
		{Path: "/contact", Status: 200, Fields: []string{"your-name", "phone", "mail", "city", "message"}, Kept: true}, {Path: "/contact", Status: 500, Kept: true}, {Path: "/contact", Status: 500, Kept: true},
		{Path: "/lamps/*/question", Status: 200, Fields: []string{"name", "email", "text"}}, {Path: "/wp-json/contact-form-7/v1/contact-forms/*/feedback", Status: 200, Fields: []string{"your-name", "your-email", "your-message", "_wpcf7"}},
	} {
		forms.Note(site, sent)
	}
	return forms.Store(ctx)
}
