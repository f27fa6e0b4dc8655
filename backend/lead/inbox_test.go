package lead_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

var vera, boris = lead.By{ID: 1, Login: "vera"}, lead.By{ID: 2, Login: "boris"}

// names are the leads of the filter, gathered in pages of a few.
func (s *shop) names(f inbox.Filter) (names []string) {
	s.t.Helper()
	if f.Sites == (scope.Sites{}) {
		f.Sites = scope.Of(site, site+1)
	}
	for behind := (lead.Cursor{}); ; {
		page, err := s.inbox.List(s.t.Context(), f, behind, 3)
		require.NoError(s.t, err)
		for _, l := range page.Leads {
			names = append(names, l.Name)
		}
		if behind = page.Next; behind == (lead.Cursor{}) {
			return names
		}
	}
}

func (s *shop) search(text string) []string { return s.names(inbox.Filter{Search: text}) }

func TestSearch(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		for _, sub := range []submission.Submission{
			{Name: "Ёлкина Анна-Мария", Phone: "8 (495) 123-45-67", Email: "Anna.Yolkina@Mail.Example", Message: "Две люстры на кухню, перезвоните 8 912 345-67-89"},
			{Name: "Zoë Müller", Phone: "+49 171 9876543", Message: "Three lamps!", UserFields: map[string]string{"city": "Göteborg", "size": "XL"}},
			{Name: "王小明", Message: "我想买一盏灯", FormName: "Order form"},
			{Name: "Bo", Email: "b@x.example", Phone: "12-34", Message: "_7 \"quoted\" AND (or) NEAR * ' : & | ! <-> \\"},
		} {
			sub.SiteID, sub.Ref, sub.Origin, sub.Region = site, s.visit(), lead.Script, "RU"
			s.add(sub)
			s.clock.Add(1000)
		}
		yolkina, mueller, wang, bo := []string{"Ёлкина Анна-Мария"}, []string{"Zoë Müller"}, []string{"王小明"}, []string{"Bo"}
		for text, found := range map[string][]string{
			"елкина": yolkina, "ЁЛК": yolkina, "лкин": yolkina, "мария анна": yolkina, "люстр": yolkina, "юстры": nil, "кухню елкина": yolkina,
			"84951234567": yolkina, "+7 495 123-45-67": yolkina, "74951234567": yolkina, "(495) 123": yolkina, "123-45-67": yolkina, "4567": yolkina, "12345": yolkina,
			"8-912-345-67-89": yolkina, "9123456789": yolkina, "анна 123-45": yolkina,
			"anna.yolkina@mail.example": yolkina, "yolkina@mail": yolkina, "olkina": yolkina, "mail.example": yolkina,
			"muller": mueller, "ZOE lamps": mueller, "0171 9876543": mueller, "00491719876543": mueller, "0171-23": nil, "göteb": mueller, "xl": mueller, "teborg": nil,
			"小明": wang, "明": wang, "一盏灯": wang, "order": wang,
			"quoted": bo, "1234": append(append([]string{}, bo...), yolkina...), "near": bo,
			"nobody": nil, "анна lamps": nil,
		} {
			require.Equal(t, found, s.search(text), text)
		}
		for _, text := range []string{`"`, "'", "a", "!!!", "* & |", "(", "_7"} {
			_, err := s.inbox.List(t.Context(), inbox.Filter{Sites: scope.Of(site), Search: text}, lead.Cursor{}, 10)
			require.ErrorIs(t, err, search.ErrShort, text)
		}
		_, err := s.inbox.List(t.Context(), inbox.Filter{Sites: scope.Of(site), Search: strings.Repeat("long ", 2000)}, lead.Cursor{}, 10)
		require.ErrorIs(t, err, search.ErrLong)
		require.Empty(t, s.names(inbox.Filter{Search: "люстр", Sites: scope.Of(site + 1)}))
		require.Empty(t, s.names(inbox.Filter{Search: strings.Repeat("ё", search.MaxLength)}))
	})
}

// Of long texts the beginning is searched, whatever becomes of the lead, and it takes a bounded room.
func TestSearchOfLongTexts(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		long := func(first string) string { return first + strings.Repeat(" ö\"\\\u2028", 1<<16) + " afterwards" }
		ref := s.visit()
		said, _ := s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Script, Name: "Said", Email: "said@mail.example", Message: long("lantern")})
		filled, _ := s.add(submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Script, Name: "Filled", UserFields: map[string]string{"a": long("chandelier"), "b": "candle"}})
		_, joined := s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Server, Email: "said@mail.example", UserFields: map[string]string{"c": "torch"}})
		require.True(t, joined)
		require.Equal(t, []string{"Said"}, s.search("lantern"))
		require.Equal(t, []string{"Filled"}, s.search("chandelier"))
		for _, behind := range []string{"afterwards", "candle", "torch"} {
			require.Empty(t, s.search(behind), behind)
		}
		require.NoError(t, s.leads.Merge(t.Context(), vera, said.Key(), filled.ID))
		require.Equal(t, []string{"Said"}, s.search("lantern chandelier filled"))
		require.NoError(t, s.leads.Split(t.Context(), vera, said.Key(), filled.ID))
		require.Equal(t, []string{"Filled"}, s.search("chandelier"))
		stored, err := s.leads.Get(t.Context(), site, filled.ID)
		require.NoError(t, err)
		require.Equal(t, filled, stored, "whole")

		// Each character of names, and of texts without blanks, begins a word of its own.
		dense := strings.Repeat("灯", 1<<18)
		s.add(submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Script, Name: strings.Repeat("abcdefghij", 100), Email: strings.Repeat("klmnopqrst", 100), Message: dense})
		query := `SELECT COALESCE(MAX(n), 0) FROM (SELECT SUM(length(term) + 1) AS n FROM lead_words GROUP BY doc) AS sizes`
		if s.db.Engine() == db.Postgres {
			query = `SELECT MAX(length(array_to_string(tsvector_to_array(words), ' '))) FROM lead_search`
		}
		size, _, err := db.One(t.Context(), s.db.Read(), db.Only[int], query)
		require.NoError(t, err)
		require.Positive(t, size)
		require.LessOrEqual(t, size, 32<<10)
	})
}

// What one of many filters returns is what the leads say that were stored.
func TestFilters(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		s.leads = lead.New(lead.Subjects{DB: s.db, Visits: s.visits.Visits, Texts: s.visits.Texts, Numbers: func(_ context.Context, _ db.Tx, _ int64, v visit.ID, _ time.Time) ([]string, error) {
			return []string{fmt.Sprint("7495000000", v%3)}, nil
		}}, func() time.Time { return time.UnixMilli(s.clock.Load()) })
		random := rand.New(rand.NewPCG(1, 2))
		forms, words := []string{"", "Order", "Callback"}, []string{"lamp", "lantern", "chandelier", "bulb"}
		type stored struct {
			lead.Lead
			number string
		}
		var all []stored
		refs := []visit.Ref{s.visit(), s.visit(), s.visit()}
		start := s.clock.Load()
		for i := range 150 {
			s.clock.Add(int64(random.IntN(2)) * 1000) // some at the same time
			sub := submission.Submission{SiteID: site + int64(i%2), Ref: refs[random.IntN(3)], Origin: lead.Script, CallID: fmt.Sprint(i), Name: fmt.Sprint("lead ", i),
				FormName: forms[random.IntN(3)], Message: words[random.IntN(4)] + " " + words[random.IntN(4)]}
			if random.IntN(3) == 0 {
				sub.IsSale, sub.SaleCost = true, []string{"", "9.5", "100", "1500.25"}[random.IntN(4)]
			}
			l, _ := s.add(sub)
			l.State = lead.State(random.IntN(4))
			require.NoError(t, s.leads.SetState(t.Context(), vera, l.Key(), l.State))
			if random.IntN(4) == 0 {
				now, err := s.leads.Get(t.Context(), l.SiteID, l.ID)
				require.NoError(t, err)
				require.NoError(t, s.leads.Give(t.Context(), vera, l.Key(), lead.By{ID: now.Owner}, boris))
			}
			l, err := s.leads.Get(t.Context(), l.SiteID, l.ID)
			require.NoError(t, err)
			all = append(all, stored{l, fmt.Sprint("7495000000", l.Visitor%3)})
		}
		amounts := map[string]float64{"": -1, "9.5": 9.5, "100": 100, "1500.25": 1500.25}
		for i := range 300 {
			f := inbox.Filter{Sites: []scope.Sites{scope.Of(site), scope.Of(site, site+1), scope.Of(site + 1), scope.All()}[i%4]}
			some := func() bool { return random.IntN(4) == 0 }
			if some() {
				f.State = new(lead.State(random.IntN(4)))
			}
			if some() {
				f.Owner = new(int64(random.IntN(3)))
			}
			if some() {
				f.Form = forms[1+random.IntN(2)]
			}
			if some() {
				f.Source = []string{source.Campaign, source.Direct}[random.IntN(2)]
			}
			if some() {
				f.Number = fmt.Sprint("7495000000", random.IntN(3))
			}
			if some() {
				f.From = []string{"9.5", "10", "1500.2500"}[random.IntN(3)]
			}
			if some() {
				f.To = []string{"9.5", "99.99", "1500.25"}[random.IntN(3)]
			}
			if some() {
				f.Since, f.Until = time.UnixMilli(start+20_000), time.UnixMilli(start+60_000)
			}
			if some() {
				f.Search = []string{"lamp", "lan", "chandelier bulb", "bulb"}[random.IntN(4)]
			}
			var expected []string
			for _, l := range slices.Backward(all) {
				met := f.Sites.Has(l.SiteID) && (f.State == nil && (l.State != lead.Spam || f.Search != "") || f.State != nil && *f.State == l.State) &&
					(f.Owner == nil || *f.Owner == l.Owner) && (f.Form == "" || f.Form == l.FormName) && (f.Source == "" || f.Source == l.Source.Kind) &&
					(f.Number == "" || f.Number == l.number) && (f.Since.IsZero() || !l.At.Before(f.Since) && l.At.Before(f.Until))
				if cost := amounts[l.SaleCost]; f.From != "" || f.To != "" {
					met = met && cost >= 0 && (f.From == "" || cost >= map[string]float64{"9.5": 9.5, "10": 10, "1500.2500": 1500.25}[f.From]) &&
						(f.To == "" || cost <= map[string]float64{"9.5": 9.5, "99.99": 99.99, "1500.25": 1500.25}[f.To])
				}
				for word := range strings.FieldsSeq(f.Search) {
					met = met && strings.Contains(" "+l.Message, " "+word)
				}
				if met {
					expected = append(expected, l.Name)
				}
			}
			require.Equal(t, expected, s.names(f), "%+v", f)
		}
		found, err := s.inbox.Forms(t.Context(), scope.Of(site, site+1))
		require.NoError(t, err)
		require.Equal(t, []string{"Callback", "Order"}, found)
		for _, amount := range []string{"1e3", "-1", "1,5", "NaN", "1.00001", strings.Repeat("9", 16), "'"} {
			_, err := s.inbox.List(t.Context(), inbox.Filter{Sites: scope.All(), From: amount}, lead.Cursor{}, 10)
			require.ErrorIs(t, err, inbox.ErrAmount, amount)
		}
	})
}

// Of many who take a lead at once one gets it, and all others are told who.
func TestOneTakesALead(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		l, _ := s.add(submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Script, Name: "Ann"})
		var group sync.WaitGroup
		errs := make([]error, 16)
		for i := range errs {
			group.Go(func() {
				who := lead.By{ID: int64(i + 1), Login: fmt.Sprint("operator", i+1)}
				errs[i] = s.leads.Give(t.Context(), who, l.Key(), lead.By{}, who)
			})
		}
		group.Wait()
		got, err := s.leads.Get(t.Context(), site, l.ID)
		require.NoError(t, err)
		require.Equal(t, lead.InWork, got.State)
		for i, err := range errs {
			var taken lead.TakenError
			if int64(i+1) == got.Owner {
				require.NoError(t, err)
				continue
			}
			require.ErrorAs(t, err, &taken)
			require.Equal(t, got.Owner, taken.Owner)
		}
		deeds, err := s.leads.Deeds(t.Context(), site, []int64{l.ID})
		require.NoError(t, err)
		require.Len(t, deeds, 2, "that it was taken, and is in work by that")

		owner := lead.By{ID: got.Owner, Login: "operator"}
		require.NoError(t, s.leads.Give(t.Context(), owner, l.Key(), owner, lead.By{}))
		got, err = s.leads.Get(t.Context(), site, l.ID)
		require.NoError(t, err)
		require.Zero(t, got.Owner)
		require.Equal(t, lead.Fresh, got.State)
		require.ErrorIs(t, s.leads.Give(t.Context(), owner, lead.Key{SiteID: site + 1, ID: l.ID}, lead.By{}, owner), lead.ErrUnknown)
		require.ErrorIs(t, s.leads.SetState(t.Context(), owner, l.Key(), 4), lead.ErrState)
	})
}

func TestNotes(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		l, _ := s.add(submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Script, Name: "Ann"})
		for text, expected := range map[string]error{
			strings.Repeat("n", 1<<20): lead.ErrLongNote, "": lead.ErrEmptyNote, " \r\n ": lead.ErrEmptyNote, "a\x00b": lead.ErrNote, "a\x1b[2Jb": lead.ErrNote, "a\xffb": lead.ErrNote,
		} {
			require.ErrorIs(t, s.leads.AddNote(t.Context(), vera, l.Key(), text), expected)
		}
		require.NoError(t, s.leads.AddNote(t.Context(), vera, l.Key(), "Wants a lamp\r\n\tby Friday \u202e"))
		deeds, err := s.leads.Deeds(t.Context(), site, []int64{l.ID})
		require.NoError(t, err)
		require.Len(t, deeds, 1)
		require.Equal(t, "Wants a lamp\n\tby Friday \u202e", deeds[0].Said)
		require.Equal(t, vera, deeds[0].By)
		entries := journaltest.Entries(t, s.db)
		last := entries[len(entries)-1]
		require.Equal(t, lead.Changed, last.Kind)
		require.NotContains(t, string(last.Data), "Friday", "notes go when the lead is erased")
	})
}

func TestMerge(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		add := func(name, phone string) lead.Lead {
			l, _ := s.add(submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Script, Name: name, Phone: phone, Region: "RU", Message: name + " wants lamps"})
			s.clock.Add(1000)
			return l
		}
		ann, anna, other := add("Ann", "8 495 123-45-67"), add("Anna", "+7 (495) 1234567"), add("Other", "")
		alike, err := s.leads.Alike(t.Context(), ann, 5)
		require.NoError(t, err)
		require.Len(t, alike, 1)
		require.Equal(t, anna.ID, alike[0].ID)

		require.NoError(t, s.leads.SetState(t.Context(), vera, anna.Key(), lead.Done))
		require.NoError(t, s.leads.AddNote(t.Context(), vera, anna.Key(), "about Anna"))
		before, err := s.leads.Get(t.Context(), site, anna.ID)
		require.NoError(t, err)
		require.NoError(t, s.leads.Merge(t.Context(), vera, anna.Key(), other.ID))
		require.NoError(t, s.leads.Merge(t.Context(), vera, ann.Key(), anna.ID))
		require.Equal(t, []string{"Ann"}, s.names(inbox.Filter{}))
		for _, word := range []string{"ann", "anna", "other"} {
			require.Equal(t, []string{"Ann"}, s.search(word), "each is found by the words of all: %s", word)
		}
		parts, err := s.leads.Parts(t.Context(), ann.Key())
		require.NoError(t, err)
		require.Len(t, parts, 2)
		of, err := s.leads.PartsOf(t.Context(), []lead.Key{ann.Key(), other.Key()})
		require.NoError(t, err)
		require.Len(t, of[ann.Key()], 2)
		part, err := s.leads.Get(t.Context(), site, other.ID)
		require.NoError(t, err)
		root, err := s.leads.Root(t.Context(), part)
		require.NoError(t, err)
		require.Equal(t, ann.ID, root.ID)

		for _, err := range []error{s.leads.Merge(t.Context(), vera, anna.Key(), ann.ID), s.leads.SetState(t.Context(), vera, anna.Key(), lead.Spam), s.leads.AddNote(t.Context(), vera, anna.Key(), "x")} {
			require.ErrorIs(t, err, lead.ErrMerged)
		}
		require.ErrorIs(t, s.leads.Merge(t.Context(), vera, ann.Key(), ann.ID), lead.ErrSelf)
		require.ErrorIs(t, s.leads.Merge(t.Context(), vera, ann.Key(), ann.ID+100), lead.ErrUnknown)
		require.ErrorIs(t, s.leads.Split(t.Context(), vera, ann.Key(), other.ID), lead.ErrNotMerged, "it is a part of Anna")

		require.NoError(t, s.leads.Split(t.Context(), vera, ann.Key(), anna.ID))
		require.Equal(t, []string{"Anna", "Ann"}, s.names(inbox.Filter{}))
		require.Equal(t, []string{"Anna"}, s.search("other"))
		require.Equal(t, []string{"Anna", "Ann"}, s.search("ann"))
		after, err := s.leads.Get(t.Context(), site, anna.ID)
		require.NoError(t, err)
		require.Equal(t, before, after)

		// Whoever erases a lead need not know what belongs to it, and a part of it stays a lead.
		require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM leads WHERE site_id = $1 AND id = $2`, int64(site), anna.ID)
			return err
		}))
		require.Empty(t, s.search("anna"))
		deeds, err := s.leads.Deeds(t.Context(), site, []int64{anna.ID})
		require.NoError(t, err)
		require.Empty(t, deeds)
		require.Equal(t, []string{"Other", "Ann"}, s.names(inbox.Filter{}))
		require.NoError(t, s.leads.Traces().Scrub(t.Context()))
		require.Equal(t, []string{"Other"}, s.search("other"))
	})
}

// Leads are read whole in their order, also where few of them fill what is read together.
func TestWholeLeads(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		var names []lead.Key
		for i := range 12 {
			l, _ := s.add(submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Script, Name: fmt.Sprint(i), Message: strings.Repeat("м", 1000+i%3*300_000)})
			names = append(names, l.Key())
		}
		names = append(names[:6], append([]lead.Key{{SiteID: site, ID: names[0].ID + 1<<40}}, names[6:]...)...)
		var found []string
		parts := 0
		for leads, err := range s.inbox.Whole(t.Context(), names) {
			require.NoError(t, err)
			parts++
			for _, l := range leads {
				found = append(found, l.Name)
				require.NotEmpty(t, l.Message)
				require.Equal(t, strings.Repeat("м", len(l.Message)/2), l.Message)
			}
		}
		require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}, found)
		require.Greater(t, parts, 1, "not all at once")
	})
}

// Leads of a file may be parts of each other, or of themselves, and more than can be merged. Whoever asks for parts gets
// an answer all the same.
func TestMergedInCircles(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		var all []int64
		for i := range 2*lead.MaxParts + 10 {
			l, _ := s.add(submission.Submission{SiteID: site, Origin: lead.Server, Name: fmt.Sprint("Lead ", i), Message: "one"})
			all = append(all, l.ID)
		}
		merge := func(part, into int64) {
			require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE leads SET merged_into = $1, indexed = FALSE WHERE site_id = $2 AND id = $3`, into, int64(site), part)
				return err
			}))
		}
		merge(all[0], all[0])
		merge(all[1], all[2])
		merge(all[2], all[1])
		for i := 10; i < len(all); i++ { // a long chain, on a wide one
			merge(all[i], all[max(i/2, i-lead.MaxParts)])
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		require.NoError(t, s.leads.Index(ctx))
		for _, id := range all {
			parts, err := s.leads.Parts(ctx, lead.Key{SiteID: site, ID: id})
			require.NoError(t, err)
			require.LessOrEqual(t, len(parts), lead.MaxParts)
		}
		of, err := s.leads.PartsOf(ctx, []lead.Key{{SiteID: site, ID: all[0]}, {SiteID: site, ID: all[1]}})
		require.NoError(t, err)
		require.Len(t, of[lead.Key{SiteID: site, ID: all[0]}], 1)
		require.Len(t, of[lead.Key{SiteID: site, ID: all[1]}], 2)
	})
}
