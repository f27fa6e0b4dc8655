package console

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// exportedAtOnce is how many leads of an export are listed together, and wholeAtOnce how many are read whole: each may have a
// megabyte.
const exportedAtOnce, wholeAtOnce = 500, 8

// exportColumns are the columns of an export, with the names of their words.
var exportColumns = []string{"export.id", "export.partOf", "export.at", "export.site", "export.state", "export.owner", "export.name", "export.phone", "export.written",
	"export.email", "export.message", "export.sale", "export.amount", "export.form", "export.ways", "export.kind", "export.source", "export.medium", "export.campaign",
	"export.term", "export.content", "export.referrer", "export.landing", "export.page", "export.fields"}

// exportLeads sends all leads of the filter as a table, however many they are, while they are read. A
// lead that is merged into another stands below it.
func (c *Console) exportLeads(w http.ResponseWriter, r *http.Request) {
	f, err := c.frame(r, "leads")
	if err == nil {
		f.Staff, err = c.staff(r, f)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	filter, problem := leadFormOf(r.URL.Query()).filter(f)
	if problem != "" {
		c.fail(w, r, http.StatusUnprocessableEntity, problem)
		return
	}
	out := csv.NewWriter(w)
	if f.Words.Code == "ru" { // where the comma is in numbers, spreadsheets expect this
		out.Comma = ';'
	}
	control := http.NewResponseController(w)
	self, _ := current(r)
	if err := c.Operators.NoteExport(r.Context(), self.Login, sitesOf(f), "leads", 0); err != nil {
		c.failed(w, r, err)
		return
	}
	begun := false
	for behind := (lead.Cursor{}); ; {
		page, err := c.Leads.Inbox(r.Context(), filter, behind, exportedAtOnce)
		var names []lead.Name
		if err == nil {
			names, err = c.withParts(r, page.Leads)
		}
		if err != nil && !begun {
			c.failed(w, r, err)
			return
		}
		if err != nil {
			c.endEarly(r, err)
		}
		if !begun {
			begun = true
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Header().Set("Content-Disposition", `attachment; filename="leads-`+c.now().UTC().Format(time.DateOnly)+`.csv"`)
			w.Write([]byte("\ufeff")) // by which spreadsheets know that it is UTF-8
			header := make([]string, len(exportColumns))
			for i, column := range exportColumns {
				header[i] = f.Words.text(column)
			}
			out.Write(header)
		}
		for some := range slices.Chunk(names, wholeAtOnce) {
			leads, err := c.Leads.Named(r.Context(), some)
			if err != nil {
				c.endEarly(r, err)
			}
			for _, l := range leads {
				out.Write(exported(f, l))
			}
			if out.Flush(); out.Error() != nil {
				return
			}
		}
		if out.Error() != nil || control.Flush() != nil { // nobody reads on
			return
		}
		if behind = page.Next; behind == (lead.Cursor{}) {
			return
		}
	}
}

// endEarly ends a table that has begun: one that ends early must not look whole.
func (c *Console) endEarly(r *http.Request, err error) {
	if r.Context().Err() == nil {
		c.logger.Error("an export of leads ended early", zap.Error(err))
	}
	panic(http.ErrAbortHandler)
}

// withParts are the names of the leads, each with those of its parts below it.
func (c *Console) withParts(r *http.Request, leads []lead.Lead) ([]lead.Name, error) {
	parts, err := c.Leads.PartsOf(r.Context(), leads)
	if err != nil {
		return nil, err
	}
	var all []lead.Name
	for _, l := range leads {
		all = append(all, l.Key())
		if len(parts[l.Key()]) == 0 {
			continue
		}
		own, err := c.Leads.Parts(r.Context(), l.Key())
		if err != nil {
			return nil, err
		}
		for _, part := range own {
			all = append(all, part.Key())
		}
	}
	return all, nil
}

func exported(f frame, l lead.Lead) []string {
	w := f.Words
	partOf, sale := "", ""
	if l.MergedInto != 0 {
		partOf = strconv.FormatInt(l.MergedInto, 10)
	}
	if l.IsSale {
		sale = w.text("export.yes")
	}
	key := ""
	if i := slices.IndexFunc(f.Sites, func(s site.Site) bool { return s.ID == l.SiteID }); i >= 0 {
		key = f.Sites[i].Key
	}
	amount := l.SaleCost
	if w.Code == "ru" {
		amount = strings.Replace(amount, ".", ",", 1)
	}
	var fields []string
	for _, one := range fieldsOf(l) {
		fields = append(fields, one.Name+": "+one.Value)
	}
	cells := []string{strconv.FormatInt(l.ID, 10), partOf, l.At.UTC().Format(time.DateTime), key, w.text("state." + l.State.String()), ownerName(w, f.Staff, l.Owner),
		l.Name, l.PhoneDigits, l.Phone, l.Email, l.Message, sale, amount, l.FormName, waysOf(w, l), w.text("source." + l.Source.Kind),
		l.Source.Source, l.Source.Medium, l.Source.Campaign, l.Source.Term, l.Source.Content, l.Source.Referrer, l.Source.Landing, l.URL, strings.Join(fields, "\n")}
	for i, cell := range cells {
		cells[i] = harmless(cell)
	}
	return cells
}

// harmless is the text as spreadsheets take it for a text: what begins like a formula has an apostrophe
// before it. They look behind blanks and the signs that begin other texts, too.
func harmless(text string) string {
	begins := strings.TrimLeft(text, " \t\r\n\v\f\u00a0\ufeff\u200b'\"")
	if begins != "" && strings.ContainsAny(begins[:1], "=+-@|%") || strings.HasPrefix(begins, "＝") || strings.HasPrefix(begins, "＋") || strings.HasPrefix(begins, "－") ||
		strings.HasPrefix(begins, "＠") || text != "" && strings.ContainsAny(text[:1], "\t\r\n") {
		return "'" + text
	}
	return text
}
