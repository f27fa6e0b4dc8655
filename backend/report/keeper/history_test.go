package keeper

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/channel"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// history is what has happened on a site, as rows of the database and as a test remembers them.
type history struct {
	t        *testing.T
	db       *db.DB
	keys     *key.Keys
	keeper   *Keeper
	random   *rand.Rand
	now      time.Time
	next     int64
	visits   map[int64]*pastVisit
	visitors []int64
	pasts    map[string]*pastInquiry // by kind and id
	events   []pastEvent
	looked   int // how often figures were looked into
}

type pastEvent struct {
	visit *pastVisit
	at    time.Time
	name  string
	value float64
}

type pastVisit struct {
	id, visitor, views     int64
	at                     time.Time
	bot                    bool
	kind, source, campaign string
	country                string
	scripted, numberless   bool
}

type pastInquiry struct {
	kind            string
	id, visitor     int64
	at              time.Time
	phone           string
	status          string
	state           int64
	sale            bool
	sum             float64
	campaign        string // of its own source
	pool            string
	erased, derived bool
}

const site = int64(7)

func (h *history) exec(query string, args ...any) {
	h.t.Helper()
	require.NoError(h.t, h.db.Write(h.t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	}))
}

// moment is some time of the last hundred days.
func (h *history) moment() time.Time {
	return h.now.Add(-time.Duration(h.random.Int64N(int64(100 * 24 * time.Hour)))).Truncate(time.Minute)
}

var campaigns = []string{"", "spring", "autumn"}

func (h *history) visit() {
	h.next++
	v := &pastVisit{id: h.next, visitor: h.next, views: 1, at: h.moment(), bot: h.random.IntN(10) == 0, kind: "direct"}
	if len(h.visitors) > 0 && h.random.IntN(2) == 0 {
		v.visitor, v.bot = h.visitors[h.random.IntN(len(h.visitors))], false
	} else if !v.bot {
		h.visitors = append(h.visitors, v.visitor)
	}
	if v.campaign = campaigns[h.random.IntN(3)]; v.campaign != "" {
		v.kind, v.source = "campaign", "news"
	} else if h.random.IntN(3) == 0 {
		v.kind, v.source = "search", "google"
	}
	v.scripted = h.random.IntN(4) > 0
	v.country = []string{"", "DE", "AT"}[h.random.IntN(3)]
	h.visits[v.id] = v
	h.exec(`INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, country, scripted,
			source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing)
		VALUES ($1, $2, $3, $4, $4, 1, $2, '', '', $5, '', 'de-AT,en', $9, $10, $6, $7, '', $8, '', '', '', '', '', 'https://shop.example/page')`,
		site, v.id, v.visitor, v.at.UnixMilli(), v.bot, v.kind, v.source, v.campaign, v.country, v.scripted)
}

// goOn adds a view to some visit, which may be an old one.
func (h *history) goOn() {
	ids := slices.Sorted(maps.Keys(h.visits))
	if len(ids) == 0 {
		return
	}
	v := h.visits[ids[h.random.IntN(len(ids))]]
	switch h.random.IntN(4) {
	case 0:
		v.scripted = true
		h.exec(`UPDATE visits SET scripted = TRUE WHERE site_id = $1 AND id = $2`, site, v.id)
	case 1:
		v.numberless = true
		h.exec(`UPDATE visits SET numberless = TRUE WHERE site_id = $1 AND id = $2`, site, v.id)
	}
	v.views++
	h.exec(`UPDATE visits SET views = views + 1, last_at = last_at + 60000 WHERE site_id = $1 AND id = $2`, site, v.id)
}

// event is one of some visit, perhaps told again, or erased with its visitor, after it has been counted.
func (h *history) event() {
	ids := slices.Sorted(maps.Keys(h.visits))
	if len(ids) == 0 {
		return
	}
	h.next++
	v := h.visits[ids[h.random.IntN(len(ids))]]
	e := pastEvent{visit: v, at: v.at.Add(time.Duration(h.random.IntN(600)) * time.Minute), name: []string{"cart · add", "cart · order"}[h.random.IntN(2)], value: []float64{0, 7, 12.5}[h.random.IntN(3)]}
	h.events = append(h.events, e)
	_, action, _ := strings.Cut(e.name, " · ")
	value := map[float64]string{0: "a spring", 7: "7", 12.5: "12.50"}[e.value]
	h.exec(`INSERT INTO user_events (site_id, visit_id, id, visitor_id, view_id, at, call_id, category, action, name, value) VALUES ($1, $2, $3, $4, 0, $5, $6, ' cart', $7, '', $8)`,
		site, v.id, h.next, v.visitor, e.at.UnixMilli(), fmt.Sprint("call ", h.next), action, value)
	if h.random.IntN(4) == 0 {
		require.NoError(h.t, h.keeper.Keep(h.t.Context()))
		h.exec(`DELETE FROM user_events WHERE site_id = $1 AND id = $2`, site, h.next)
	}
}

func (h *history) someone() (visitor int64, phone string) {
	if len(h.visitors) > 0 && h.random.IntN(4) > 0 {
		visitor = h.visitors[h.random.IntN(len(h.visitors))]
	}
	if h.random.IntN(4) > 0 {
		phone = fmt.Sprintf("7999%03d", h.random.IntN(12))
	}
	return visitor, phone
}

const noSource = `'', '', '', '', '', '', '', '', '', ''`

func (h *history) call() {
	h.next++
	c := &pastInquiry{kind: report.Call, id: h.next, at: h.moment(), status: []string{"answered", "missed", "busy", ""}[h.random.IntN(4)]}
	c.visitor, c.phone = h.someone()
	if c.visitor == 0 && h.random.IntN(2) == 0 {
		c.campaign = "spring"
	}
	called := []string{"7495", "7496", "7497"}[h.random.IntN(3)]
	c.pool = map[string]string{"7496": "spring", "7497": "autumn"}[called]
	h.pasts[fmt.Sprint(c.kind, c.id)] = c
	h.exec(`INSERT INTO calls (site_id, id, platform, call_id, called, caller, started_at, start_told, answered_at, ended_at, status, talk, wait, recording, price, currency, notes, told_at,
			reason, confidence, replaces, conditions, visitor_id, visit_id, source_kind, source_name, source_medium, source_campaign, source_term, source_content,
			source_click_id_name, source_click_id, source_referrer, source_landing)
		VALUES ($1, $2, 'p', 'c', $9, $3, $4, TRUE, 0, 0, $5, 0, 0, '', '', '', '', 0, '', '', '', '', $6, 0, $7, '', '', $8, '', '', '', '', '', '')`,
		site, c.id, c.phone, c.at.UnixMilli(), c.status, h.public(c.visitor), map[bool]string{true: "campaign", false: ""}[c.campaign != ""], c.campaign, called)
}

func (h *history) public(visitor int64) int64 {
	if visitor == 0 {
		return 0
	}
	return int64(h.keys.Visitors.ID(visitor))
}

func (h *history) request() {
	h.next++
	l := &pastInquiry{kind: report.Request, id: h.next, at: h.moment(), state: int64(h.random.IntN(4)), derived: h.random.IntN(5) == 0}
	l.visitor, l.phone = h.someone()
	if l.sale = h.random.IntN(3) == 0; l.sale {
		l.sum = 12.5
	}
	h.pasts[fmt.Sprint(l.kind, l.id)] = l
	h.exec(`INSERT INTO leads (site_id, id, visitor_id, visit_id, view_id, at, origin, name, email, phone, phone_digits, message, is_sale, sale_cost, group_id, form_name, user_fields, url, state,
			source_kind, source_name, source_medium, source_campaign, source_term, source_content, source_click_id_name, source_click_id, source_referrer, source_landing)
		VALUES ($1, $2, $3, 0, 0, $4, $5, '', '', '', $6, '', $7, $8, 0, 'Order', '', 'https://shop.example/order', $9, `+noSource+`)`,
		site, l.id, h.public(l.visitor), l.at.UnixMilli(), map[bool]string{true: "call", false: "form"}[l.derived], l.phone, l.sale, map[bool]string{true: "12.50", false: ""}[l.sale], l.state)
}

// change changes, merges or erases an inquiry.
func (h *history) change() {
	names := slices.Sorted(maps.Keys(h.pasts))
	h.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		p := h.pasts[name]
		if p.erased {
			continue
		}
		table := map[string]string{report.Call: "calls", report.Request: "leads"}[p.kind]
		switch what := h.random.IntN(6); {
		case what == 0:
			require.NoError(h.t, h.keeper.Keep(h.t.Context())) // what is erased before it counts does not count
			p.erased = true
			h.exec(`DELETE FROM `+table+` WHERE site_id = $1 AND id = $2`, site, p.id)
			// It counts on, but nobody is known by it.
			p.phone = map[bool]string{true: "erased " + p.phone}[p.phone != ""]
		case p.kind == report.Call && what < 3:
			p.at = h.moment()
			h.exec(`UPDATE calls SET started_at = $3 WHERE site_id = $1 AND id = $2`, site, p.id, p.at.UnixMilli())
		case p.kind == report.Call:
			p.status = "answered"
			h.exec(`UPDATE calls SET status = 'answered' WHERE site_id = $1 AND id = $2`, site, p.id)
		case what == 1:
			delete(h.pasts, name) // a part of another
			h.exec(`UPDATE leads SET merged_into = 1 WHERE site_id = $1 AND id = $2`, site, p.id)
		case what < 4:
			p.state = 3
			h.exec(`UPDATE leads SET state = 3 WHERE site_id = $1 AND id = $2`, site, p.id)
		default:
			p.state, p.sale, p.sum = 2, true, 99.99
			h.exec(`UPDATE leads SET state = 2, is_sale = TRUE, sale_cost = '99.99' WHERE site_id = $1 AND id = $2`, site, p.id)
		}
		return
	}
}

// recount answers the question patiently, by channel, campaign, or nothing.
func (h *history) recount(q report.Question) (total report.Figures, rows map[string]report.Figures) {
	rows = make(map[string]report.Figures)
	within := func(t time.Time) bool { return !t.Before(q.Period.Start()) && t.Before(q.Period.End()) }
	passes := func(campaign string) bool {
		return len(q.Filters) == 0 || slices.Contains(q.Filters[0].Values, campaign)
	}
	valueOf := func(v *pastVisit) string {
		switch q.By[0] {
		case report.Channel:
			return string(channel.Of(v.kind, v.source, ""))
		case report.Country:
			return v.country
		case report.Pool, report.Event:
			return ""
		}
		return v.campaign
	}
	add := func(value string, m report.Metric, n float64) {
		total[m] += n
		f := rows[value]
		f[m] += n
		rows[value] = f
	}
	there, thereIn := make(map[int64]bool), make(map[string]bool)
	for _, e := range h.events {
		if within(e.at) && passes(e.visit.campaign) && !e.visit.bot && q.By[0] != report.Pool {
			value := valueOf(e.visit)
			if q.By[0] == report.Event {
				value = e.name
			}
			add(value, report.Events, 1)
			add(value, report.Value, e.value)
		}
	}
	if q.By[0] == report.Event {
		return total, rows
	}
	for _, v := range h.visits {
		if !within(v.at) || !passes(v.campaign) || q.By[0] == report.Pool {
			continue
		}
		if v.bot {
			add(valueOf(v), report.Bots, 1)
			continue
		}
		add(valueOf(v), report.Visits, 1)
		add(valueOf(v), report.Views, float64(v.views))
		if !v.scripted {
			add(valueOf(v), report.Scriptless, 1)
		}
		if v.numberless {
			add(valueOf(v), report.Numberless, 1)
		}
		if v.id == v.visitor {
			add(valueOf(v), report.FirstVisits, 1)
		}
		if in := fmt.Sprint(v.visitor, valueOf(v)); !thereIn[in] {
			f := rows[valueOf(v)]
			f[report.Visitors]++
			rows[valueOf(v)], thereIn[in] = f, true
		}
		if !there[v.visitor] {
			total[report.Visitors]++
			there[v.visitor] = true
		}
	}
	var inquiries []*pastInquiry
	for _, p := range h.pasts {
		if within(p.at) {
			inquiries = append(inquiries, p)
		}
	}
	first := h.firsts(inquiries, q.PersonWindow)
	for _, p := range inquiries {
		var visits []*pastVisit
		for _, v := range h.visits {
			if v.visitor == p.visitor && !v.bot && !v.at.After(p.at) && !v.at.Before(p.at.Add(-q.Credit.Window)) {
				visits = append(visits, v)
			}
		}
		slices.SortFunc(visits, func(a, b *pastVisit) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
		told := make([]credit.Visit, len(visits))
		for i, v := range visits {
			told[i] = credit.Visit{At: v.at, Direct: v.kind == "direct"}
		}
		share := func(value string, share float64) {
			if q.By[0] == report.Pool {
				value = p.pool
			}
			for m, n := range h.figures(p, first[p]) {
				if n != 0 {
					add(value, report.Metric(m), n*share)
				}
			}
		}
		for i, s := range q.Credit.Shares(told, p.at) {
			if passes(visits[i].campaign) {
				share(valueOf(visits[i]), s)
			}
		}
		if len(visits) == 0 {
			value, campaign := report.Unknown, report.Unknown
			if p.campaign != "" {
				value, campaign = p.campaign, p.campaign
				switch q.By[0] {
				case report.Channel:
					value = string(channel.Other)
				case report.Country:
					value = report.Unknown
				}
			}
			if passes(campaign) {
				share(value, 1)
			}
		}
	}
	return total, rows
}

func (h *history) figures(p *pastInquiry, first bool) (f report.Figures) {
	if p.state == 3 {
		if !p.derived {
			f[report.Spam] = 1
		}
		return f
	}
	if p.sale {
		f[report.Sales], f[report.Revenue] = 1, p.sum
	}
	if p.derived {
		return f
	}
	f[report.Inquiries] = 1
	f[map[string]report.Metric{report.Call: report.Calls, report.Request: report.Requests}[p.kind]] = 1
	if first {
		f[report.Persons] = 1
	}
	if p.kind == report.Call && (p.status == "missed" || p.status == "busy") {
		f[report.Missed], f[report.Unanswered] = 1, 1
		for _, other := range h.pasts {
			if other.kind == report.Call && other.status == "answered" && other.phone == p.phone && p.phone != "" && other.at.After(p.at) {
				f[report.Unanswered] = 0
			}
		}
	}
	return f
}

// firsts are the first inquiries of persons: those that no chain of inquiries, each within that time of another, joins to an earlier one.
func (h *history) firsts(all []*pastInquiry, within time.Duration) map[*pastInquiry]bool {
	slices.SortFunc(all, func(a, b *pastInquiry) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	counts := func(p *pastInquiry) bool { return p.state != 3 && !p.derived }
	person := make(map[*pastInquiry]int)
	for i, p := range all {
		person[p] = i
	}
	for changed := true; changed; {
		changed = false
		for i, p := range all {
			for _, later := range all[i+1:] {
				same := p.visitor != 0 && p.visitor == later.visitor || p.phone != "" && p.phone == later.phone
				if counts(p) && counts(later) && same && later.at.Sub(p.at) <= within && person[p] != person[later] {
					least := min(person[p], person[later])
					person[p], person[later], changed = least, least, true
				}
			}
		}
	}
	firsts, seen := make(map[*pastInquiry]bool), make(map[int]bool)
	for _, p := range all {
		if counts(p) && !seen[person[p]] {
			firsts[p], seen[person[p]] = true, true
		}
	}
	return firsts
}

// What reports say is what the rows say, whatever happened, and in whichever order it was put into the figures.
func TestReportsAreTheRows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for seed := range uint64(4) {
			h := &history{t: t, db: d, random: rand.New(rand.NewPCG(seed, 24)), now: time.Now(), next: int64(seed) * 1_000_000, visits: make(map[int64]*pastVisit), pasts: make(map[string]*pastInquiry)}
			for _, table := range []string{"visits", "user_events", "calls", "leads", "report_due", "report_columns", "pool_numbers", "own_pool_numbers"} {
				h.exec(`DELETE FROM ` + table)
			}
			h.exec(`DELETE FROM report_due`)
			h.exec(`INSERT INTO pool_numbers (digits, pool, lease_id, site_id, replaces, visitor_id, visit_id, begun_at, until, hold) VALUES ('7496', '7/spring', 0, 0, '', 0, 0, 0, 0, 0)`)
			h.exec(`INSERT INTO own_pool_numbers (digits, site_id, pool) VALUES ('7497', $1, 'autumn')`, site)
			h.reopen()
			k := h.keeper
			for range 150 {
				do := []func(){h.visit, h.visit, h.visit, h.goOn, h.call, h.request, h.change, h.change, h.event, h.event}
				do[h.random.IntN(len(do))]()
				if h.random.IntN(20) == 0 {
					require.NoError(t, k.Keep(t.Context()))
				}
			}
			require.NoError(t, k.Keep(t.Context()))
			h.compare(k)
			require.NoError(t, k.Rebuild(t.Context(), func(Rebuilt) {}))
			h.compare(k)
		}
	})
}

// open begins a history in an empty database.
func open(t *testing.T, d *db.DB) *history {
	t.Helper()
	h := &history{t: t, db: d, random: rand.New(rand.NewPCG(1, 2)), now: time.Now(), visits: make(map[int64]*pastVisit)}
	h.reopen()
	return h
}

// reopen begins with a new keeper, as a program that is started.
func (h *history) reopen() {
	h.t.Helper()
	var err error
	h.keys, err = key.Open(h.t.Context(), h.db, time.Now)
	require.NoError(h.t, err)
	h.keeper, err = Open(h.t.Context(), h.db, h.keys, func() time.Time { return h.now })
	require.NoError(h.t, err)
}

// A site that makes up a name for each event has the first thousand of a day told apart.
func TestNamesOfEventsAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := open(t, d)
		h.visit()
		for _, v := range h.visits {
			v.at, v.bot = time.Now().Add(-48*time.Hour).Truncate(24*time.Hour), false
			h.exec(`UPDATE visits SET bot = FALSE`)
			for part := range 3 { // each of 500 names
				series := `(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 500) SELECT i FROM s) AS s`
				h.exec(`INSERT INTO user_events (site_id, visit_id, id, visitor_id, view_id, at, call_id, category, action, name, value)
					SELECT $1, $2, $3 + i, 0, 0, $4, 'call ' || ($3 + i), 'c', 'a ' || ($3 + i), '', '' FROM `+series, site, v.id, int64(part*500), v.at.UnixMilli())
				require.NoError(t, h.keeper.Keep(t.Context()))
			}
		}
		last := period.DateOf(h.now, time.UTC)
		answer, err := report.New(d, h.keys, time.Now).Ask(t.Context(), report.Question{SiteIDs: []int64{site}, By: []report.Dimension{report.Event},
			Period: period.Period{First: last - 4, Last: last, Step: period.Day, Zone: time.UTC}, Credit: credit.Rule{Model: credit.Last, Window: 24 * time.Hour}})
		require.NoError(t, err)
		require.Len(t, answer.Rows, 1001)
		for _, r := range answer.Rows {
			if r.Values[0] == report.Rest {
				require.InDelta(t, 500, r.Figures[report.Events], 0)
			}
		}
	})
}

func (h *history) compare(k *Keeper) {
	h.t.Helper()
	kathmandu, err := time.LoadLocation("Asia/Kathmandu")
	require.NoError(h.t, err)
	reports := report.New(h.db, h.keys, func() time.Time { return h.now })
	for _, model := range credit.Models {
		for n := range 10 {
			last := period.DateOf(h.now, kathmandu)
			q := report.Question{
				SiteIDs: []int64{site}, By: []report.Dimension{[]report.Dimension{report.Channel, report.Campaign, report.Country, report.Pool, report.Event}[n%5]},
				Period: period.Period{First: last - period.Date(20+h.random.IntN(60)), Last: last - period.Date(h.random.IntN(15)), Step: period.Week, Zone: kathmandu},
				Credit: credit.Rule{Model: model, Window: time.Duration(1+h.random.IntN(90)) * 24 * time.Hour}, PersonWindow: time.Duration(1+h.random.IntN(60)) * 24 * time.Hour,
			}
			if n > 4 {
				q.Filters = []report.Filter{{Dimension: report.Campaign, Values: []string{"spring", report.Unknown}}}
			}
			answer, err := reports.Ask(h.t.Context(), q)
			require.NoError(h.t, err)
			total, rows := h.recount(q)
			same(h.t, total, answer.Total, "the total")
			parts := report.Figures{}
			for _, p := range answer.Parts {
				for m, figure := range p {
					parts[m] += figure
				}
			}
			parts[report.Visitors] = answer.Total[report.Visitors]
			same(h.t, answer.Total, parts, "the parts together")
			found := make(map[string]report.Figures)
			for _, r := range answer.Rows {
				found[r.Values[0]] = r.Figures
			}
			for value, figures := range rows {
				same(h.t, figures, found[value], value)
				delete(found, value)
			}
			require.Empty(h.t, found)
			if slices.Contains(report.OfVisits, q.By[0]) { // others have no paths
				h.comparePaths(reports, q)
			}
			h.compareBehind(reports, q, answer)
		}
	}
}

// compareBehind holds what is behind some figures to them: of the total, and of one part.
func (h *history) compareBehind(reports *report.Reports, q report.Question, answer report.Answer) {
	h.t.Helper()
	looked := []report.Metric{report.Visits, report.Visitors, report.Views, report.Inquiries, report.Persons, report.Unanswered, report.Sales, report.Revenue, report.Spam, report.Events, report.Value}
	parts := q.Period.Parts()
	for i := range 4 {
		h.looked++
		m, n := looked[h.looked%len(looked)], (h.looked+i)%len(parts)
		require.InDelta(h.t, answer.Total[m], h.behind(reports, q, report.FigureKey{Metric: m}), 1e-6, "%v behind", m)
		require.InDelta(h.t, answer.Parts[n][m], h.behind(reports, q, report.FigureKey{Metric: m, Part: parts[n].Start}), 1e-6, "%v behind the part of %v", m, parts[n].Start)
	}
}

// behind is what stands behind the figure together, of which each is told once.
func (h *history) behind(reports *report.Reports, q report.Question, key report.FigureKey) (amount float64) {
	h.t.Helper()
	refs, count, err := reports.Behind(h.t.Context(), q, key, math.MaxInt)
	require.NoError(h.t, err)
	require.Len(h.t, refs, count)
	seen := make(map[report.Ref]bool)
	for _, ref := range refs {
		amount += ref.Amount
		ref.Share, ref.Amount = 0, 0
		require.False(h.t, seen[ref] && ref.Kind != "event", "%v is told twice", ref)
		seen[ref] = true
	}
	return amount
}

func same(t *testing.T, expected, got report.Figures, of string) {
	t.Helper()
	for m := range expected {
		require.InDelta(t, expected[m], got[m], 1e-6, "%s of %q", report.Metric(m), of)
	}
}

// A call that is counted again keeps its pool when its number has left it.
func TestCallsKeepTheirPool(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := open(t, d)
		h.pasts = make(map[string]*pastInquiry)
		h.exec(`INSERT INTO own_pool_numbers (digits, site_id, pool) VALUES ('7497', $1, 'autumn')`, site)
		for !h.inPool() {
			h.call()
		}
		require.NoError(t, h.keeper.Keep(t.Context()))
		h.exec(`DELETE FROM own_pool_numbers`)
		h.exec(`UPDATE calls SET status = 'answered' WHERE called = '7497'`)
		require.NoError(t, h.keeper.Keep(t.Context()))
		last := period.DateOf(h.now, time.UTC)
		answer, err := report.New(d, h.keys, time.Now).Ask(t.Context(), report.Question{SiteIDs: []int64{site}, By: []report.Dimension{report.Pool},
			Period: period.Period{First: last - 110, Last: last, Step: period.Month, Zone: time.UTC}, Credit: credit.Rule{Model: credit.Last, Window: 24 * time.Hour}})
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(answer.Rows, func(r report.Row) bool { return r.Values[0] == "autumn" && r.Figures[report.Calls] > 0 }), "%v", answer.Rows)
	})
}

// inPool tells whether a call was to a number of the pool.
func (h *history) inPool() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(h.pasts)), func(p *pastInquiry) bool { return p.pool == "autumn" })
}
