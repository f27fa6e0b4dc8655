package operator_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// password is that of all accounts.
const password = operatortest.Password

// hash is of "antitiming", with the parameters that "caddy hash-password" uses.
const hash = "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg"

func TestAccounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
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

		var kinds []string
		for _, e := range journaltest.Entries(t, d) {
			kinds = append(kinds, e.Kind+" "+string(e.Data))
		}
		require.Equal(t, []string{`operator.added {"by":"","login":"vera"}`, `operator.added {"by":"","login":"boris"}`, `operator.password_changed {"by":"","login":"vera"}`}, kinds)
	})
}

func TestDisabledAccountIsOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
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
		o := operator.New(d, operatortest.NewClock().Now)
		token, needed, err := o.SetupToken(ctx)
		require.NoError(t, err)
		require.True(t, needed)
		require.GreaterOrEqual(t, len(token), 26)
		again, needed, err := operator.New(d, operatortest.NewClock().Now).SetupToken(ctx)
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
		o := operator.New(d, operatortest.NewClock().Now)
		token, _, err := o.SetupToken(ctx)
		require.NoError(t, err)
		require.NoError(t, o.CheckSetup(ctx, token))
		require.NoError(t, o.Add(ctx, "vera", password, operator.Admin))
		_, err = o.Setup(ctx, token, operator.Account{Login: "eve", Password: password})
		require.ErrorIs(t, err, operator.ErrSetupToken)
	})
}

func TestAuthenticateEndsWithItsContext(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	o := operator.New(d, operatortest.NewClock().Now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := o.Authenticate(ctx, "nobody", password)
	require.ErrorIs(t, err, context.Canceled)
}
