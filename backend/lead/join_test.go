package lead_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/repeat"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
)

// One form that comes by the script, by the proxy and by the site's server is one lead, and
// has all that any of them has told.
func TestThreeWaysAreOneLead(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		first, repeated := s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Form, Region: "RU", Name: "Ann", Phone: "8 495 123-45-67", Message: "Hello", UserFields: map[string]string{"city": "Oslo"}})
		require.False(t, repeated)
		s.clock.Add(1000)
		script := submission.Submission{SiteID: site, Ref: ref, Origin: lead.Script, CallID: "call", Region: "RU", Phone: "+7 (495) 123-45-67", Email: "ann@mail.example",
			Message: "Lamp: desk", FormName: "Order", UserFields: map[string]string{"city": "Oslo", "lamp": "desk"}, IsSale: true, SaleCost: "10"}
		joined, repeated := s.add(script)
		require.True(t, repeated)
		again, repeated := s.add(script)
		require.True(t, repeated)
		require.Equal(t, joined, again)
		_, repeated = s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Server, Email: "ann@mail.example", Message: "Hello"})
		require.True(t, repeated)
		all := s.all()
		require.Len(t, all, 1)
		want := first
		want.Also, want.Email, want.FormName, want.IsSale, want.SaleCost = []string{lead.Script, lead.Server}, "ann@mail.example", "Order", true, "10"
		want.UserFields = map[string]string{"city": "Oslo", "lamp": "desk", "message": "Lamp: desk"}
		require.Equal(t, want, all[0])
	})
}

// A form of which the site has failed, and which the visitor sends again until the site takes it, is one lead.
func TestAFormThatTheSiteTakesInTheEnd(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		form := submission.Submission{SiteID: site, Ref: s.visit(), Origin: lead.Form, Region: "RU", Phone: "8 495 123-45-67", Email: "ann@mail", Message: "Hello", SiteError: 422}
		first, _ := s.add(form)
		require.Equal(t, 422, first.SiteError)
		form.SiteError = 0
		same, repeated := s.add(form)
		require.True(t, repeated)
		require.Equal(t, first.ID, same.ID)
		require.Zero(t, same.SiteError, "sent once more as it was")

		form.Ref, form.SiteError = s.visit(), 500
		_, repeated = s.add(form)
		require.False(t, repeated)
		form.Email, form.Message, form.SiteError = "ann@mail.example", "Hello!", 0
		mended, repeated := s.add(form)
		require.True(t, repeated)
		require.Zero(t, mended.SiteError)
		require.Equal(t, []string{"ann@mail.example", "Hello!", "74951234567"}, []string{mended.Email, mended.Message, mended.PhoneDigits})
		require.Equal(t, map[string]string{"email": "ann@mail", "message": "Hello"}, mended.UserFields, "what was said before is kept")
		form.Message = "One more lamp"
		_, repeated = s.add(form)
		require.False(t, repeated, "that one was taken")
		require.Len(t, s.all(), 3)
	})
}

func TestWhatIsNotTheSameRequest(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ref := s.visit()
		form := submission.Submission{SiteID: site, Ref: ref, Origin: lead.Form, Phone: "+74951234567", Message: "Hello"}
		s.add(form)
		other := form
		other.Message = "And another lamp"
		_, repeated := s.add(other)
		require.False(t, repeated, "by the same way")
		other.Origin, other.Phone = lead.Script, "+74951234568"
		_, repeated = s.add(other)
		require.False(t, repeated, "with another phone")
		other.Ref, other.Phone = s.visit(), form.Phone
		_, repeated = s.add(other)
		require.False(t, repeated, "of another visitor")
		s.clock.Add((repeat.Window + time.Second).Milliseconds())
		other.Ref, other.Origin = ref, lead.Server
		_, repeated = s.add(other)
		require.False(t, repeated, "a quarter of an hour later")
		_, repeated = s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Script, Message: "Hello"})
		require.False(t, repeated, "without a contact")
		ref = s.visit()
		s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Script, Phone: "+74951234567", IsSale: true, SaleCost: "10"})
		_, repeated = s.add(submission.Submission{SiteID: site, Ref: ref, Origin: lead.Server, Phone: "+74951234567", IsSale: true, SaleCost: "20"})
		require.False(t, repeated, "of another amount")
		require.Len(t, s.all(), 8)
	})
}

func TestWaysThatComeAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		for range 20 {
			ref := s.visit()
			var coming sync.WaitGroup
			for _, origin := range []string{lead.Form, lead.Script, lead.Server} {
				coming.Go(func() {
					if _, _, err := s.leads.Add(t.Context(), submission.Submission{SiteID: site, Ref: ref, Origin: origin, Email: "ann@mail.example"}); err != nil {
						t.Error(err)
					}
				})
			}
			coming.Wait()
			of, err := s.leads.OfVisitor(t.Context(), site, ref.Visitor, 10)
			require.NoError(t, err)
			require.Len(t, of, 1)
			require.Len(t, of[0].Also, 2)
		}
	})
}
