package lead_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/repeat"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// shop is a site with its leads, at a time that stands still unless moved.
type shop struct {
	t        *testing.T
	db       *db.DB
	visits   *visittest.Rooms
	leads    *lead.Leads
	inbox    *inbox.Inbox
	refusals *refused.Refusals
	clock    atomic.Int64
}

const site = 7

func each(t *testing.T, test func(t *testing.T, s *shop)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &shop{t: t, db: d}
		s.clock.Store(1_790_000_000_000)
		now := func() time.Time { return time.UnixMilli(s.clock.Load()) }
		s.visits = visittest.Open(t, d, now)
		s.leads = lead.New(lead.Subjects{DB: d, Visits: s.visits.Visits, Texts: s.visits.Texts}, now)
		s.inbox = inbox.New(d, s.leads, now)
		s.refusals = refused.New(d, s.leads, nil, now)
		test(t, s)
	})
}

var views atomic.Int64

// visit is a new visitor's page view.
func (s *shop) visit() visit.Ref {
	s.t.Helper()
	h, err := s.visits.Arrive(s.t.Context(), site, 0, visit.Arrival{
		Nonce: "view" + time.Duration(views.Add(1)).String(), URL: "https://shop.example/lamps?utm_source=news&utm_medium=mail", Kind: "load",
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
	})
	require.NoError(s.t, err)
	return h.Ref
}

func (s *shop) add(sub submission.Submission) (lead.Lead, bool) {
	s.t.Helper()
	l, repeated, err := s.leads.Add(s.t.Context(), sub)
	require.NoError(s.t, err)
	return l, repeated
}

func (s *shop) all() []lead.Lead {
	s.t.Helper()
	all, err := s.leads.List(s.t.Context(), scope.All(), lead.Cursor{}, 1000)
	require.NoError(s.t, err)
	return all
}

func TestAddKeepsEverything(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		sub := submission.Submission{
			SiteID: site, Ref: ref, Origin: lead.Script, CallID: "call", URL: "https://shop.example/lamps", Region: "RU",
			Name: "Ann 'the lamp'", Email: "ann@mail.example", Phone: "8 (495) 123-45-67", Message: "<b>?</b>\r\n$1 \\ \u2028\U0001f4a1",
			IsSale: true, SaleCost: "1500.5", GroupID: 1<<53 - 1, FormName: "Order", UserFields: map[string]string{"city": "Oslo", "": "?"},
		}
		added, repeated := s.add(sub)
		require.False(t, repeated)
		source := added.Source
		require.Equal(t, "news", source.Source)
		require.Equal(t, lead.Lead{
			ID: added.ID, SiteID: site, Ref: ref, At: time.UnixMilli(s.clock.Load()), Origin: lead.Script,
			Name: sub.Name, Email: sub.Email, Phone: sub.Phone, PhoneDigits: "74951234567", Message: sub.Message,
			IsSale: true, SaleCost: "1500.5", GroupID: 1<<53 - 1, FormName: "Order", UserFields: sub.UserFields,
			URL: sub.URL, Source: source,
		}, added)
		stored, err := s.leads.Get(t.Context(), site, added.ID)
		require.NoError(t, err)
		require.Equal(t, added, stored)

		_, err = s.leads.Get(t.Context(), site+1, added.ID)
		require.ErrorIs(t, err, lead.ErrUnknown)
		_, err = s.leads.Get(t.Context(), site, added.ID+1)
		require.ErrorIs(t, err, lead.ErrUnknown)
	})
}

// The journal tells of each lead once, and says nothing personal.
func TestAddTellsTheJournal(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		sub := submission.Submission{SiteID: site, Ref: ref, Origin: lead.Server, Name: "Ann", FormName: "Order"}
		added, _ := s.add(sub)
		s.add(sub)
		_, _, err := s.leads.Add(t.Context(), submission.Submission{SiteID: site, Ref: ref})
		require.ErrorAs(t, err, new(submission.Invalid))
		var told []journal.Entry
		for _, e := range journaltest.Entries(t, s.db) {
			if e.Kind == lead.Added {
				told = append(told, e)
			}
		}
		require.Len(t, told, 1)
		require.Equal(t, added.ID, told[0].SubjectID)
		require.Equal(t, int64(ref.Visitor), told[0].VisitorID)
		require.Equal(t, int64(site), told[0].SiteID)
		require.JSONEq(t, `{"origin":"server","is_sale":false,"form_name":"Order"}`, string(told[0].Data))
	})
}

func TestAddMakesContactsKnown(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		s.add(submission.Submission{SiteID: site, Ref: ref, Region: "RU", Name: "Ann", Email: "ann@mail.example", Phone: "8 (495) 123-45-67"})
		card, err := s.visits.Card(t.Context(), site, ref.Visitor)
		require.NoError(t, err)
		known, err := json.Marshal(card)
		require.NoError(t, err)
		require.Contains(t, string(known), "ann@mail.example")
		require.Contains(t, string(known), "74951234567")
	})
}

// A visit that is gone, after its retention, does not take the lead along.
func TestAddForAVisitThatIsGone(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := visit.Ref{Visitor: 11, Visit: 12, View: 13}
		added, _ := s.add(submission.Submission{SiteID: site, Ref: ref, Email: "ann@mail.example"})
		require.Equal(t, ref, added.Ref)
		require.Equal(t, source.Source{}, added.Source)
		require.Len(t, s.all(), 1)
	})
}

// Of requests that race, one makes the lead, and all are told which.
func TestDeliveriesRace(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		var mu sync.Mutex
		made := map[int64]int{}
		fresh := 0
		var wait sync.WaitGroup
		for range 50 {
			wait.Go(func() {
				l, repeated, err := s.leads.Add(context.Background(), submission.Submission{SiteID: site, Ref: ref, CallID: "call", Name: "Ann"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				made[l.ID]++
				if !repeated {
					fresh++
				}
			})
		}
		wait.Wait()
		require.Equal(t, 1, fresh)
		require.Len(t, made, 1)
		require.Len(t, s.all(), 1)
	})
}

// What makes two requests the same lead.
func TestRepetition(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref, other := s.visit(), s.visit()
		later := func(d time.Duration) { s.clock.Add(d.Milliseconds()) }
		check := func(want bool, sub submission.Submission) {
			t.Helper()
			sub.SiteID = site
			if sub.Visitor == 0 {
				sub.Ref = ref
			}
			_, repeated := s.add(sub)
			require.Equal(t, want, repeated)
		}
		check(false, submission.Submission{Name: "Ann", CallID: "one"})
		later(repeat.Memory)
		check(true, submission.Submission{Name: "Ann", CallID: "one"})
		check(false, submission.Submission{Name: "Ann", CallID: "two"})
		check(false, submission.Submission{Name: "Ann", CallID: "two", Ref: other})
		later(time.Second)
		check(true, submission.Submission{Name: "Ann", CallID: "two", Ref: other})
		check(true, submission.Submission{Name: "Ann", CallID: "two"})

		check(false, submission.Submission{Name: "Ann", IdempotencyKey: "one"})
		later(repeat.Memory)
		check(true, submission.Submission{Name: "Ann", IdempotencyKey: "one"})
		check(false, submission.Submission{Name: "Ann", IdempotencyKey: "one", Ref: other})
		later(repeat.Memory + time.Millisecond)
		check(false, submission.Submission{Name: "Ann", CallID: "two"})

		check(false, submission.Submission{Name: "Ann"})
		check(true, submission.Submission{Name: "Ann"})
		check(false, submission.Submission{Name: "Ann", UserFields: map[string]string{"city": "Oslo"}})
		check(false, submission.Submission{Name: "Ann", Ref: other})
		later(repeat.Window)
		check(true, submission.Submission{Name: "Ann"})
		later(time.Millisecond)
		check(false, submission.Submission{Name: "Ann"})
		check(true, submission.Submission{Name: "Ann"})
	})
}

// Deliveries of long ago are cleared away by the leads that come later, those of
// other sites are not.
func TestOldDeliveriesAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		remembered := func(siteID int64) int64 {
			n, _, err := db.One(t.Context(), s.db.Read(), db.Only[int64], `SELECT COUNT(*) FROM lead_requests WHERE site_id = $1`, siteID)
			require.NoError(t, err)
			return n
		}
		ref := s.visit()
		add := func(siteID int64, call int) {
			s.add(submission.Submission{SiteID: siteID, Ref: ref, Name: "Ann", CallID: strconv.Itoa(call)})
		}
		for call := range 10 {
			add(site, call)
			add(site+1, call)
		}
		s.clock.Add(repeat.Memory.Milliseconds())
		add(site, 10)
		require.EqualValues(t, 11, remembered(site))
		s.clock.Add(1)
		for call := range 10 {
			add(site, 20+call)
		}
		require.EqualValues(t, 11, remembered(site))
		require.EqualValues(t, 10, remembered(site+1))
		require.Len(t, s.all(), 31)
	})
}

// The list goes on where it stopped, whatever arrives in the meantime, also
// among leads of one millisecond.
func TestListPages(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		for i := range 25 {
			s.add(submission.Submission{SiteID: site + int64(i%2), Ref: ref, Message: strings.Repeat("m", i+1)})
			if i%5 == 0 {
				s.clock.Add(1)
			}
		}
		for sites, n := range map[scope.Sites]int{scope.All(): 25, scope.Of(site): 13, scope.Of(site + 1): 12} {
			whole, err := s.leads.List(t.Context(), sites, lead.Cursor{}, 100)
			require.NoError(t, err)
			require.Len(t, whole, n)
			var paged []lead.Lead
			var behind lead.Cursor
			for {
				page, err := s.leads.List(t.Context(), sites, behind, 4)
				require.NoError(t, err)
				if len(page) == 0 {
					break
				}
				paged = append(paged, page...)
				behind = page[len(page)-1].Cursor()
			}
			require.Equal(t, whole, paged)
			for i := range whole[1:] {
				require.False(t, whole[i].At.Before(whole[i+1].At))
			}
		}
	})
}

func TestOfVisitor(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref, other := s.visit(), s.visit()
		s.add(submission.Submission{SiteID: site, Ref: ref, Name: "first"})
		s.clock.Add(1)
		s.add(submission.Submission{SiteID: site, Ref: ref, Name: "second"})
		s.add(submission.Submission{SiteID: site, Ref: other, Name: "other"})
		s.add(submission.Submission{SiteID: site + 1, Ref: ref, Name: "other site"})
		mine, err := s.leads.OfVisitor(t.Context(), site, ref.Visitor, 10)
		require.NoError(t, err)
		require.Len(t, mine, 2)
		require.Equal(t, "second", mine[0].Name)
		require.Equal(t, "first", mine[1].Name)
	})
}
