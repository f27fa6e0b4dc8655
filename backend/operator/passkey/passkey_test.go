package passkey_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey/passkeytest"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const origin = "https://desk.example"

// keyring is passkeys of a database, on two nodes, with an account.
type keyring struct {
	t         *testing.T
	db        *db.DB
	clock     *operatortest.Clock
	operators *operator.Operators
	one, two  *passkey.Passkeys
	at        passkey.Place
	boris     operator.Operator
}

func each(t *testing.T, test func(t *testing.T, k *keyring)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		clock := operatortest.NewClock()
		k := &keyring{t: t, db: d, clock: clock, operators: operator.New(d, clock.Now)}
		k.one, k.two = passkey.New(d, k.operators, clock.Now), passkey.New(d, operator.New(d, clock.Now), clock.Now)
		var err error
		k.at, err = passkey.At(true, "desk.example")
		require.NoError(t, err)
		operatortest.Account(t, k.operators, "chief", operator.Admin, scope.All())
		k.boris = operatortest.Account(t, k.operators, "boris", operator.Agent, scope.Of(1))
		test(t, k)
	})
}

// adds adds a passkey of the account, by both nodes.
func (k *keyring) adds(o operator.Operator, device *passkeytest.Device, name string) error {
	k.t.Helper()
	asked, err := k.one.AskAdding(k.t.Context(), k.at, o, "session")
	require.NoError(k.t, err)
	return k.two.Add(k.t.Context(), k.at, o, "session", asked.Ticket, name, []byte(device.Create(k.t, string(asked.Options))))
}

// signsIn signs in with the device, by both nodes.
func (k *keyring) signsIn(device *passkeytest.Device) (operator.Operator, error) {
	k.t.Helper()
	asked, err := k.one.AskSignIn(k.t.Context(), k.at)
	require.NoError(k.t, err)
	return k.two.SignIn(k.t.Context(), k.at, asked.Ticket, []byte(device.Get(k.t, string(asked.Options))))
}

func TestAPasskeySignsIn(t *testing.T) {
	each(t, func(t *testing.T, k *keyring) {
		ctx := t.Context()
		device := &passkeytest.Device{Origin: origin}
		require.NoError(t, k.adds(k.boris, device, " Laptop "))
		made, err := k.one.Of(ctx, k.boris.ID)
		require.NoError(t, err)
		require.Len(t, made, 1)
		require.Equal(t, "Laptop", made[0].Name)
		require.Equal(t, "desk.example", made[0].Host)
		require.True(t, made[0].Used.IsZero())
		require.False(t, made[0].Synced)

		k.clock.Pass(time.Hour)
		o, err := k.signsIn(device)
		require.NoError(t, err)
		require.Equal(t, k.boris.ID, o.ID)
		require.True(t, o.Passkey)
		made, err = k.one.Of(ctx, k.boris.ID)
		require.NoError(t, err)
		require.Equal(t, k.clock.Now().UnixMilli(), made[0].Used.UnixMilli())

		synced := &passkeytest.Device{Origin: origin, Synced: true}
		require.NoError(t, k.adds(k.boris, synced, "Phone"))
		for range 2 { // it does not count
			_, err = k.signsIn(synced)
			require.NoError(t, err)
		}
		made, err = k.one.Of(ctx, k.boris.ID)
		require.NoError(t, err)
		require.True(t, made[1].Synced)

		// The passkeys say nothing of the account, and name it.
		require.NotContains(t, string(device.Keys[0].Handle), "boris")
		require.Equal(t, device.Keys[0].Handle, synced.Keys[0].Handle)
	})
}

func TestAnAnswerIsGoodOnceWhereItWasAskedFor(t *testing.T) {
	each(t, func(t *testing.T, k *keyring) {
		ctx := t.Context()
		device := &passkeytest.Device{Origin: origin, Synced: true}
		require.NoError(t, k.adds(k.boris, device, "Laptop"))
		other := operatortest.Account(t, k.operators, "vera", operator.Agent, scope.Of(1))

		asked, err := k.one.AskSignIn(ctx, k.at)
		require.NoError(t, err)
		answer := []byte(device.Get(t, string(asked.Options)))
		var at errgroup.Group
		results := make([]error, 8)
		for i := range results {
			node := []*passkey.Passkeys{k.one, k.two}[i%2]
			at.Go(func() error { _, results[i] = node.SignIn(ctx, k.at, asked.Ticket, answer); return nil })
		}
		require.NoError(t, at.Wait())
		good := 0
		for _, err := range results {
			if err == nil {
				good++
			} else {
				require.ErrorIs(t, err, passkey.ErrChallenge)
			}
		}
		require.Equal(t, 1, good, "of those who come at once, one")

		asked, err = k.one.AskSignIn(ctx, k.at)
		require.NoError(t, err)
		answer = []byte(device.Get(t, string(asked.Options)))
		elsewhere, err := passkey.At(true, "other.example")
		require.NoError(t, err)
		for name, attempt := range map[string]func() error{
			"as a second step":    func() error { return k.one.Step(ctx, k.at, k.boris, "", asked.Ticket, answer) },
			"as a new passkey":    func() error { return k.one.Add(ctx, k.at, k.boris, "", asked.Ticket, "x", answer) },
			"at another host":     func() error { _, err := k.one.SignIn(ctx, elsewhere, asked.Ticket, answer); return err },
			"without its ticket":  func() error { _, err := k.one.SignIn(ctx, k.at, "", answer); return err },
			"with a forged one":   func() error { _, err := k.one.SignIn(ctx, k.at, "B"+asked.Ticket[1:], answer); return err },
			"with one cut short":  func() error { _, err := k.one.SignIn(ctx, k.at, asked.Ticket[4:], answer); return err },
			"with one that grows": func() error { _, err := k.one.SignIn(ctx, k.at, asked.Ticket+"AAAA", answer); return err },
		} {
			require.ErrorIs(t, attempt(), passkey.ErrChallenge, name)
		}
		k.clock.Pass(passkey.Life)
		_, err = k.one.SignIn(ctx, k.at, asked.Ticket, answer)
		require.ErrorIs(t, err, passkey.ErrChallenge, "too late")

		// A second step is of the account and the session.
		step, err := k.one.AskStep(ctx, k.at, k.boris, "session")
		require.NoError(t, err)
		answer = []byte(device.Get(t, string(step.Options)))
		require.ErrorIs(t, k.one.Step(ctx, k.at, k.boris, "another", step.Ticket, answer), passkey.ErrChallenge)
		require.ErrorIs(t, k.one.Step(ctx, k.at, other, "session", step.Ticket, answer), passkey.ErrChallenge)
		require.NoError(t, k.two.Step(ctx, k.at, k.boris, "session", step.Ticket, answer))
		require.ErrorIs(t, k.one.Step(ctx, k.at, k.boris, "session", step.Ticket, answer), passkey.ErrChallenge)
		_, err = k.one.AskStep(ctx, k.at, other, "session")
		require.ErrorIs(t, err, passkey.ErrUnknown)
		_, err = k.one.AskStep(ctx, elsewhere, k.boris, "session")
		require.ErrorIs(t, err, passkey.ErrUnknown)
		k.clock.Pass(time.Hour)
		_, err = k.signsIn(device)
		require.NoError(t, err)
		kept, _, err := db.One(ctx, k.db.Read(), db.Only[int], `SELECT COUNT(*) FROM operator_passkey_challenges`)
		require.NoError(t, err)
		require.Equal(t, 1, kept, "what has ended is cleared away")
	})
}

func TestAnswersThatAreRefused(t *testing.T) {
	each(t, func(t *testing.T, k *keyring) {
		ctx := t.Context()
		device := &passkeytest.Device{Origin: origin}
		require.NoError(t, k.adds(k.boris, device, "Laptop"))
		vera := operatortest.Account(t, k.operators, "vera", operator.Agent, scope.Of(1))
		others := &passkeytest.Device{Origin: origin}
		require.NoError(t, k.adds(vera, others, "Hers"))

		stranger := &passkeytest.Device{Origin: origin}
		asked, err := k.one.AskAdding(ctx, k.at, k.boris, "session")
		require.NoError(t, err)
		stranger.Create(t, string(asked.Options)) // never sent
		_, err = k.signsIn(stranger)
		require.ErrorIs(t, err, passkey.ErrUnknown)

		lax := &passkeytest.Device{Origin: origin, Lax: true, Keys: device.Keys, Count: 100}
		_, err = k.signsIn(lax)
		require.ErrorIs(t, err, passkey.ErrRefused, "nobody's finger")
		require.ErrorIs(t, k.adds(k.boris, lax, "Lax"), passkey.ErrRefused)
		phished := &passkeytest.Device{Origin: "https://desk.example.evil", Keys: device.Keys[:1:1], Count: 100}
		_, err = k.signsIn(phished)
		require.ErrorIs(t, err, passkey.ErrRefused)
		require.ErrorContains(t, err, "desk.example.evil", "the log says what is wrong")
		require.ErrorIs(t, k.adds(k.boris, phished, "Phished"), passkey.ErrRefused)

		// The passkey of one account under the handle of another, and as another's second step.
		mixed := *device.Keys[0]
		mixed.Handle = others.Keys[0].Handle
		_, err = k.signsIn(&passkeytest.Device{Origin: origin, Keys: []*passkeytest.Key{&mixed}, Count: 100})
		require.ErrorIs(t, err, passkey.ErrRefused)
		step, err := k.one.AskStep(ctx, k.at, k.boris, "session")
		require.NoError(t, err)
		require.ErrorIs(t, k.one.Step(ctx, k.at, k.boris, "session", step.Ticket, []byte(others.Sign(t, others.Keys[0], passkeytest.Read(t, string(step.Options))))), passkey.ErrRefused)

		for _, answer := range []string{"", "{}", "null", "[]", `{"id":"","rawId":""}`, strings.Repeat("[", 1<<14), strings.Repeat(" ", passkey.MaxAnswer+1)} {
			for name, attempt := range map[string]func() error{
				"signing in": func() error {
					asked, err := k.one.AskSignIn(ctx, k.at)
					require.NoError(t, err)
					_, err = k.one.SignIn(ctx, k.at, asked.Ticket, []byte(answer))
					return err
				},
				"adding": func() error {
					asked, err := k.one.AskAdding(ctx, k.at, k.boris, "s")
					require.NoError(t, err)
					return k.one.Add(ctx, k.at, k.boris, "s", asked.Ticket, "x", []byte(answer))
				},
			} {
				require.ErrorIs(t, attempt(), passkey.ErrRefused, "%s %.20s", name, answer)
			}
		}

		require.NoError(t, k.operators.SetDisabled(ctx, operator.Server(), k.boris.ID, true))
		_, err = k.signsIn(&passkeytest.Device{Origin: origin, Keys: device.Keys[:1], Count: 200})
		require.ErrorIs(t, err, operator.ErrDisabled)
	})
}

// Two devices have the same passkey: the count of one of them goes back.
func TestACopiedPasskeyIsToldOf(t *testing.T) {
	each(t, func(t *testing.T, k *keyring) {
		device := &passkeytest.Device{Origin: origin, Count: 7}
		require.NoError(t, k.adds(k.boris, device, "Laptop"))
		stolen := &passkeytest.Device{Origin: origin, Count: device.Count, Keys: device.Keys}
		_, err := k.signsIn(device)
		require.NoError(t, err)
		_, err = k.signsIn(stolen)
		require.ErrorIs(t, err, passkey.ErrCopied)
		noted, _, err := db.One(t.Context(), k.db.Read(), db.Only[string], `SELECT data FROM journal WHERE kind = $1`, passkey.Copied)
		require.NoError(t, err)
		require.JSONEq(t, `{"by": "boris", "login": "boris", "name": "Laptop"}`, noted)
		_, err = k.signsIn(device)
		require.NoError(t, err, "the one that counts on goes on")
	})
}

func TestPasskeysAreBounded(t *testing.T) {
	each(t, func(t *testing.T, k *keyring) {
		ctx := t.Context()
		device := &passkeytest.Device{Origin: origin}
		for _, name := range []string{"", "  ", strings.Repeat("я", 101), "a\x00b"} {
			require.ErrorIs(t, k.adds(k.boris, device, name), passkey.ErrName)
		}
		for i := range passkey.Max - 1 {
			require.NoError(t, k.adds(k.boris, device, fmt.Sprint(i)))
		}
		// Of those who add at once, no more than there is room for.
		var at errgroup.Group
		results, asked := make([]error, 4), make([]passkey.Asked, 4)
		for i := range results {
			var err error
			asked[i], err = k.one.AskAdding(ctx, k.at, k.boris, "session")
			require.NoError(t, err)
			require.Len(t, passkeytest.Read(t, string(asked[i].Options)).Exclude, passkey.Max-1)
		}
		for i := range results {
			answer := device.Create(t, string(asked[i].Options))
			at.Go(func() error {
				results[i] = k.one.Add(ctx, k.at, k.boris, "session", asked[i].Ticket, "last", []byte(answer))
				return nil
			})
		}
		require.NoError(t, at.Wait())
		good := 0
		for _, err := range results {
			if err == nil {
				good++
			} else {
				require.ErrorIs(t, err, passkey.ErrMany)
			}
		}
		require.Equal(t, 1, good)
		_, err := k.one.AskAdding(ctx, k.at, k.boris, "session")
		require.ErrorIs(t, err, passkey.ErrMany)
	})
}

func TestPasskeysAreRemoved(t *testing.T) {
	each(t, func(t *testing.T, k *keyring) {
		ctx := t.Context()
		device, second := &passkeytest.Device{Origin: origin}, &passkeytest.Device{Origin: origin}
		require.NoError(t, k.adds(k.boris, device, "Laptop"))
		k.clock.Pass(time.Second)
		require.NoError(t, k.adds(k.boris, second, "Phone"))
		made, err := k.one.Of(ctx, k.boris.ID)
		require.NoError(t, err)
		other := operatortest.Account(t, k.operators, "vera", operator.Admin, scope.Of(2))
		require.ErrorIs(t, k.one.Remove(ctx, other.Actor(), k.boris.ID, made[0].ID), operator.ErrForbidden)
		require.ErrorIs(t, k.one.Remove(ctx, other.Actor(), other.ID, made[0].ID), passkey.ErrUnknown, "of another account")
		require.ErrorIs(t, k.one.Remove(ctx, k.boris.Actor(), k.boris.ID, "%"), passkey.ErrUnknown)
		require.NoError(t, k.one.Remove(ctx, k.boris.Actor(), k.boris.ID, made[0].ID))
		require.ErrorIs(t, k.one.Remove(ctx, k.boris.Actor(), k.boris.ID, made[0].ID), passkey.ErrUnknown)
		_, err = k.signsIn(device)
		require.ErrorIs(t, err, passkey.ErrUnknown)
		_, err = k.signsIn(second)
		require.NoError(t, err)

		// Whose password is taken has no passkeys either.
		_, err = k.operators.Reset(ctx, operator.Server(), k.boris.ID)
		require.NoError(t, err)
		_, err = k.signsIn(second)
		require.ErrorIs(t, err, passkey.ErrUnknown)

		// Somebody else sets the password, or the owner does.
		by := func(actor operator.Actor) error {
			device := &passkeytest.Device{Origin: origin}
			require.NoError(t, k.adds(other, device, "Hers"))
			require.NoError(t, k.operators.Passwd(ctx, actor, "vera", "another password"))
			_, err := k.signsIn(device)
			return err
		}
		require.ErrorIs(t, by(operator.Server()), passkey.ErrUnknown)
		require.NoError(t, by(other.Actor()))

		vera := &passkeytest.Device{Origin: origin}
		require.NoError(t, k.adds(other, vera, "Hers"))
		require.NoError(t, k.operators.Remove(ctx, operator.Server(), other.ID))
		left, _, err := db.One(ctx, k.db.Read(), db.Only[int], `SELECT COUNT(*) FROM operator_passkeys`)
		require.NoError(t, err)
		require.Zero(t, left, "whose account is removed leaves nothing")

		// A login that the configuration takes over, or whose password it changes, is somebody else's.
		declare := func(hash string) {
			require.NoError(t, k.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
				return k.operators.Declare(ctx, tx, "node", []operator.Declared{{Login: "vera", PasswordHash: hash, Sites: scope.All()}})
			}))
		}
		first, err := passwords.NewVerifier().Hash(ctx, operatortest.Password)
		require.NoError(t, err)
		changed, err := passwords.NewVerifier().Hash(ctx, "another password")
		require.NoError(t, err)
		declare(first)
		declared, err := operator.Named(ctx, k.operators, "vera")
		require.NoError(t, err)
		theirs := &passkeytest.Device{Origin: origin}
		require.NoError(t, k.adds(declared, theirs, "Theirs"))
		declare(first)
		_, err = k.signsIn(theirs)
		require.NoError(t, err, "the same as before")
		declare(changed)
		_, err = k.signsIn(theirs)
		require.ErrorIs(t, err, passkey.ErrUnknown)
	})
}

func TestPlaces(t *testing.T) {
	for host, secure := range map[string]bool{"desk.example": true, "desk.example:8443": true, "localhost:8090": false, "desk.localhost": false, "localhost": true} {
		at, err := passkey.At(secure, host)
		require.NoError(t, err, host)
		require.NotContains(t, at.Host, ":")
	}
	for host, secure := range map[string]bool{"desk.example": false, "127.0.0.1:8090": false, "192.0.2.1": true, "[2001:db8::1]:443": true, "2001:db8::1": true, "": true, "localhost.example": false, strings.Repeat("a.", 127) + "example": true} {
		_, err := passkey.At(secure, host)
		require.ErrorIs(t, err, passkey.ErrPlace, host)
	}
}
