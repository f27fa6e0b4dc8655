package lead_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/postgres"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
)

func TestMarks(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		form := submission.Submission{SiteID: site, Ref: ref, Origin: lead.Form, Email: "ann@mail.example", Marks: []string{lead.Trap}}
		s.add(form)
		again := form
		again.Marks = nil
		_, repeated := s.add(again)
		require.True(t, repeated, "marks are nothing that was sent")
		_, repeated = s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Script, CallID: "call", Email: form.Email, Marks: []string{lead.Quick, lead.Bot}})
		require.True(t, repeated)
		require.Equal(t, []string{lead.Bot, lead.Quick, lead.Trap}, s.all()[0].Marks)

		entries := journaltest.Entries(t, s.db)
		last := entries[len(entries)-1]
		for _, e := range entries {
			if e.Kind == lead.Added {
				last = e
			}
		}
		require.JSONEq(t, `{"origin":"form","is_sale":false,"marks":["trap"]}`, string(last.Data))
	})
}

func TestTextsThatOthersHaveSent(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		who := 0
		sends := func(message string, changes ...func(*submission.Submission)) []string {
			t.Helper()
			who++
			sub := submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Form, Email: fmt.Sprintf("a%d@mail.example", who), Message: message}
			for _, change := range changes {
				change(&sub)
			}
			l, repeated := s.add(sub)
			require.False(t, repeated)
			stored, err := s.leads.Get(t.Context(), site, l.ID)
			require.NoError(t, err)
			require.Equal(t, l.Marks, stored.Marks)
			require.Equal(t, l.State, stored.State)
			require.Equal(t, l.Spam(), stored.State == lead.Spam)
			return l.Marks
		}
		const text = "We sell the best links for your shop"
		for range 5 {
			require.Empty(t, sends("Call me back, please"), "which anybody says")
		}
		first := s.visit()
		by := func(ref *submission.Submission) { ref.Ref = first }
		require.Empty(t, sends(text, by))
		require.Empty(t, sends(text+"!", by), "another")
		s.clock.Add(1000)
		require.Empty(t, sends(text, by), "the same visitor")
		require.Empty(t, sends("We  SELL the best links for your shop\n"), "one other")
		require.Empty(t, sends(text, func(sub *submission.Submission) { sub.Email = "a9@mail.example" }), "who has sent it already")
		require.Equal(t, []string{lead.Repeated}, sends(text))
		require.Equal(t, []string{lead.Quick, lead.Repeated}, sends(text, func(sub *submission.Submission) { sub.Marks = []string{lead.Quick} }))
		s.clock.Add((25 * time.Hour).Milliseconds())
		require.Empty(t, sends(text), "of long ago")
	})
}

// Many come in the same moment, so that the database takes them together.
func TestTextsThatOthersSendInTheSameMoment(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		var unmarked atomic.Int64
		var sending sync.WaitGroup
		for i := range 40 {
			sub := submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Form, Email: fmt.Sprintf("a%d@mail.example", i), Message: "We sell the best links for your shop"}
			sending.Go(func() {
				l, _, err := s.leads.Add(t.Context(), sub)
				if assert.NoError(t, err) && len(l.Marks) == 0 {
					unmarked.Add(1)
				}
			})
		}
		sending.Wait()
		require.LessOrEqual(t, unmarked.Load(), int64(2*postgres.Groups), "of each group only the first two have no others")
	})
}
