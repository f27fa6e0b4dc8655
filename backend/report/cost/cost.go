// Package cost reads what advertising has cost from the files that its platforms export: Google Ads, Yandex Direct, Meta
// and Microsoft Advertising, and tables made by hand with the same columns.
package cost

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/sheet"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

const (
	// MaxBytes is how large a file may be.
	MaxBytes = 16 << 20
	// MaxLines is how many lines a file may have below its heads.
	MaxLines = 100_000
	// MaxCampaign is how many bytes of a campaign's name are read: as many as are kept of a visit's.
	MaxCampaign = source.MaxText
	// maxTold is how many of the lines that were left out are told one by one.
	maxTold = 100
	// headLines is within how many lines the heads of the columns stand: platforms write titles above them.
	headLines = 20
)

// Errors of files.
var (
	ErrLarge    = errors.New("the file is larger than 16 MB")
	ErrTable    = errors.New("the file is not a table as CSV")
	ErrColumns  = errors.New("the file has no columns for the day, the campaign and the cost")
	ErrDayOrder = errors.New("days such as 3/4/2026 may be of March or of April: choose which")
	ErrLines    = errors.New("the file has more than 100,000 lines")
	ErrCurrency = errors.New("the file has costs in several currencies")
)

// Row is what one campaign cost on one day.
type Row struct {
	Day      period.Date
	Campaign string
	// Amount is in millionths of the currency.
	Amount int64
	// Clicks and Impressions are 0 where the file does not tell.
	Clicks, Impressions int64
}

// File is what was read.
type File struct {
	// Rows are in the order of their days and campaigns, of which each combination is there once.
	Rows []Row
	// Platform is the one that has written the file, as far as its heads tell.
	Platform Platform
	// Currency is the code of ISO 4217; empty if the file does not tell.
	Currency string
	// Left are the first lines that were not taken, and LeftOut is how many there were. Lines that add up others are
	// not counted.
	Left    []Left
	LeftOut int
}

// Left is a line that was not taken.
type Left struct {
	// Line counts from 1.
	Line   int
	Reason Reason
}

// Reason says why a line was not taken.
type Reason string

// The reasons.
const (
	NoDay      Reason = "day"      // it names no day
	ManyDays   Reason = "days"     // it is of several days at once
	NoCampaign Reason = "campaign" // it names no campaign
	NoAmount   Reason = "amount"   // its cost is no amount
)

// Reasons are all of them.
var Reasons = []Reason{NoDay, ManyDays, NoCampaign, NoAmount}

// Order says which part of a day such as 3/4/2026 is the month.
type Order string

// The orders. With Unsaid, a file in which both are possible is not read.
const (
	Unsaid     Order = ""
	DayFirst   Order = "day"
	MonthFirst Order = "month"
)

// ReadAmount reads an amount as people write it, in millionths. ok is false for what is none, or too large.
func ReadAmount(text string) (n int64, ok bool) { return amount(text, 0) }

// Read reads a file of at most [MaxBytes], in UTF-8, UTF-16 or windows-1251, with commas, semicolons or tabs between the
// columns, which are known by their English or Russian heads. The error is one of this package's, or that of from.
func Read(from io.Reader, order Order) (File, error) {
	content, err := io.ReadAll(io.LimitReader(from, MaxBytes+1))
	if err != nil {
		return File{}, err
	}
	if len(content) > MaxBytes {
		return File{}, ErrLarge
	}
	text := sheet.Text(content)
	t, err := open(text)
	if err != nil {
		return File{}, err
	}
	return t.read(order)
}

// table is a file whose heads have been found. Its lines are read anew each time: to keep them would take many times the file.
type table struct {
	columns
	comma rune
	below string // the heads
	above int    // how many lines there are down to the heads
}

// line is a row of a table, as it is written.
type line struct {
	number                        int
	day, until, campaign, amount  string
	clicks, impressions, currency string
}

// open finds the heads of the columns, by each of the signs that may stand between them.
func open(text string) (*table, error) {
	for _, comma := range sheet.Signs(text) {
		r := sheet.Reader(text, comma, true)
		for range headLines {
			cells, err := r.Read()
			if err != nil {
				break
			}
			if c, found := columnsOf(cells); found {
				heads, below := text[:r.InputOffset()], text[r.InputOffset():]
				return &table{c, comma, below, strings.Count(heads, "\n")}, nil
			}
		}
	}
	if !strings.ContainsAny(text, ",;\t") {
		return nil, ErrTable
	}
	return nil, ErrColumns
}

// each gives the lines that are not empty, as long as they are taken.
func (t *table) each(take func(line) bool) error {
	for r := sheet.Reader(t.below, t.comma, true); ; {
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		l := t.line(cells)
		if l.empty() {
			continue
		}
		l.number, _ = r.FieldPos(0)
		if l.number += t.above; !take(l) {
			return nil
		}
	}
}

// lines are the lines of a table that was summarised.
func (t *table) lines(yield func(line) bool) { _ = t.each(yield) }

// read makes rows of the lines.
func (t *table) read(order Order) (f File, err error) {
	f.Platform = t.platform
	all, err := t.summary(order)
	if err != nil {
		return File{}, err
	}
	f.Currency = all.currency
	day := func(cell string) (period.Date, bool) { return dayBy(cell, all.layouts) }
	of := make(map[Row]int) // where a day of a campaign stands in f.Rows
	for l := range t.lines {
		row, reason := l.row(day, all.point)
		if reason != "" {
			if l.isTotal() {
				continue
			}
			if f.LeftOut++; len(f.Left) < maxTold {
				f.Left = append(f.Left, Left{l.number, reason})
			}
			continue
		}
		key := Row{Day: row.Day, Campaign: row.Campaign}
		at, known := of[key]
		if !known {
			of[key] = len(f.Rows)
			f.Rows = append(f.Rows, row)
			continue
		}
		f.Rows[at].add(row)
	}
	slices.SortFunc(f.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Campaign, b.Campaign))
	})
	return f, nil
}

func (r *Row) add(other Row) {
	r.Amount = min(r.Amount+other.Amount, maxAmount)
	r.Clicks = min(r.Clicks+other.Clicks, maxCount)
	r.Impressions = min(r.Impressions+other.Impressions, maxCount)
}

func (l line) empty() bool {
	return l.day == "" && l.campaign == "" && l.amount == ""
}

// isTotal reports whether the line adds up others, as the last line of many exports does.
func (l line) isTotal() bool {
	for _, cell := range []string{l.day, l.campaign} {
		cell = strings.ToLower(cell)
		for _, begins := range []string{"total", "итог", "всего"} {
			if strings.HasPrefix(cell, begins) {
				return true
			}
		}
	}
	return false
}

// row reads the line. The reason is empty if it could be read.
func (l line) row(day func(string) (period.Date, bool), point byte) (r Row, reason Reason) {
	var ok bool
	if r.Day, ok = day(l.day); !ok {
		return r, NoDay
	}
	if l.until != "" {
		if until, ok := day(l.until); !ok || until != r.Day {
			return r, ManyDays
		}
	}
	if r.Campaign = clip.Text(l.campaign, MaxCampaign); r.Campaign == "" || r.Campaign == "--" || r.Campaign == "-" {
		return r, NoCampaign
	}
	if r.Amount, ok = amount(l.amount, point); !ok {
		return r, NoAmount
	}
	r.Clicks, r.Impressions = count(l.clicks), count(l.impressions)
	return r, ""
}
