package passkey_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey/passkeytest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzAnswer sends answers and tickets. None of them opens an account, and none costs more than it weighs: what a ticket
// does not fit to is not read, and the library reads what is left, of [passkey.MaxAnswer] at most.
func FuzzAnswer(f *testing.F) {
	d := dbtest.Open(f, dbtest.SQLite(f))
	clock := operatortest.NewClock()
	operators := operator.New(d, clock.Now)
	keys := passkey.New(d, operators, clock.Now)
	at, err := passkey.At(true, "desk.example")
	require.NoError(f, err)
	o, err := operators.Create(f.Context(), operator.Server(), operator.Account{Login: "boris", Password: operatortest.Password, Role: operator.Agent, Sites: scope.All()})
	require.NoError(f, err)
	device := &passkeytest.Device{Origin: origin}
	asked, err := keys.AskAdding(f.Context(), at, o, "session")
	require.NoError(f, err)
	made := device.Create(f, string(asked.Options))
	f.Add(asked.Ticket, made)
	asked, err = keys.AskSignIn(f.Context(), at)
	require.NoError(f, err)
	f.Add(asked.Ticket, device.Get(f, string(asked.Options)))
	f.Add("", "{}")
	f.Fuzz(func(t *testing.T, ticket, answer string) {
		_, err := keys.SignIn(t.Context(), at, ticket, []byte(answer))
		require.ErrorIs(t, err, passkey.ErrRefused)
		asked, err := keys.AskSignIn(t.Context(), at)
		require.NoError(t, err)
		stepstest.Hold(t, len(answer), func() { _, err = keys.SignIn(t.Context(), at, asked.Ticket, []byte(answer)) })
		require.ErrorIs(t, err, passkey.ErrRefused)
		asked, err = keys.AskAdding(t.Context(), at, o, "session")
		require.NoError(t, err)
		stepstest.Hold(t, len(answer), func() { err = keys.Add(t.Context(), at, o, "session", asked.Ticket, "x", []byte(answer)) })
		require.ErrorIs(t, err, passkey.ErrRefused)
	})
}
