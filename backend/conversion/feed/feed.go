// Package feed writes the files by which Google Ads and Yandex Metrica take conversions that happened outside their tags
// (https://support.google.com/google-ads/answer/7014069, https://support.google.com/google-ads/answer/7686280,
// https://yandex.com/dev/metrika/en/management/offline-conv, https://yandex.com/dev/metrika/en/management/calls).
package feed

import (
	"context"
	"encoding/csv"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
)

// Kind is whose files they are.
type Kind int

// The kinds.
const (
	GoogleAds Kind = iota
	Yandex
)

// Names are the usual ones: of conversion actions in Google Ads, and of goals that are events in Yandex Metrica.
var Names = map[Kind]map[platform.Goal]string{
	GoogleAds: {platform.Lead: "Lead", platform.Sale: "Sale", platform.Answered: "Call"},
	Yandex:    {platform.Lead: "lead", platform.Sale: "sale", platform.Call: "call", platform.Chat: "chat"},
}

// Platform is the platform that fetches the files. To send is to have the conversion in the next one.
type Platform struct{ Kind Kind }

var (
	hashed    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	login     = regexp.MustCompile(`^[a-z0-9-]{3,40}$`)
	name      = regexp.MustCompile(`^[\pL\pN][^\pC"]*$`) // of longest characters at most: to count them here takes megabytes
	target    = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)
	leftAside = attempt.Skip{Reason: attempt.Unmet}
)

// longest is how many characters the name of a goal may have.
const longest = 100

// Check returns the name of the field that is wrong, or the empty string. No cell of a file begins with what a spreadsheet
// would take for a formula.
func (p Platform) Check(d platform.Destination) string {
	names := name
	if p.Kind == Yandex {
		names = target
	}
	switch {
	case !login.MatchString(d.Address):
		return "address"
	case !hashed.MatchString(d.Credential):
		return "credential"
	}
	for _, one := range d.Names {
		if utf8.RuneCountInString(one) > longest || !names.MatchString(one) || strings.HasPrefix(one, "-") {
			return "names"
		}
	}
	return ""
}

// Send has nothing to do but to see that the platform would know the visitor.
func (p Platform) Send(_ context.Context, _ platform.Destination, what []platform.Conversion) (int, error) {
	c := what[0]
	switch {
	case c.Test: // it would count
		return 0, leftAside
	case c.Click.ClickID != "", p.Kind == Yandex && c.IDs.YM != "":
		return 0, nil
	}
	return 0, attempt.Skip{Reason: attempt.NoID}
}

// TakeBack leaves the conversion out of the next files, and has Google told that it was taken back.
func (p Platform) TakeBack(context.Context, platform.Destination, platform.Conversion) (int, error) {
	return 0, nil
}

// Row is a conversion that a platform may fetch.
type Row struct {
	Goal              platform.Goal
	Name, ID          string
	At                time.Time
	Value, Currency   string
	ClickID, ClientID string
	Talk, Wait        int64 // seconds, -1 where that is not known
	First             bool
	// RevisedAt is when the value was changed, and TakenAt since when the conversion does not count; zero for never.
	RevisedAt, TakenAt time.Time
}

// A File is one of a platform's.
type File struct {
	Name   string
	before []string // a line of its own
	header []string
	// cells are those of the row, none where it is not in the file.
	cells func(Row) []string
}

// googleTime is how Google Ads reads times. Those of the files are in UTC, as their first line says.
const googleTime = "2006-01-02 15:04:05"

// Files are those of each kind.
var Files = map[Kind][]File{
	GoogleAds: {
		{"conversions.csv", []string{"Parameters:TimeZone=+0000"}, []string{"Google Click ID", "Conversion Name", "Conversion Time", "Conversion Value", "Conversion Currency", "Order ID"}, func(r Row) []string {
			if !r.TakenAt.IsZero() {
				return nil
			}
			return []string{r.ClickID, r.Name, r.At.UTC().Format(googleTime), r.Value, r.Currency, r.ID}
		}},
		{"adjustments.csv", []string{"Parameters:TimeZone=+0000"}, []string{"Order ID", "Conversion Name", "Adjustment Time", "Adjustment Type", "Adjusted Value", "Adjusted Value Currency"}, func(r Row) []string {
			switch {
			case !r.TakenAt.IsZero():
				return []string{r.ID, r.Name, r.TakenAt.UTC().Format(googleTime), "RETRACT", "", ""}
			case !r.RevisedAt.IsZero():
				return []string{r.ID, r.Name, r.RevisedAt.UTC().Format(googleTime), "RESTATE", r.Value, r.Currency}
			}
			return nil
		}},
	},
	Yandex: {
		{"conversions.csv", nil, []string{"ClientId", "Yclid", "Target", "DateTime", "Price", "Currency"}, func(r Row) []string {
			if !r.TakenAt.IsZero() || r.Goal == platform.Call {
				return nil
			}
			return []string{r.ClientID, r.ClickID, r.Name, strconv.FormatInt(r.At.Unix(), 10), r.Value, r.Currency}
		}},
		{"calls.csv", nil, []string{"ClientId", "Yclid", "DateTime", "TalkDuration", "HoldDuration", "CallMissed", "FirstTimeCaller", "Tag"}, func(r Row) []string {
			if !r.TakenAt.IsZero() || r.Goal != platform.Call {
				return nil
			}
			return []string{r.ClientID, r.ClickID, strconv.FormatInt(r.At.Unix(), 10), seconds(r.Talk), seconds(r.Wait), is(r.Talk == 0), is(r.First), r.Name}
		}},
	},
}

func seconds(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func is(so bool) string {
	if so {
		return "1"
	}
	return "0"
}

// Named is the file of the kind with the name; ok is false where there is none.
func Named(kind Kind, name string) (f File, ok bool) {
	for _, f := range Files[kind] {
		if f.Name == name {
			return f, true
		}
	}
	return File{}, false
}

// Writer writes rows of a file.
type Writer struct {
	file File
	csv  *csv.Writer
}

// NewWriter begins the file.
func (f File) NewWriter(w io.Writer) (*Writer, error) {
	out := &Writer{f, csv.NewWriter(w)}
	if f.before != nil {
		if err := out.csv.Write(f.before); err != nil {
			return nil, err
		}
	}
	return out, out.csv.Write(f.header)
}

// Write writes the row, if it is in the file.
func (w *Writer) Write(r Row) error {
	if cells := w.file.cells(r); cells != nil {
		return w.csv.Write(cells)
	}
	return nil
}

// Flush writes what is held back.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}
