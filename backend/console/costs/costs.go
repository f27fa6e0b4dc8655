package costs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

const (
	// maxForm bounds the body in bytes of a request that sends a file, in its field "file".
	maxForm = cost.MaxBytes + 64<<10
	// mostImports is how many imports the list has.
	mostImports = 100
)

// costsPage is the page of a site's costs.
type costsPage struct {
	site.Site
	Link                             string
	Rows                             []importRow
	Source, Medium, Campaign, Amount string // of the entry that was not accepted
	First, Last                      string
	Most                             int64
}

// importRow is an import as a row of the list.
type importRow struct {
	cost.Import
	Link, Label, Sum string
	Undone           bool
}

// choose leads to the costs of the site, or shows the sites.
func (c *room) choose(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	chosen := p.SiteID
	if len(p.Sites) == 1 {
		chosen = p.Sites[0].ID
	}
	if chosen != 0 {
		http.Redirect(w, r, linkOf(chosen), http.StatusSeeOther)
		return nil
	}
	p.Body = costsPage{}
	return c.Show(w, http.StatusOK, p)
}

func linkOf(siteID int64) string { return "/costs/" + strconv.FormatInt(siteID, 10) }

func (c *room) showCosts(w http.ResponseWriter, r *http.Request, p frame.Page, named site.Site) error {
	return c.costs(w, r, http.StatusOK, p, costsPage{Site: named})
}

func (c *room) costs(w http.ResponseWriter, r *http.Request, status int, p frame.Page, body costsPage) error {
	list, err := c.Costs.List(r.Context(), body.ID, mostImports)
	if err != nil {
		return err
	}
	body.Link, body.Most = linkOf(body.ID), cost.MaxBytes
	sums := p.SumsOf(body.ID)
	for _, i := range list {
		body.Rows = append(body.Rows, rowOf(sums, i))
	}
	p.Here, p.Body = body.Link, body
	return c.Show(w, status, p)
}

func rowOf(sums *words.Tongue, i cost.Import) importRow {
	label := i.Name
	if label == "" {
		label = sums.Text("costs.byHand")
	}
	return importRow{Import: i, Link: linkOf(i.SiteID) + "/imports/" + strconv.FormatInt(i.ID, 10), Label: label, Sum: sums.Sum(float64(i.Amount) / 1e6), Undone: i.State == cost.Gone}
}

// mistakes are the names of the words for what is wrong with costs.
var mistakes = []struct {
	err  error
	text string
}{
	{cost.ErrLarge, "costs.large"}, {cost.ErrTable, "costs.noTable"}, {cost.ErrColumns, "costs.noColumns"}, {cost.ErrDayOrder, "costs.dayOrder"}, {cost.ErrLines, "costs.manyLines"},
	{cost.ErrCurrency, "costs.currencies"}, {cost.ErrTwice, "costs.twice"}, {cost.ErrEmpty, "costs.noCosts"}, {cost.ErrSum, "costs.wrongSum"}, {cost.ErrSource, "costs.wrongSource"},
	{cost.ErrCampaign, "costs.wrongCampaign"}, {cost.ErrAmount, "costs.wrongAmount"}, {cost.ErrPeriod, "costs.wrongPeriod"}, {period.ErrDate, "costs.wrongPeriod"},
	{errNoFile, "costs.noFile"}, {errForeign, "costs.foreign"},
}

var (
	errNoFile  = errors.New("no file was sent")
	errForeign = errors.New("the file has another currency than the site")
)

// refuse shows the page again, with what is wrong, or returns the error.
func (c *room) refuse(w http.ResponseWriter, r *http.Request, p frame.Page, body costsPage, err error) error {
	for _, m := range mistakes {
		if errors.Is(err, m.err) {
			p.Problem = p.Words.Text(m.text)
			return c.costs(w, r, http.StatusUnprocessableEntity, p, body)
		}
	}
	return err
}

// take reads a file, and keeps it as a draft, which is shown next.
func (c *room) take(w http.ResponseWriter, r *http.Request, p frame.Page, named site.Site) error {
	i, err := c.read(r, p, named)
	if err != nil {
		return c.refuse(w, r, p, costsPage{Site: named}, err)
	}
	return c.Back(w, r, rowOf(p.Words, i).Link, "")
}

func (c *room) read(r *http.Request, p frame.Page, named site.Site) (i cost.Import, err error) {
	sent, header, err := r.FormFile("file")
	if _, large := errors.AsType[*http.MaxBytesError](err); large || r.ContentLength > maxForm {
		return i, cost.ErrLarge
	}
	if err != nil {
		return i, errNoFile
	}
	defer sent.Close()
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	content, err := io.ReadAll(sent)
	if err != nil {
		return i, err
	}
	f, err := cost.Read(bytes.NewReader(content), cost.Order(r.PostFormValue("order")))
	if err != nil {
		return i, err
	}
	own := c.CurrencyOf(named)
	if own == "" {
		if own, err = c.Costs.Currency(r.Context(), named.ID); err != nil {
			return i, err
		}
	}
	if own != "" && f.Currency != "" && own != f.Currency {
		return i, errForeign
	}
	digest := sha256.Sum256(content)
	return c.Costs.Keep(r.Context(), named.ID, p.Operator.Login, header.Filename, hex.EncodeToString(digest[:]), f)
}

// enter keeps what was entered by hand.
func (c *room) enter(w http.ResponseWriter, r *http.Request, p frame.Page, named site.Site) error {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	body := costsPage{Site: named, Source: value("source"), Medium: value("medium"), Campaign: value("campaign"), Amount: value("amount"), First: value("first"), Last: value("last")}
	e := cost.Entry{Source: body.Source, Medium: body.Medium, Campaign: body.Campaign}
	var err, err2 error
	e.First, err = period.ReadDate(body.First)
	e.Last, err2 = period.ReadDate(body.Last)
	if err = errors.Join(err, err2); err == nil {
		e.Amount, _ = cost.ReadAmount(body.Amount)
		err = c.Costs.Enter(r.Context(), named.ID, p.Operator.Login, e)
	}
	if err != nil {
		return c.refuse(w, r, p, body, err)
	}
	return c.Back(w, r, linkOf(named.ID), "costs.kept")
}
