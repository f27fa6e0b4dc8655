package passkey

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey/passkeytest"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzAnswer reads tickets and answers, without a database. Only the device's own answer to its own challenge is taken, and none
// costs more than it weighs.
func FuzzAnswer(f *testing.F) {
	p := &Passkeys{now: time.Now, key: make([]byte, 32)}
	rand.Read(p.key)
	at, err := At(true, "desk.example")
	require.NoError(f, err)
	o := operator.Operator{ID: 7, Login: "boris"}
	handle, err := p.handle(f.Context(), o.ID)
	require.NoError(f, err)
	party, err := at.party()
	require.NoError(f, err)
	device := &passkeytest.Device{Origin: "https://desk.example"}

	creation, kept, err := party.BeginRegistration(&holder{Operator: o, handle: handle})
	require.NoError(f, err)
	asked, err := p.asked(f.Context(), ceremony{at, adding, o.ID, "session"}, creation.Response, creation.Response.Challenge)
	require.NoError(f, err)
	made := device.Create(f, string(asked.Options))
	given, err := p.open(f.Context(), ceremony{at, adding, o.ID, "session"}, asked.Ticket)
	require.NoError(f, err)
	require.Equal(f, kept.Challenge, given.text())
	own, err := p.made(f.Context(), at, o, given, []byte(made))
	require.NoError(f, err)
	h := &holder{Operator: o, handle: handle}
	h.keys = append(h.keys, own.credential())
	other := challenge{make([]byte, challengeSize), time.Now()}

	f.Add(asked.Ticket, made)
	f.Add("", `{"id":"AA","rawId":"AA","type":"public-key","response":{}}`)
	f.Add(asked.Ticket[4:], device.Sign(f, device.Keys[0], passkeytest.Read(f, string(asked.Options))))
	f.Fuzz(func(t *testing.T, ticket, answer string) {
		_, err := p.open(t.Context(), ceremony{at, comingIn, 0, ""}, ticket)
		require.ErrorIs(t, err, ErrChallenge)
		stepstest.Hold(t, len(answer), func() { _, err = p.made(t.Context(), at, o, other, []byte(answer)) })
		require.ErrorIs(t, err, ErrRefused)
		stepstest.Hold(t, len(answer), func() {
			_, said, wrong := p.said(at, []byte(answer))
			if err = wrong; err == nil {
				_, err = party.ValidateLogin(h, session(at, other, handle), said)
			}
		})
		require.Error(t, err)
	})
}
