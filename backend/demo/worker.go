package demo

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/place"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
)

// worker lives the lives of some visitors, at its own time.
type worker struct {
	name    string
	site    int64
	random  *rand.Rand
	at      time.Time
	visits  *visit.Visits
	leases  *lease.Leases
	leads   *lead.Leads
	calls   *call.Calls
	chats   *chat.Chats
	pool    *number.Pool
	known   []*visitor // who may come back
	seen    int
	from    place.Place // where the visitor is who has come
	errands []errand
}

// visitor is one whom a worker knows.
type visitor struct {
	id          visit.ID
	home        place.Place
	agent       string
	name, phone string
	email       string
}

func newWorker(ctx context.Context, d *db.DB, keys *key.Keys, siteID int64, random *rand.Rand) (*worker, error) {
	w := &worker{site: siteID, random: random, pool: &number.Pool{Name: "ads", Digits: ofAds}}
	if err := w.pool.Complete(); err != nil {
		return nil, err
	}
	now := func() time.Time { return w.at }
	texts := quota.New(d, keys, now)
	var err error
	if w.visits, err = visit.Open(ctx, visit.Subjects{DB: d, Keys: keys, Texts: texts, Days: days.New(d), Where: func(netip.Addr) place.Place { return w.from }}, now); err != nil {
		return nil, err
	}
	w.leases = lease.New(d, now, nil)
	w.leads = lead.New(lead.Subjects{DB: d, Visits: w.visits, Texts: texts, Numbers: w.leases.ShownAt}, now)
	w.calls = call.New(call.Subjects{DB: d, Visits: w.visits, Leases: w.leases, Leads: w.leads}, now)
	w.chats = chat.New(chat.Subjects{DB: d, Visits: w.visits, Leads: w.leads, Texts: texts, Cards: card.New(d, keys), Region: func(context.Context, int64) string { return "RU" }}, now)
	return w, nil
}

// live makes so many visits on the day, which is so many days before the last.
func (w *worker) live(ctx context.Context, day time.Time, before, visits int) error {
	moments := make([]time.Time, visits)
	for i := range moments {
		moments[i] = moment(w.random, day)
	}
	slices.SortFunc(moments, time.Time.Compare)
	for _, at := range moments {
		w.at = at
		if err := w.visit(ctx, before); err != nil {
			return err
		}
	}
	return nil
}

// visit makes a visit, and what comes of it.
func (w *worker) visit(ctx context.Context, before int) error {
	by := &ways[pick(w.random, len(ways), func(i int) float64 {
		if !ways[i].runs(before) {
			return 0
		}
		return ways[i].weight
	})]
	who := &visitor{agent: agents[w.random.IntN(len(agents))], home: places[pick(w.random, len(places), func(i int) float64 { return places[i].weight })].Place}
	if by.bot {
		who.agent = robot
	} else if len(w.known) > 0 && w.random.IntN(100) < 22 {
		who = w.known[max(0, len(w.known)-1-w.random.IntN(60))]
	} else {
		w.known = append(w.known, who)
	}
	w.from = who.home
	views := 1
	for views < 12 && w.random.IntN(100) < 58 {
		views++
	}
	var view visit.View
	for n := range views {
		page := pages[pick(w.random, len(pages), func(i int) float64 { return pages[i].weight })]
		arrival := visit.Arrival{Nonce: fmt.Sprintf("demo%s%016d", w.name, w.seen), URL: "http://localhost:8080" + page.path, Title: page.title, Kind: "load", UserAgent: who.agent,
			Language: languages[w.seen%len(languages)]}
		w.seen++
		if n == 0 {
			arrival.Referrer = by.referrer
			arrival.URL += "?" + w.query(by)
			arrival.URL = strings.TrimSuffix(arrival.URL, "?")
		}
		var err error
		if view, err = w.visits.Arrive(ctx, w.site, who.id, arrival); err != nil {
			return err
		}
		who.id = view.Visitor
		w.at = w.at.Add(time.Duration(15+w.random.IntN(120)) * time.Second)
	}
	if by.bot {
		return nil
	}
	return w.outcome(ctx, by, who, view, before)
}

func (w *worker) query(by *way) string {
	if by.click == "" {
		return by.query
	}
	return fmt.Sprintf("%s&%s=demo%016x", by.query, by.click, w.random.Uint64())
}

// outcome is what comes of the visit: most often nothing.
func (w *worker) outcome(ctx context.Context, by *way, who *visitor, view visit.View, before int) error {
	if w.random.IntN(100) < 6 {
		event := visit.UserEvent{Category: "basket", Action: "add", Name: pages[2+w.random.IntN(4)].title, Value: fmt.Sprint(49 + 10*w.random.IntN(30))}
		if err := w.visits.TrackEvent(ctx, w.site, view.Ref, "", event); err != nil {
			return err
		}
	}
	if w.random.Float64() > 0.035*by.buyers {
		return nil
	}
	if who.name == "" {
		who.name = firstNames[w.random.IntN(len(firstNames))] + " " + lastNames[w.random.IntN(len(lastNames))]
		who.phone = fmt.Sprintf("7999%07d", w.random.IntN(10_000_000))
		who.email = strings.ToLower(strings.ReplaceAll(who.name, " ", ".")) + fmt.Sprint(w.random.IntN(1000)) + "@mail.example"
	}
	switch n := w.random.IntN(100); {
	case n < 42:
		return w.call(ctx, by, who, view)
	case n < 48:
		w.askToBeCalled(who, view)
		return nil
	case n < 85:
		return w.request(ctx, who, view, before)
	default:
		return w.chat(ctx, view, before)
	}
}

// call has the visitor call the number that stands on the page.
func (w *worker) call(ctx context.Context, by *way, who *visitor, view visit.View) error {
	called := printed
	switch {
	case strings.Contains(by.query, "utm_source=news"):
		called = ofNews
	case strings.Contains(by.query, "utm_medium=cpc"):
		digits, _, err := w.leases.Take(ctx, lease.Want{Site: w.site, Visitor: view.Visitor, Visit: view.Visit, Replaces: printed, Pool: w.pool, First: true})
		if err != nil {
			return err
		}
		called = cmp.Or(digits, printed)
	}
	missed := w.at.Hour() < 8 || w.at.Hour() > 20 || w.random.IntN(100) < 12
	if err := w.rings(ctx, called, who.phone, missed); err != nil || !missed || w.random.IntN(100) < 35 {
		return err
	}
	w.at = w.at.Add(time.Duration(5+w.random.IntN(50)) * time.Minute)
	return w.rings(ctx, called, who.phone, false)
}

func (w *worker) rings(ctx context.Context, called, caller string, missed bool) error {
	w.seen++
	event := telephony.Event{Platform: "webhook", Call: fmt.Sprintf("demo-%s-%d", w.name, w.seen), Kind: telephony.Start, At: w.at, Called: called, Caller: caller, Talk: telephony.Untold, Wait: telephony.Untold}
	if _, _, err := w.calls.Take(ctx, event); err != nil {
		return err
	}
	event.Kind, event.Status, event.Talk, event.Wait = telephony.End, telephony.Missed, 0, int64(15+w.random.IntN(30))
	if !missed {
		event.Status, event.Talk, event.Wait = telephony.Answered, int64(30+w.random.IntN(500)), int64(3+w.random.IntN(20))
	}
	event.At = w.at.Add(time.Duration(event.Talk+event.Wait) * time.Second)
	w.at = event.At
	_, _, err := w.calls.Take(ctx, event)
	return err
}

// askToBeCalled has the visitor order a call.
func (w *worker) askToBeCalled(who *visitor, view visit.View) {
	w.seen++
	asked := callback.Asked{Request: request.Request{Phone: who.phone}, SiteID: w.site, Ref: view.Ref, URL: view.URL, ID: fmt.Sprintf("demo-%s-%d", w.name, w.seen), Region: "RU"}
	talk := int64(30 + w.random.IntN(500))
	if w.random.IntN(100) < 25 {
		talk = 0
	}
	w.errands = append(w.errands, errand{w.at, func(ctx context.Context, o *office) error { return o.callsBack(ctx, asked, talk) }})
}

// request has the visitor send a form, and somebody work through it.
func (w *worker) request(ctx context.Context, who *visitor, view visit.View, before int) error {
	s := submission.Submission{SiteID: w.site, Ref: view.Ref, Origin: lead.Form, URL: "http://localhost:8080/order", Name: who.name, Phone: "+" + who.phone, Email: who.email,
		Message: questions[w.random.IntN(len(questions))], FormName: "Order"}
	path, status := orders, taken
	if w.random.IntN(3) == 0 {
		s.FormName, s.URL, path = "Question", "http://localhost:8080/contacts", letters
	} else if before == failing {
		s.SiteError, status = broken, broken
	}
	w.errands = append(w.errands, errand{w.at, func(ctx context.Context, o *office) error { return o.answers(ctx, path, status) }})
	spam := w.random.IntN(100) < 7
	if spam {
		s.Name, s.Message = "Best offers", "Cheap links for your site"
	}
	stored, repeated, err := w.leads.Add(ctx, s)
	if err != nil || repeated || before < 2 && !spam {
		return err
	}
	by, of := lead.By{Login: "demo"}, lead.Key{SiteID: w.site, ID: stored.ID}
	w.at = w.at.Add(time.Duration(10+w.random.IntN(600)) * time.Minute)
	if spam {
		return w.leads.SetState(ctx, by, of, lead.Spam)
	}
	if s.FormName == "Order" && w.random.IntN(100) < 55 {
		if err := w.leads.SetSale(ctx, by, of, true, fmt.Sprint(49+10*w.random.IntN(120))); err != nil {
			return err
		}
	}
	return w.leads.SetState(ctx, by, of, lead.Done)
}

// chat has the visitor ask something, and somebody answer. Only on the last day a conversation is still open.
func (w *worker) chat(ctx context.Context, view visit.View, before int) error {
	const anna = 1 // the first account that is made
	from := chat.From{SiteID: w.site, Ref: view.Ref, URL: view.URL, Language: "en"}
	talk, _, err := w.chats.SayFrom(ctx, from, chat.Message{Text: questions[w.random.IntN(len(questions))]})
	if err != nil {
		return err
	}
	answered := w.random.IntN(100) >= 10
	w.at = w.at.Add(time.Duration(20+w.random.IntN(200)) * time.Second)
	if answered {
		_, err = w.chats.Say(ctx, w.site, talk.ID, chat.Message{Author: chat.Operator, OperatorID: anna, Text: answers[w.random.IntN(len(answers))]})
	}
	if err != nil || before == 0 {
		return err
	}
	w.at = w.at.Add(time.Duration(5+w.random.IntN(60)) * time.Minute)
	if !answered {
		made, err := w.chats.MakeLead(ctx, w.site, talk.ID, anna)
		if err != nil {
			return err
		}
		if err := w.leads.SetState(ctx, lead.By{Login: "demo"}, lead.Key{SiteID: w.site, ID: made}, lead.Done); err != nil {
			return err
		}
	}
	return w.chats.Close(ctx, w.site, talk.ID, anna)
}
