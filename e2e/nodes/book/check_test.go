package book_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// at is so many seconds after noon.
func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

// good is a book of which everything is kept, and what is stored then.
func good() ([]book.Entry, *book.Stored) {
	entries := []book.Entry{
		{At: at(0), Kind: book.Opened, Of: "visitor"},
		{At: at(1), Kind: book.Lead, ID: "1", Acknowledged: true},
		{At: at(1), Kind: book.Lead, ID: "2"}, // it was stored, though its answer was lost
		{At: at(2), Kind: book.Sale, ID: "1", Value: "17.5", Acknowledged: true},
		{At: at(3), Kind: book.Form, ID: "1", Acknowledged: true},
		{At: at(3), Kind: book.Form, ID: "2", Excused: true},
		{At: at(99), Kind: book.Form, ID: "3", Acknowledged: true}, // it is on its way
		{At: at(4), Kind: book.Message, ID: "1", Acknowledged: true},
		{At: at(5), Kind: book.Answer, ID: "1", Acknowledged: true},
		{At: at(6), Kind: book.Call, ID: "1", Value: "answered", Acknowledged: true},
		{At: at(7), Kind: book.Setting, Value: "one", Acknowledged: true},
		{At: at(8), Kind: book.Setting, Value: "two"},
		{At: at(101), Kind: book.Setting, Value: "three"}, // after what is stored was read
		{At: at(102), Kind: book.Setting, Value: "three", Acknowledged: true},
		{At: at(102), Kind: book.Lead, ID: "3", Acknowledged: true},
		{At: at(9), Kind: book.Page, Acknowledged: true},
		{At: at(9), Kind: book.Page, Instead: "EOF", Excused: true},
		{Since: at(9), At: at(9), Kind: book.Form, ID: "4", Instead: `Post "http://shop.test/send": EOF`},
		{Since: at(8), At: at(10), Kind: book.Reloaded},
		{Since: at(-50), At: at(-45), Kind: book.Page, Instead: "504"},
		{Since: at(-48), At: at(-46), Kind: book.Stalled},
		{At: at(10), Until: at(20), Kind: book.Shown, Value: "700", By: "anna"},
		{At: at(15), Until: at(25), Kind: book.Shown, Value: "700", By: "anna"},
		{At: at(25), Until: at(35), Kind: book.Shown, Value: "700", By: "boris"},
		{At: at(26), Until: at(36), Kind: book.Shown, Value: "701", By: "anna"},
		{At: at(30), Until: at(35), Kind: book.Claimed, Of: "talk", By: "vera"},
		{At: at(31), Until: at(36), Kind: book.Claimed, Of: "talk", By: "vera"},
		{At: at(32), Kind: book.Returned, Of: "talk", By: "vera"},
		{At: at(33), Until: at(38), Kind: book.Claimed, Of: "talk", By: "olga"},
		{At: at(39), Until: at(44), Kind: book.Claimed, Of: "talk", By: "vera"}, // olga was not sure of it any more
		{Since: at(40), Until: at(50), At: at(51), Kind: book.Fault, Value: "primary killed"},
		{At: at(60), Kind: book.Heard, Of: "visitor", ID: "1"},
		{Since: at(70), Until: at(80), At: at(95), Kind: book.Fault, Value: "node killed"}, // there is time yet
	}
	stored := book.NewStored(at(100))
	stored.Setting = "two"
	for kind, value := range map[book.Kind]string{book.Lead: "", book.Sale: "17.5", book.Form: "", book.Message: "", book.Answer: "", book.Call: "answered"} {
		stored.Put(kind, "1", value)
	}
	stored.Put(book.Lead, "2", "")
	return entries, stored
}

func TestNothingIsFoundInAGoodBook(t *testing.T) {
	require.Empty(t, book.Check(good()))
}

// Each promise is broken once, by a change of the good book or of what is stored.
func TestEachViolationIsFound(t *testing.T) {
	add := func(e book.Entry) func([]book.Entry, *book.Stored) []book.Entry {
		return func(entries []book.Entry, _ *book.Stored) []book.Entry { return append(entries, e) }
	}
	gone := func(kind book.Kind) func([]book.Entry, *book.Stored) []book.Entry {
		return func(entries []book.Entry, stored *book.Stored) []book.Entry {
			delete(stored.Things[kind], "1")
			return entries
		}
	}
	twice := func(kind book.Kind) func([]book.Entry, *book.Stored) []book.Entry {
		return func(entries []book.Entry, stored *book.Stored) []book.Entry {
			stored.Put(kind, "1", stored.Things[kind]["1"][0])
			return entries
		}
	}
	stored := func(kind book.Kind, value string) func([]book.Entry, *book.Stored) []book.Entry {
		return func(entries []book.Entry, s *book.Stored) []book.Entry {
			s.Things[kind]["1"] = []string{value}
			return entries
		}
	}
	setting := func(value string) func([]book.Entry, *book.Stored) []book.Entry {
		return func(entries []book.Entry, s *book.Stored) []book.Entry {
			s.Setting = value
			return entries
		}
	}
	for name, of := range map[string]struct {
		kind   string
		change func([]book.Entry, *book.Stored) []book.Entry
	}{
		"a lead is gone":                  {book.Lost, gone(book.Lead)},
		"a sale is gone":                  {book.Lost, gone(book.Sale)},
		"a form is gone":                  {book.Lost, gone(book.Form)},
		"a message is gone":               {book.Lost, gone(book.Message)},
		"an answer is gone":               {book.Lost, gone(book.Answer)},
		"a call is gone":                  {book.Lost, gone(book.Call)},
		"a setting is taken back":         {book.Lost, setting("")},
		"a lead is there twice":           {book.Doubled, twice(book.Lead)},
		"a message is there twice":        {book.Doubled, twice(book.Message)},
		"a call is there twice":           {book.Doubled, twice(book.Call)},
		"a sale has another cost":         {book.Changed, stored(book.Sale, "18")},
		"the end of a call is gone":       {book.Changed, stored(book.Call, "")},
		"a lead nobody knows of, twice":   {book.Doubled, func(e []book.Entry, s *book.Stored) []book.Entry { s.Put(book.Lead, "2", ""); return e }},
		"two visitors, one number":        {book.OneNumber, add(book.Entry{At: at(34), Until: at(44), Kind: book.Shown, Value: "700", By: "clara"})},
		"a number within another's time":  {book.OneNumber, add(book.Entry{At: at(12), Until: at(13), Kind: book.Shown, Value: "700", By: "clara"})},
		"two operators, one conversation": {book.OneTalk, add(book.Entry{At: at(34), Until: at(39), Kind: book.Claimed, Of: "talk", By: "vera"})},
		"a page is refused":               {book.Refused, add(book.Entry{Since: at(33), At: at(34), Kind: book.Page, Instead: "502"})},
		"a form is refused":               {book.Refused, add(book.Entry{Since: at(33), At: at(34), Kind: book.Form, ID: "9", Instead: "502"})},
		"a page is ended by nobody":       {book.Refused, add(book.Entry{Since: at(33), At: at(34), Kind: book.Page, Instead: `Get "http://shop.test/": EOF`})},
		"a page is refused at a reload":   {book.Refused, add(book.Entry{Since: at(9), At: at(9), Kind: book.Page, Instead: "502"})},
		"a stream is not back":            {book.Silent, add(book.Entry{Since: at(61), Until: at(62), At: at(63), Kind: book.Fault, Value: "node killed"})},
		"one of two streams is not back":  {book.Silent, add(book.Entry{At: at(1), Kind: book.Opened, Of: "operator"})},
	} {
		t.Run(name, func(t *testing.T) {
			entries, stored := good()
			found := book.Check(of.change(entries, stored), stored)
			require.Len(t, found, 1)
			require.Equal(t, of.kind, found[0].Kind, found[0].What)
		})
	}
}

// What was written stays when the program ends: the file is the book.
func TestBookIsAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "book")
	b, err := book.Open(name)
	require.NoError(t, err)
	written, _ := good()
	for _, e := range written {
		b.Add(e)
	}
	require.NoError(t, b.Close())
	read, err := book.Load(name)
	require.NoError(t, err)
	require.Equal(t, written, read)
	_, err = book.Open(name)
	require.Error(t, err, "an old book is not written on")
	b.Add(book.Entry{Kind: book.Page})
	_, err = b.Entries()
	require.Error(t, err, "what could not be written is no secret")
}
