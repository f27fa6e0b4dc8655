package keeper

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit/agent"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// maxText bounds a text of a row, in bytes.
const maxText = 200

const minutesOfDay = 24 * 60

// rawVisit is a visit as it is stored.
type rawVisit struct {
	site, id, startedAt, visitor, views int64
	bot, scripted, numberless           bool
	userAgent, language                 string
	country, area, city                 string
	source                              source.Source
}

const visitColumns = `site_id, id, started_at, visitor_id, views, bot, scripted, numberless, user_agent, language, country, area, city, ` + source.Columns

func (v *rawVisit) fields() []any {
	return append([]any{&v.site, &v.id, &v.startedAt, &v.visitor, &v.views, &v.bot, &v.scripted, &v.numberless, &v.userAgent, &v.language, &v.country, &v.area, &v.city}, v.source.Fields()...)
}

func (v *rawVisit) day() int64 { return v.startedAt / dayLength }

// row is what is kept of the visit.
func (v *rawVisit) row() fact.Row {
	numbers := make([]int64, len(fact.Visits.Numbers))
	numbers[fact.ID], numbers[fact.Minute] = v.id, minute(v.startedAt)
	numbers[fact.VisitVisitor], numbers[fact.VisitViews] = v.visitor, v.views
	numbers[fact.VisitFlags] = v.flags()
	texts := make([]string, len(fact.Visits.Texts))
	s := &v.source
	texts[fact.VisitKind] = s.Kind
	texts[fact.VisitSource], texts[fact.VisitMedium], texts[fact.VisitCampaign] = written(s.Source), written(s.Medium), written(s.Campaign)
	texts[fact.VisitContent], texts[fact.VisitKeyword] = written(s.Content), written(s.Term)
	texts[fact.VisitReferrer], texts[fact.VisitLanding] = host(s.Referrer), path(s.Landing)
	with := agent.Of(v.userAgent)
	texts[fact.VisitDevice], texts[fact.VisitBrowser] = with.Device, with.Browser
	texts[fact.VisitLanguage] = language(v.language)
	texts[fact.VisitCountry], texts[fact.VisitArea], texts[fact.VisitCity] = v.country, v.area, v.city
	return fact.Row{Numbers: numbers, Texts: texts}
}

func (v *rawVisit) flags() (flags int64) {
	if v.bot {
		flags |= fact.Bot
	}
	if !v.scripted {
		flags |= fact.Scriptless
	}
	if v.numberless {
		flags |= fact.Numberless
	}
	return flags
}

// rawInquiry is a call, a lead, a callback or a conversation as it is stored.
type rawInquiry struct {
	site, id, at, visitor, state, operator, group int64
	phone, email, status, cost, url, number, form string
	pool                                          string
	sale                                          bool
	source                                        source.Source
}

const inquiryColumns = `site_id, id, at, visitor_id, phone, email, status, state, is_sale, sale_cost, ` + source.Columns + `, url, number, operator_id, group_id, form_name, pool`

func (r *rawInquiry) fields() []any {
	fields := append([]any{&r.site, &r.id, &r.at, &r.visitor, &r.phone, &r.email, &r.status, &r.state, &r.sale, &r.cost}, r.source.Fields()...)
	return append(fields, &r.url, &r.number, &r.operator, &r.group, &r.form, &r.pool)
}

// views are the kinds of inquiries: where they are read, and their places among the ids.
var views = map[string]struct {
	name  string
	place int64
}{
	report.Call: {"report_calls", 0}, report.Request: {"report_leads", 1}, report.Callback: {"report_callbacks", 2}, report.Chat: {"report_chats", 3},
}

// merged is the state of a lead that is a part of another.
const merged = -1

// row is what is kept of the inquiry; false for what is none any more.
func (k *Keeper) row(kind string, r *rawInquiry) (fact.Row, bool) {
	if r.state == merged {
		return fact.Row{}, false
	}
	numbers := make([]int64, len(fact.Inquiries.Numbers))
	numbers[fact.ID], numbers[fact.Minute] = fact.InquiryID(views[kind].place, r.id), minute(r.at)
	numbers[fact.InquiryVisitor] = k.keys.Visitors.Number(key.ID(r.visitor))
	numbers[fact.InquiryPhone], numbers[fact.InquiryEmail] = k.hash(r.phone), k.hash(strings.ToLower(r.email))
	numbers[fact.InquiryFlags] = flags(kind, r)
	if r.sale {
		numbers[fact.InquirySum] = millionths(r.cost)
	}
	texts := make([]string, len(fact.Inquiries.Texts))
	s := &r.source
	texts[fact.InquiryKind], texts[fact.InquirySourceKind] = kind, s.Kind
	texts[fact.InquirySource], texts[fact.InquiryMedium], texts[fact.InquiryCampaign] = written(s.Source), written(s.Medium), written(s.Campaign)
	texts[fact.InquiryContent], texts[fact.InquiryKeyword] = written(s.Content), written(s.Term)
	texts[fact.InquiryReferrer], texts[fact.InquiryLanding] = host(s.Referrer), path(s.Landing)
	texts[fact.InquiryPage], texts[fact.InquiryNumber], texts[fact.InquiryForm] = path(r.url), r.number, written(r.form)
	texts[fact.InquiryPool] = r.pool[strings.IndexByte(r.pool, '/')+1:] // the name of a site's own pool begins with the site
	texts[fact.InquiryOperator], texts[fact.InquiryGroup] = id(r.operator), id(r.group)
	return fact.Row{Numbers: numbers, Texts: texts}, true
}

func flags(kind string, r *rawInquiry) (flags int64) {
	if r.state == int64(lead.Spam) {
		flags |= fact.Spam
	}
	if r.sale {
		flags |= fact.Sale
	}
	switch kind {
	case report.Call:
		switch telephony.Status(r.status) {
		case telephony.Missed, telephony.Busy, telephony.Failed:
			flags |= fact.Missed
		case telephony.Answered:
			flags |= fact.Reached
		}
	case report.Callback:
		switch r.status {
		case "done", "talking":
			flags |= fact.Reached
		case "no_answer", "failed":
			flags |= fact.Failed
		}
	case report.Request:
		if r.status == lead.Chat || r.status == lead.Missed || r.status == lead.Call {
			flags |= fact.Part
		}
	}
	return flags
}

func minute(at int64) int64 { return at / 60_000 % minutesOfDay }

// written is a text that somebody has written into an address, as it is kept: without what may be somebody's address.
func written(text string) string {
	if strings.Contains(text, "@") {
		return "@"
	}
	return clip.Text(text, maxText)
}

// host is the host of an address, as people read it.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	name := u.Hostname()
	if unicode, err := idna.ToUnicode(name); err == nil {
		name = unicode
	}
	return clip.Text(strings.ToLower(name), maxText)
}

// path is the path of a page's address, "" if there is none.
func path(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && u.Path == "" {
		return ""
	}
	if u.Path == "" {
		return "/"
	}
	return written(u.Path)
}

// language is the first language of a header, without its country: "en" of "en-US,en;q=0.9".
func language(header string) string {
	first, _, _ := strings.Cut(header, ",")
	first, _, _ = strings.Cut(first, ";")
	first, _, _ = strings.Cut(strings.TrimSpace(first), "-")
	if first = strings.ToLower(first); len(first) < 2 || len(first) > 3 {
		return ""
	}
	return clip.Text(first, maxText)
}

// millionths is a sum as [submission.Amount] writes it, in millionths; 0 for none.
func millionths(sum string) int64 {
	sum, ok := submission.Amount(sum)
	if !ok {
		return 0
	}
	value, err := strconv.ParseFloat(sum, 64)
	if err != nil || value > 1e12 || value < -1e12 {
		return 0
	}
	return int64(value*1e6 + 0.5)
}

func id(number int64) string {
	if number == 0 {
		return ""
	}
	return strconv.FormatInt(number, 10)
}

// inquiries reads those of a kind with the ids.
func inquiries(ctx context.Context, from db.Queries, siteID int64, kind string, ids []int64) ([]rawInquiry, error) {
	marks, args := list(ids, siteID)
	rows, err := db.List(ctx, from, (*rawInquiry).fields, `SELECT `+inquiryColumns+` FROM `+views[kind].name+` WHERE site_id = $1 AND id IN (`+marks+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading what reports count: %w", err)
	}
	return rows, nil
}

// visits reads those with the ids.
func visits(ctx context.Context, from db.Queries, siteID int64, ids []int64) ([]rawVisit, error) {
	marks, args := list(ids, siteID)
	rows, err := db.List(ctx, from, (*rawVisit).fields, `SELECT `+visitColumns+` FROM report_visits WHERE site_id = $1 AND id IN (`+marks+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the visits that reports count: %w", err)
	}
	return rows, nil
}

// list returns the ids as the arguments of a query behind those before, and their marks.
func list(ids []int64, before ...any) (marks string, args []any) {
	args = before
	var places []string
	for _, id := range db.Padded(ids) {
		args = append(args, id)
		places = append(places, "$"+strconv.Itoa(len(args)))
	}
	return strings.Join(places, ", "), args
}
