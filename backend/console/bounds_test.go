package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// filling is what a column is filled with in this test.
type filling func(bad string) (value, suffix string)

// text is as many bytes as the checks of who writes it let through. They are what strangers write, or operators.
func text(size int) filling {
	return func(bad string) (string, string) { return strings.Repeat(bad, size/len(bad)), "" }
}

// key is a text of a column in which no two are the same.
func key(size int) filling {
	return func(bad string) (string, string) { return strings.Repeat(bad, (size-8)/len(bad)), " || rowid" }
}

// address is a text behind the name of a host.
func address(size int) filling {
	return func(bad string) (string, string) {
		const begin = "https://shop.example/"
		return begin + strings.Repeat(bad, (size-len(begin))/len(bad)), ""
	}
}

// list is so many texts as JSON.
func list(number, size int) filling {
	return func(bad string) (string, string) {
		all := make([]string, number)
		for i := range all {
			all[i] = strings.Repeat(bad, size/len(bad))
		}
		value, _ := json.Marshal(all)
		return string(value), ""
	}
}

// object is so many named texts as JSON.
func object(number, size int) filling {
	return func(bad string) (string, string) {
		all := make(map[string]string, number)
		for i := range number {
			all[fmt.Sprint(strings.Repeat(bad, 200/len(bad)), i)] = strings.Repeat(bad, size/len(bad))
		}
		value, _ := json.Marshal(all)
		return string(value), ""
	}
}

// writings is what a page shows of a number, as JSON.
func writings(bad string) (string, string) {
	all := make([]map[string]string, 20)
	for i := range all {
		all[i] = map[string]string{"text": fmt.Sprint(strings.Repeat(bad, 60/len(bad)), i), "place": "text"}
	}
	value, _ := json.Marshal(all)
	return string(value), ""
}

// service is for columns in which the service writes: names, codes, digits, hashes, and JSON of those.
var service filling

// columns are all of the schema that hold texts. Whoever adds one says here who writes it, and how much.
var columns = map[string]filling{
	"bulletin_subscriptions.address": text(254), "bulletin_subscriptions.detail": text(200), "bulletin_subscriptions.every": service, "bulletin_subscriptions.language": service,
	"bulletin_subscriptions.made_by": text(64), "bulletin_subscriptions.reason": service, "bulletin_subscriptions.state": service,
	"call_places.call_id": service, "call_places.platform": service, "callback_orders.order_id": service,
	"callback_networks.network": service, "callback_steps.detail": text(300), "callback_steps.kind": service, "callback_steps.made_by": text(405),
	"callbacks.caller_id": service, "callbacks.code": service, "callbacks.delivery": service, "callbacks.operator": service, "callbacks.order_id": service,
	"callbacks.origin": service, "callbacks.phone": service, "callbacks.platform": text(64), "callbacks.reason": service, "callbacks.state": service, "callbacks.url": address(2000),
	"calls.call_id": service, "calls.called": service, "calls.caller": service, "calls.conditions": text(500), "calls.confidence": service, "calls.currency": service,
	"calls.notes": service, "calls.platform": service, "calls.price": service, "calls.reason": service, "calls.recording": address(2000), "calls.replaces": service,
	"calls.source_campaign": text(200), "calls.source_click_id": text(200), "calls.source_click_id_name": service, "calls.source_content": text(200),
	"calls.listed_kind": service, "calls.source_kind": service, "calls.source_landing": address(2048), "calls.source_medium": text(200), "calls.source_name": text(200),
	"calls.source_referrer": text(2048), "calls.source_term": text(200), "calls.status": service,
	"captchas.digits": service, "captchas.key": service,
	"chat_files.author": service, "chat_files.content": service, "chat_files.name": text(200), "chat_files.type": service, "chat_replies.text": text(4000), "chat_replies.word": service,
	"chat_letters.address": text(254), "chat_ratings.line": text(2000), "chat_unwanted.address": key(254),
	"contacts.kind": service, "contacts.value": key(1024), "contacts.written": text(1024),
	"conversations.language": text(16), "conversations.last_from": service, "conversations.state": service, "conversations.url": address(2048),
	"declared_numbers.digits": service, "declared_numbers.replaces": service, "declarers.name": service,
	"deliveries.data": service, "deliveries.detail": text(200), "deliveries.event": service, "deliveries.reason": service, "deliveries.state": service,
	"duties.name": service, "duties.owner": service, "nodes.id": service, "rewrites.behind": service,
	"endpoints.address": address(2000), "endpoints.content_type": service, "endpoints.earlier_secret": service, "endpoints.events": service, "endpoints.kind": service,
	"client_ids.fbc": service, "client_ids.fbp": service, "client_ids.ga": service, "client_ids.pk": service, "client_ids.sessions": service, "client_ids.ym": service,
	"conversions.click_id": service, "conversions.click_id_name": service, "conversions.client_id": service, "conversions.currency": service, "conversions.goal": service, "conversions.subject": service, "conversions.value": service,
	"endpoints.settings": service, "endpoints.language": service, "endpoints.secret": service, "endpoints.subject": text(200), "endpoints.template": text(4000),
	"erased_contacts.hash": service, "erasure_marks.kind": service, "erasure_marks.text": text(1000),
	"erasures.asked_by": text(405), "erasures.person": service,
	"user_events.action": text(512), "user_events.call_id": service, "user_events.category": text(512), "user_events.name": text(512), "user_events.value": text(512),
	"form_answers.path": key(300), "forms.fields": list(60, 80), "forms.path": key(300),
	"goose_db_version.tstamp": service,
	"views.kind":              service, "views.referrer": address(2048), "views.title": text(512), "views.url": address(2048),
	"incidents.about": key(300), "incidents.kind": service, "incidents.name": text(1024),
	"jobs.kind": service, "jobs.payload": service, "jobs.reason": service, "jobs.target": service,
	"journal.data": service, "journal.kind": service, "journal_readers.name": service, "journal_readers.owner": service,
	"lead_deeds.kind": service, "lead_deeds.login": text(405), "lead_deeds.said": text(16000), "lead_deeds.was": service,
	"lead_requests.request": service, "lead_numbers.number": service, "lead_origins.origin": service, "lead_marks.mark": service, "lead_tags.tag": key(30), "conversation_tags.tag": key(30),
	"leads.email": text(1024), "leads.form_name": key(1024), "leads.message": text(20 << 10), "leads.name": text(1024),
	"leads.origin": service, "leads.phone": text(1024), "leads.phone_digits": service, "leads.phone_extension": service, "leads.sale_cost": service,
	"leads.source_campaign": text(200), "leads.source_click_id": text(200), "leads.source_click_id_name": service, "leads.source_content": text(200),
	"leads.source_kind": service, "leads.source_landing": address(2048), "leads.source_medium": text(200), "leads.source_name": text(200),
	"leads.source_referrer": text(2048), "leads.source_term": text(200), "leads.url": address(2048), "leads.user_fields": object(200, 100),
	"lease_hours.pool": service, "leases.digits": service, "leases.replaces": service,
	"messages.author": service, "messages.client_id": key(64), "messages.code": service, "messages.text": text(16000),
	"number_declarations.conditions": text(500), "number_declarations.declarer": service, "number_declarations.digits": service, "number_declarations.replaces": service,
	"open_answers.answer": service, "open_answers.asked": service, "open_answers.name": service,
	"operator_authenticators.secret": service, "operator_authenticators.session": service, "operator_recovery_codes.hash": service,
	"operator_passkey_challenges.challenge": service, "operator_passkeys.host": service, "operator_passkeys.id": service, "operator_passkeys.name": text(400),
	"operator_passkeys.public_key": service, "operator_passkeys.transports": service,
	"operator_declarations.declarer": service, "operator_declarations.login": service, "operator_declarations.password_hash": service,
	"operator_declared_sites.declarer": service, "operator_declared_sites.login": service,
	"operator_faces.content": service, "operator_faces.name": service,
	"operator_groups.holidays": service, "operator_groups.hours": service, "operator_groups.name": key(100), "operator_groups.phone": service,
	"operator_groups.routing": service, "operator_groups.zone": service,
	"operator_leases.id": service, "operator_resets.token": service, "operator_sessions.address": service, "operator_sessions.browser": service, "operator_sessions.data": service, "operator_sessions.system": service, "operator_sessions.token": service, "operator_setup.token": service,
	"operator_tokens.hash": service, "operator_tokens.made_by": text(64), "operator_tokens.name": text(400), "operator_tokens.scopes": service,
	"operators.email": text(254), "operators.language": service, "operators.login": service, "operators.name": text(400), "operators.password_hash": service, "operators.role": service,
	"own_pool_numbers.digits": service, "own_pool_numbers.pool": service, "pool_numbers.digits": service, "pool_numbers.pool": service, "pool_numbers.replaces": service,
	"page_markups.markup": service, "page_markups.path": service,
	"properties.name": key(128), "properties.value": text(2048),
	"refused_leads.address": service, "refused_leads.code": service, "refused_leads.digest": service, "refused_leads.forward": service, "refused_leads.origin": service, "refused_leads.reason": text(300),
	"refused_days.network": service, "refused_leads.region": service, "refused_leads.sent": object(60, 60), "refused_leads.url": address(2048),
	"report_links.made_by": service, "report_links.name": text(400), "report_links.query": service, "report_links.token": service,
	"saved_reports.name": key(400), "saved_reports.query": service,
	"cost_imports.currency": service, "cost_imports.digest": service, "cost_imports.left_lines": service, "cost_imports.made_by": text(405), "cost_imports.medium": text(200),
	"cost_imports.name": text(200), "cost_imports.platform": service, "cost_imports.source": text(200), "cost_imports.state": service, "cost_imports.undone_by": text(405), "costs.campaign": text(200),
	"report_columns.content": service, "report_columns.name": service, "report_due.kind": service, "report_progress.name": service,
	"secrets.name": service, "secrets.value": service, "sequences.name": service,
	"visits.area": text(80), "visits.campaign": text(300), "visits.city": text(80), "visits.country": service, "visits.language": text(128), "visits.recent": service,
	"visits.source_campaign": text(200), "visits.source_click_id": text(200), "visits.source_click_id_name": service, "visits.source_content": text(200),
	"visits.source_kind": service, "visits.source_landing": address(2048), "visits.source_medium": text(200), "visits.source_name": text(200),
	"visits.source_referrer": text(2048), "visits.source_term": text(200), "visits.user_agent": text(512),
	"shown_numbers.digits": service, "shown_pages.digits": service, "shown_pages.path": key(200), "shown_pages.writings": writings,
	"rivals.account": service, "rivals.loader": address(200), "rivals.path": text(200), "sightings.part": service, "limit_uses.kind": service, "site_pages.outcome": service, "sites.key": service, "sites.settings": service,
	"visitors.name": text(1024), "visitors.nonce": service,
}

// copies say of which tables there are many rows for a list: how many, and what differs in them, with i as their number.
var copies = []struct {
	table, which string
	number       int
	differs      map[string]string
}{
	{"leads", "merged_into = 0", 55, map[string]string{"id": "id + 1000 + i", "at": "at - i"}},
	{"leads", "id < 1000", 40, map[string]string{"id": "id + 2000 + i", "merged_into": "id", "at": "at + i"}},
	{"incidents", "1", 290, map[string]string{"about": "about || i"}},
	{"lead_tags", "1", 9, map[string]string{"tag": "tag || i"}},
	{"lead_deeds", "id = (SELECT MIN(id) FROM lead_deeds)", 120, map[string]string{"id": "id + 1000 + i"}},
	{"refused_leads", "1", 55, map[string]string{"id": "id + 1000 + i", "digest": "digest || i", "at": "at - i"}},
	{"views", "id = (SELECT MIN(id) FROM views)", 120, map[string]string{"id": "id + 1000000 + i", "at": "at - i"}},
	{"user_events", "1", 120, map[string]string{"id": "id + 1000 + i", "call_id": "call_id || i"}},
	{"properties", "1", 100, map[string]string{"name": "name || i"}},
	{"contacts", "kind = 'phone'", 40, map[string]string{"value": "value || i"}},
	{"conversations", "1", 110, map[string]string{"id": "id + 1000 + i", "visitor_id": "visitor_id + 1000000 + i"}},
	{"conversation_tags", "1", 9, map[string]string{"tag": "tag || i"}},
	{"conversation_tags", "1", 110, map[string]string{"conversation_id": "conversation_id + 1000 + i"}},
	{"messages", "file_id <> 0", 110, map[string]string{"conversation_id": "conversation_id + 1000 + i", "client_id": "client_id || i"}},
	{"messages", "file_id <> 0 AND conversation_id < 1000", 200, map[string]string{"seq": "seq + i", "client_id": "client_id || i"}},
	{"chat_replies", "1", 199, map[string]string{"id": "id + i", "word": "word || i"}},
	{"operator_groups", "1", 99, map[string]string{"id": "id + i", "name": "name || i"}},
	{"saved_reports", "1", 49, map[string]string{"id": "id + i", "name": "name || i"}},
	{"report_links", "1", 99, map[string]string{"id": "id + i", "token": "token || i"}},
	{"operator_tokens", "1", 300, map[string]string{"id": "id + i", "hash": "hash || i"}},
	{"bulletin_subscriptions", "1", 199, map[string]string{"id": "id + i"}},
	{"endpoints", "kind = 'webhook'", 18, map[string]string{"id": "id + 100 + i"}},
	{"forms", "1", 199, map[string]string{"path": "path || i"}},
	{"form_answers", "1", 199, map[string]string{"path": "path || i"}},
	{"calls", "1", 60, map[string]string{"id": "id + 1000 + i", "call_id": "call_id || i"}},
	{"callbacks", "1", 60, map[string]string{"id": "id + 1000 + i", "delivery": "delivery || i", "order_id": "order_id || i"}},
	{"callback_steps", "n = 1", 300, map[string]string{"n": "n + 1000 + i"}},
	{"journal", "kind = 'lead.added'", 55, map[string]string{"seq": "seq + 1000 + 50 * i", "subject_id": "subject_id + 1000 + i"}},
	{"journal", "kind LIKE 'chat%'", 100, map[string]string{"seq": "seq + 10000 + 50 * i", "subject_id": "subject_id + 1000 + i"}},
	{"journal", "kind LIKE 'call.%'", 50, map[string]string{"seq": "seq + 20000 + 50 * i", "subject_id": "subject_id + 1000 + i"}},
	{"journal", "kind LIKE 'callback%'", 50, map[string]string{"seq": "seq + 30000 + 50 * i", "subject_id": "subject_id + 1000 + i"}},
	{"shown_numbers", "1", 199, map[string]string{"digits": "digits + i"}},
	{"shown_pages", "1", 199, map[string]string{"digits": "digits + i"}},
}

const (
	maxPage  = 1 << 20
	maxEvent = 16 << 10
)

// Whatever is stored, a page and an event of the console have their bounds.
func TestPagesAndEventsAreBoundedWhateverIsStored(t *testing.T) {
	t.Parallel()
	d := newDesk(t, dbtest.Open(t, dbtest.SQLite(t)))
	require.NoError(t, d.Operators.Add(t.Context(), "vera", password, operator.Admin))
	b := d.signedIn("vera")
	begin, err := url.Parse(b.liveAddress("/leads"))
	require.NoError(t, err)
	values := d.shopOfSecrets()
	d.hasMany(values)
	for _, bad := range []string{"&", "a\u00ad"} {
		d.fill(bad)
		d.hold()
		for _, pattern := range console.Patterns() {
			if !strings.HasPrefix(pattern, "GET ") || strings.HasPrefix(pattern, "GET /stream") || strings.HasSuffix(pattern, "/text") ||
				strings.HasSuffix(pattern, "/export") || strings.HasSuffix(pattern, "{message}") || strings.HasSuffix(pattern, "{file}") || strings.HasSuffix(pattern, "{table}") || strings.HasPrefix(pattern, "GET /help/") {
				continue // these are files, of which a part is never shown
			}
			d.looksAt(b, pattern, values)
		}
		d.hears(b, begin.Query().Get("after"), values)
	}
}

// hasMany makes rows of what there is one of.
func (d *desk) hasMany(values map[string]string) {
	d.t.Helper()
	var visitors errgroup.Group
	visitors.SetLimit(32)
	for range 200 {
		visitors.Go(func() error {
			var h visit.View
			for range 4 {
				view := visit.Arrival{Nonce: fmt.Sprintf("view%018d", d.calls.Add(1)), URL: "https://shop.example/", Kind: "load", UserAgent: "Mozilla/5.0 Chrome/140.0.0.0"}
				var err error
				if h, err = d.Visits.Arrive(d.t.Context(), d.shop.ID, h.Visitor, view); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(d.t, visitors.Wait())
	n := lead.Key{SiteID: d.shop.ID}
	fmt.Sscan(values["lead"], &n.ID)
	require.NoError(d.t, d.Leads.AddNote(d.t.Context(), lead.By{Login: "vera"}, n, "note"))
	require.NoError(d.t, d.Leads.SetTags(d.t.Context(), lead.By{Login: "vera"}, n, []string{"tag"}))
	talk := chat.Key{SiteID: d.shop.ID}
	fmt.Sscan(values["conversation"], &talk.ID)
	d.write(func(ctx context.Context, tx db.Tx) error {
		if err := chat.Tags.Set(ctx, tx, talk.SiteID, talk.ID, []string{"tag"}); err != nil {
			return err
		}
		return incident.Note(ctx, tx, incident.Incident{SiteID: d.shop.ID, Kind: incident.Form, About: "/form", Name: "/form"}, true, d.now())
	})
	all := make(map[string][]string)
	for _, c := range d.textColumns("1") {
		table, column, _ := strings.Cut(c, ".")
		all[table] = append(all[table], column)
	}
	d.write(func(ctx context.Context, tx db.Tx) error {
		for _, c := range copies {
			var into, from []string
			for _, column := range all[c.table] {
				value := column
				if other := c.differs[column]; other != "" {
					value = other
				}
				into, from = append(into, column), append(from, value)
			}
			made, err := tx.Exec(ctx, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				INSERT INTO %s (%s) SELECT %s FROM %s, n WHERE %s`, c.number, c.table, strings.Join(into, ", "), strings.Join(from, ", "), c.table, c.which))
			if err != nil {
				return fmt.Errorf("%s: %w", c.table, err)
			}
			if made < int64(c.number) {
				return fmt.Errorf("%s: there is no row to copy", c.table)
			}
		}
		_, err := tx.Exec(ctx, `UPDATE conversations SET seq = 201 WHERE id < 1000`)
		return err
	})
}

// textColumns are the columns of the schema as "table.column", of which the type meets the condition.
func (d *desk) textColumns(condition string) []string {
	d.t.Helper()
	names, err := db.List(d.t.Context(), d.DB.Read(), db.Only[string], `SELECT m.name || '.' || p.name FROM sqlite_master m, pragma_table_info(m.name) p
		WHERE m.type = 'table' AND m.name NOT LIKE 'lead\_search%' ESCAPE '\' AND m.name NOT LIKE 'lead\_words%' ESCAPE '\' AND m.name NOT LIKE 'sqlite%' AND `+condition+` ORDER BY 1`)
	require.NoError(d.t, err)
	return names
}

func (d *desk) write(f func(context.Context, db.Tx) error) {
	d.t.Helper()
	require.NoError(d.t, d.DB.Write(d.t.Context(), 0, f))
}

// fill fills every column that is somebody's with the text.
func (d *desk) fill(bad string) {
	d.t.Helper()
	names := d.textColumns("p.type NOT IN ('BIGINT', 'INTEGER', 'BOOLEAN', 'SMALLINT')")
	for name := range columns {
		require.Contains(d.t, names, name, "there is no such column any more")
	}
	d.write(func(ctx context.Context, tx db.Tx) error {
		for _, name := range names {
			fill, known := columns[name]
			if !known {
				return fmt.Errorf("tell this test who writes %s, and how much at most", name)
			}
			if fill == nil {
				continue
			}
			table, column, _ := strings.Cut(name, ".")
			value, suffix := fill(bad)
			where := ""
			if name == "lead_deeds.said" {
				where = ` WHERE kind = 'note'`
			}
			if _, err := tx.Exec(ctx, fmt.Sprintf(`UPDATE %s SET %s = $1%s%s`, table, column, suffix, where), value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if _, err := tx.Exec(ctx, `UPDATE leads SET message = $1 WHERE id < 1000`, strings.Repeat(bad, (1<<20)/len(bad))); err != nil { // a few of them have all that is let through
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE presences SET until = until + 600000`)
		return err
	})
}

var further = regexp.MustCompile(`href="(/[a-z/0-9]*\?[^"]*(?:at|behind|before)=[^"]*)"`)

// looksAt opens the page of the route, and the next one of its list.
func (d *desk) looksAt(b *browser, pattern string, values map[string]string) {
	d.t.Helper()
	query := ""
	if strings.HasSuffix(pattern, "/messages") {
		query = "?after=0"
	}
	page := b.do(b.requestFor(pattern, values, query))
	require.Contains(d.t, []int{http.StatusOK, http.StatusSeeOther, http.StatusNotFound, http.StatusForbidden}, page.status, "%s: %.300s", pattern, page.body)
	require.LessOrEqual(d.t, len(page.body), maxPage, pattern)
	d.t.Logf("%-50s %d %d kB", pattern, page.status, len(page.body)>>10)
	if next := further.FindStringSubmatch(page.body); next != nil {
		page := b.get(strings.ReplaceAll(next[1], "&amp;", "&"))
		require.Equal(d.t, http.StatusOK, page.status, next[1])
		require.LessOrEqual(d.t, len(page.body), maxPage, next[1])
	}
}

// hears opens each stream behind the place in the journal.
func (d *desk) hears(b *browser, behind string, values map[string]string) {
	d.t.Helper()
	site := "&site=" + values["site"]
	views := []string{"visitors?", "leads?", "lead?lead=" + values["lead"] + site, "calls?", "callbacks?", "callback?callback=" + values["callback"] + site,
		"card?visitor=" + values["visitor"] + site, "chats?", "chats?seq=0&at=" + values["site"] + "&conversation=" + values["conversation"], "other?"}
	streams := make([]*stream, len(views))
	for i, view := range views {
		streams[i] = b.open("/stream/"+view+"&after="+url.QueryEscape(behind), "")
		require.Equal(d.t, http.StatusOK, streams[i].status, view)
	}
	d.pass(15 * time.Second) // what streams share is read anew
	last := fmt.Sprint("last", d.calls.Load())
	d.lead(d.hit(visit.Arrival{}), map[string]any{"message": last})
	var all errgroup.Group
	for i, s := range streams {
		all.Go(func() error {
			defer s.close()
			marks := []string{last}
			if views[i] == "visitors?" {
				marks = append(marks, "data-order")
			}
			for number, largest := 1, 0; ; number++ {
				e, found := s.next()
				size := len(e.data) + strings.Count(e.data, "\n")*len("data: ") + len("id: ") + len(e.id)
				if !found || size > maxEvent {
					return fmt.Errorf("%s: an event of %d bytes, or the end: %.300s", views[i], size, e.data)
				}
				largest = max(largest, size)
				marks = slices.DeleteFunc(marks, func(mark string) bool { return strings.Contains(e.data, mark) })
				if len(marks) == 0 {
					d.t.Logf("%-50s %d events, the largest of %d bytes", views[i], number, largest)
					return nil
				}
			}
		})
	}
	require.NoError(d.t, all.Wait())
}
