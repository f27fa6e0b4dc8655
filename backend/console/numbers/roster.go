package numbers

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/roster"
)

const (
	// maxRosterForm bounds the body in bytes of a request that sends a table, in its field "file", or again in "table".
	maxRosterForm = roster.MaxBytes + 16<<10
	// maxRosterChoices is how many printed numbers are offered.
	maxRosterChoices = 100
)

// rosterPage is the page of a table of numbers: where it is chosen, and a look at what would be added.
type rosterPage struct {
	*rows.Numbering
	Link    string
	Most    int
	Printed string   // the number in whose place those of the table are shown; empty for none
	Choices []string // such numbers, as digits
	Looked  bool     // there is a table to look at
	Text    string   // the table, to be sent again
	Seen    int64    // the version of the settings that it was looked at with
	Added   []roster.Row
	Made    []string // pools
	Known   int
	Wrong   []wrongLine
	Further int // mistakes that are not told
}

// wrongLine is what is wrong in a line of the table, or in all of it if Line is empty.
type wrongLine struct{ Line, Text string }

func (c *room) showRoster(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	return c.roster(w, r, http.StatusOK, f, rosterPage{Numbering: n, Printed: n.Beside("")})
}

func (c *room) roster(w http.ResponseWriter, r *http.Request, status int, f frame.Page, body rosterPage) error {
	printed, err := c.Numbers.List(r.Context(), body.ID)
	if err != nil {
		return err
	}
	for _, known := range body.Effective.Numbers() {
		body.Choices = append(body.Choices, number.Digits(known.Number))
	}
	for _, seen := range printed {
		if len(body.Choices) < maxRosterChoices && !slices.Contains(body.Choices, seen.Digits) && numberRowOf(seen).Valid {
			body.Choices = append(body.Choices, seen.Digits)
		}
	}
	body.Link, body.Most = "/numbers/"+strconv.FormatInt(body.ID, 10)+"/roster", roster.MaxBytes
	f.Here, f.Title, f.Body = body.Link, f.Words.Text("roster.title"), body
	return c.Show(w, status, f)
}

// rosterMistakes are the names of the words for what is wrong with a whole table.
var rosterMistakes = []struct {
	err  error
	text string
}{
	{roster.ErrLarge, "roster.large"}, {roster.ErrColumns, "roster.noColumns"}, {roster.ErrRows, "roster.manyRows"}, {roster.ErrEmpty, "roster.noNumbers"}, {errNoTable, "roster.noFile"},
}

var errNoTable = errors.New("no table was sent")

// takeRoster shows what a table would add, or adds it if it was looked at.
func (c *room) takeRoster(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	content, err := sentTable(r)
	body := rosterPage{Numbering: n, Printed: number.Digits(strings.TrimSpace(r.PostFormValue("printed"))), Seen: n.Version}
	var table *roster.Table
	if err == nil {
		table, err = roster.Read(content, body.Printed, n.Beside(""))
	}
	for _, m := range rosterMistakes {
		if errors.Is(err, m.err) {
			f.Problem = f.Words.Text(m.text)
			return c.roster(w, r, http.StatusUnprocessableEntity, f, body)
		}
	}
	if err != nil {
		return err
	}
	joined := table.Join(n.Settings.Own(), n.ConfiguredNumber)
	if len(table.Wrong) == 0 {
		if wrong := n.Check(joined.Own, ""); wrong != nil {
			table.Wrong = append(table.Wrong, roster.Wrong{Line: joined.Line(wrong), Err: wrong})
		}
	}
	body.Looked, body.Text, body.Added, body.Made, body.Known, body.Further = true, string(content), joined.Added, joined.Made, joined.Known, table.Further
	for _, wrong := range table.Wrong {
		line := wrongLine{Text: rows.NumberMistake(f.Words, wrong.Err)}
		if wrong.Line > 0 {
			line.Line = strconv.Itoa(wrong.Line)
		}
		body.Wrong = append(body.Wrong, line)
	}
	if len(body.Wrong) > 0 {
		return c.roster(w, r, http.StatusUnprocessableEntity, f, body)
	}
	if r.PostFormValue("do") != "add" || len(body.Added) == 0 {
		return c.roster(w, r, http.StatusOK, f, body)
	}
	seen, _ := strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	return c.Make(w, r, f, n, rows.Change{Seen: seen, Own: joined.Own, To: "/numbers?site=" + strconv.FormatInt(n.ID, 10), Notice: "roster.added",
		Again: func(status int, f frame.Page, now *rows.Numbering, _ error) error {
			body.Numbering, body.Seen = now, now.Version
			if status == http.StatusConflict { // it is to be looked at again
				body = rosterPage{Numbering: now, Printed: body.Printed}
			}
			return c.roster(w, r, status, f, body)
		}})
}

// sentTable is the table that was sent: as a file, or as text that was looked at.
func sentTable(r *http.Request) ([]byte, error) {
	sent, _, err := r.FormFile("file")
	if _, large := errors.AsType[*http.MaxBytesError](err); large || r.ContentLength > maxRosterForm {
		return nil, roster.ErrLarge
	}
	if r.MultipartForm != nil {
		defer func() { _ = r.MultipartForm.RemoveAll() }()
	}
	if err != nil {
		if text := r.PostFormValue("table"); text != "" {
			return []byte(text), nil
		}
		return nil, errNoTable
	}
	defer sent.Close()
	return io.ReadAll(sent)
}
