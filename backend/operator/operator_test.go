package operator_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock {
	return &clock{at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

const password = "correct horse battery"

// hash is of "antitiming", with the parameters that "caddy hash-password" uses.
const hash = "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg"

func TestAccounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, newClock().now)
		require.NoError(t, o.Add(ctx, " Vera ", password, operator.Admin))

		vera, err := o.Authenticate(ctx, "VERA", password)
		require.NoError(t, err)
		require.Equal(t, "vera", vera.Login)
		require.Equal(t, operator.Admin, vera.Role)
		for login, password := range map[string]string{"vera": password + "x", "nobody": password, "no login": password, "": "", "Vera": strings.Repeat("p", 2000)} {
			_, err := o.Authenticate(ctx, login, password)
			require.ErrorIs(t, err, operator.ErrCredentials, "login %q", login)
		}

		require.ErrorIs(t, o.Add(ctx, "vera", password, operator.Agent), operator.ErrTaken)
		require.ErrorIs(t, o.Add(ctx, "a b", password, operator.Agent), operator.ErrLogin)
		require.ErrorIs(t, o.Add(ctx, "boris", password, "owner"), operator.ErrRole)
		require.ErrorIs(t, o.Add(ctx, "boris", "nine char", operator.Agent), passwords.ErrLength)
		require.ErrorIs(t, o.Add(ctx, "boris", strings.Repeat("p", passwords.Max+1), operator.Agent), passwords.ErrLength)
		require.NoError(t, o.Add(ctx, "boris", "десять зна", operator.Agent), "ten characters, whatever their bytes")

		require.NoError(t, o.Passwd(ctx, operator.Server(), "vera", "another password"))
		_, err = o.Authenticate(ctx, "vera", password)
		require.ErrorIs(t, err, operator.ErrCredentials)
		again, err := o.Authenticate(ctx, "vera", "another password")
		require.NoError(t, err)
		require.Greater(t, again.Epoch, vera.Epoch, "the sessions of the old password are over")
		require.ErrorIs(t, o.Passwd(ctx, operator.Server(), "nobody", password), operator.ErrUnknown)

		list, err := o.List(ctx, scope.All())
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, []string{"boris", "vera"}, []string{list[0].Login, list[1].Login})

		entries, err := journal.New(d).After(ctx, journal.Position{}, 10)
		require.NoError(t, err)
		var kinds []string
		for _, e := range entries {
			kinds = append(kinds, e.Kind+" "+string(e.Data))
		}
		require.Equal(t, []string{`operator.added {"by":"","login":"vera"}`, `operator.added {"by":"","login":"boris"}`, `operator.password_changed {"by":"","login":"vera"}`}, kinds)
	})
}

func TestDisabledAccountIsOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, newClock().now)
		require.NoError(t, o.Add(ctx, "vera", password, operator.Admin))
		boris, err := o.Create(ctx, operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Name: "Boris B.", Password: password, Role: operator.Agent})
		require.NoError(t, err)

		stored, err := o.Get(ctx, boris.ID)
		require.NoError(t, err)
		require.Equal(t, stored.Epoch, boris.Epoch)

		require.NoError(t, o.SetDisabled(ctx, operator.Server(), boris.ID, true))
		_, err = o.Authenticate(ctx, "boris", password)
		require.ErrorIs(t, err, operator.ErrDisabled)
		_, err = o.Authenticate(ctx, "boris", "a wrong password")
		require.ErrorIs(t, err, operator.ErrCredentials)
		now, err := o.Get(ctx, boris.ID)
		require.NoError(t, err)
		require.Greater(t, now.Epoch, boris.Epoch)

		require.NoError(t, o.SetDisabled(ctx, operator.Server(), boris.ID, false))
		_, err = o.Authenticate(ctx, "boris", password)
		require.NoError(t, err)

		vera, err := o.Authenticate(ctx, "vera", password)
		require.NoError(t, err)
		require.ErrorIs(t, o.SetDisabled(ctx, operator.Server(), vera.ID, true), operator.ErrLastAdmin)
		_, err = o.Authenticate(ctx, "vera", password)
		require.NoError(t, err)
	})
}

func TestSetupTokenMakesOneAdmin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, newClock().now)
		token, needed, err := o.SetupToken(ctx)
		require.NoError(t, err)
		require.True(t, needed)
		require.GreaterOrEqual(t, len(token), 26)
		again, needed, err := operator.New(d, newClock().now).SetupToken(ctx)
		require.NoError(t, err)
		require.True(t, needed)
		require.Equal(t, token, again, "the link of an earlier start stays good")

		_, err = o.Setup(ctx, token+"x", operator.Account{Login: "eve", Password: password})
		require.ErrorIs(t, err, operator.ErrSetupToken)
		_, err = o.Setup(ctx, "", operator.Account{Login: "eve", Password: password})
		require.ErrorIs(t, err, operator.ErrSetupToken)
		_, err = o.Setup(ctx, token, operator.Account{Login: "vera", Password: "short"})
		require.ErrorIs(t, err, passwords.ErrLength, "a mistake does not use the token up")

		errs := make([]error, 4)
		var tries sync.WaitGroup
		for i, login := range []string{"anna", "boris", "vera", "grigory"} {
			tries.Go(func() { _, errs[i] = o.Setup(ctx, token, operator.Account{Login: login, Password: password}) })
		}
		tries.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else {
				require.ErrorIs(t, err, operator.ErrSetupToken)
			}
		}
		require.Equal(t, 1, made)
		list, err := o.List(ctx, scope.All())
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, operator.Admin, list[0].Role)

		_, needed, err = o.SetupToken(ctx)
		require.NoError(t, err)
		require.False(t, needed)
		require.ErrorIs(t, o.CheckSetup(ctx, token), operator.ErrSetupToken)
	})
}

func TestAddClosesSetup(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, newClock().now)
		token, _, err := o.SetupToken(ctx)
		require.NoError(t, err)
		require.NoError(t, o.CheckSetup(ctx, token))
		require.NoError(t, o.Add(ctx, "vera", password, operator.Admin))
		_, err = o.Setup(ctx, token, operator.Account{Login: "eve", Password: password})
		require.ErrorIs(t, err, operator.ErrSetupToken)
	})
}

func TestPresence(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := newClock()
		o := operator.New(d, clock.now)
		other := operator.New(d, clock.now) // another node
		vera, err := o.Create(ctx, operator.Server(), operator.Account{Sites: scope.All(), Login: "vera", Password: password, Role: operator.Agent})
		require.NoError(t, err)
		online := func() bool {
			is, err := o.Online(ctx, 1)
			require.NoError(t, err)
			clock.pass(2 * time.Second)
			there, err := other.Online(ctx, 1)
			require.NoError(t, err)
			require.Equal(t, is, there)
			return is
		}
		require.False(t, online())

		first, err := o.Arrive(ctx, vera.ID)
		require.NoError(t, err)
		require.True(t, online(), "at once on the same node, within a second on others")
		second, err := o.Arrive(ctx, vera.ID)
		require.NoError(t, err)
		require.NoError(t, first.End(ctx))
		require.True(t, online(), "in another window")

		require.NoError(t, o.SetAway(ctx, vera.ID, true))
		require.False(t, online())
		require.NoError(t, o.SetAway(ctx, vera.ID, false))
		require.True(t, online())

		clock.pass(operator.LeaseTime - 10*time.Second)
		require.NoError(t, o.Renew(ctx, first, second))
		clock.pass(operator.LeaseTime - 10*time.Second)
		require.True(t, online())
		list, err := o.List(ctx, scope.All())
		require.NoError(t, err)
		require.True(t, list[0].Present)
		clock.pass(operator.LeaseTime)
		require.False(t, online(), "a console that vanished is not there")
		list, err = o.List(ctx, scope.All())
		require.NoError(t, err)
		require.False(t, list[0].Present)
	})
}

func TestPresenceWakes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, newClock().now)
		vera, err := o.Create(ctx, operator.Server(), operator.Account{Sites: scope.All(), Login: "vera", Password: password, Role: operator.Agent})
		require.NoError(t, err)
		news, cancel := d.Subscribe(operator.Topic)
		defer cancel()
		lease, err := o.Arrive(ctx, vera.ID)
		require.NoError(t, err)
		<-news
		require.NoError(t, lease.End(ctx))
		<-news
		require.NoError(t, o.SetAway(ctx, vera.ID, true))
		<-news
	})
}

func TestSessions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := newClock()
		store := operator.New(d, clock.now).Sessions()
		_, found, err := store.FindCtx(ctx, "t")
		require.NoError(t, err)
		require.False(t, found)

		data := []byte{0, 1, 0xff, '\''}
		require.NoError(t, store.CommitCtx(ctx, "t", []byte("earlier"), clock.now().Add(time.Minute)))
		require.NoError(t, store.CommitCtx(ctx, "t", data, clock.now().Add(time.Hour)))
		clock.pass(59 * time.Minute)
		stored, found, err := store.Find("t")
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, data, stored)

		clock.pass(time.Minute)
		_, found, err = store.FindCtx(ctx, "t")
		require.NoError(t, err)
		require.False(t, found, "expired")

		require.NoError(t, store.Commit("u", data, clock.now().Add(time.Hour)))
		rows, _, err := db.One(ctx, d.Read(), db.Only[int], `SELECT COUNT(*) FROM operator_sessions`)
		require.NoError(t, err)
		require.Equal(t, 1, rows, "what has expired is cleared away")
		require.NoError(t, store.Delete("u"))
		require.NoError(t, store.DeleteCtx(ctx, "u"))
		_, found, err = store.FindCtx(ctx, "u")
		require.NoError(t, err)
		require.False(t, found)
	})
}

func TestAuthenticateEndsWithItsContext(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	o := operator.New(d, newClock().now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := o.Authenticate(ctx, "nobody", password)
	require.ErrorIs(t, err, context.Canceled)
}
