package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Passwords of declared accounts and their hashes.
const (
	older, olderHash = "antitiming", hash
	newer, newerHash = "correct horse battery",
		"$argon2id$v=19$m=47104,t=1,p=1$ccRWwfbyJLBVmCXM6m//6w$xvK8dstk79aVraU76oJBQfD/VnIl1cUPIj6ZJVs4V+k"
)

// declaring declares accounts of one password, as a configuration of that name does.
func declaring(t *testing.T, d *db.DB, o *operator.Operators, declarer, hash string, logins ...string) error {
	t.Helper()
	var accounts []operator.Declared
	for _, login := range logins {
		accounts = append(accounts, operator.Declared{Login: login, PasswordHash: hash, Sites: scope.All()})
	}
	return d.Attempt(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return o.Declare(ctx, tx, declarer, accounts) })
}

// goes tells whether the account can sign in.
func goes(t *testing.T, o *operator.Operators, login, password string) bool {
	t.Helper()
	_, err := o.Authenticate(t.Context(), login, password)
	if err != nil {
		require.True(t, errors.Is(err, operator.ErrCredentials) || errors.Is(err, operator.ErrDisabled), "%v", err)
	}
	return err == nil
}

func TestDeclaredAccountsFollowTheConfiguration(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
		require.NoError(t, declaring(t, d, o, "node", olderHash, "Chief"))
		require.NoError(t, declaring(t, d, o, "node", olderHash, "chief", "CHIEF"))
		chief, err := o.Authenticate(ctx, "chief", older)
		require.NoError(t, err)
		require.True(t, chief.Provisioned)
		require.Equal(t, operator.Admin, chief.Role)
		require.Equal(t, int64(1), chief.Epoch, "declaring the same again ends no session")
		_, needed, err := o.SetupToken(ctx)
		require.NoError(t, err)
		require.False(t, needed)

		require.ErrorIs(t, o.Passwd(ctx, operator.Server(), "chief", password), operator.ErrProvisioned)
		require.ErrorIs(t, o.SetDisabled(ctx, operator.Server(), chief.ID, true), operator.ErrProvisioned)
		for _, wrong := range []string{"$2a$14$whatever", password, ""} {
			require.ErrorIs(t, declaring(t, d, o, "node", wrong, "vera"), passwords.ErrHash)
		}
		require.ErrorIs(t, declaring(t, d, o, "node", olderHash, "vera", "no login"), operator.ErrLogin)
		require.True(t, goes(t, o, "chief", older), "what is refused changes nothing")

		require.NoError(t, o.Add(ctx, "vera", password, operator.Agent))
		require.NoError(t, declaring(t, d, o, "node", olderHash, "chief", "VERA"))
		vera, err := o.Authenticate(ctx, "vera", older)
		require.NoError(t, err, "the configuration takes over an account of the console")
		require.True(t, vera.Provisioned)
		require.Equal(t, operator.Admin, vera.Role)

		require.NoError(t, declaring(t, d, o, "node", olderHash, "vera"))
		require.False(t, goes(t, o, "chief", older))
		require.True(t, goes(t, o, "vera", older))
		retired, err := o.Get(ctx, chief.ID)
		require.NoError(t, err)
		require.True(t, retired.Disabled)
		require.False(t, retired.Provisioned)
		require.Greater(t, retired.Epoch, chief.Epoch, "its sessions are over")

		require.NoError(t, declaring(t, d, o, "node", olderHash, "chief"))
		require.True(t, goes(t, o, "chief", older), "back in the configuration")
		require.False(t, goes(t, o, "vera", older))
	})
}

func TestAccountStandsWhileAnyNodeDeclaresIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := operator.New(d, operatortest.NewClock().Now)
		require.NoError(t, declaring(t, d, o, "a", olderHash, "anna", "both"))
		require.NoError(t, declaring(t, d, o, "b", olderHash, "boris", "both"))
		require.NoError(t, declaring(t, d, o, "console", olderHash), "a node that only serves the console")
		for _, login := range []string{"anna", "boris", "both"} {
			require.True(t, goes(t, o, login, older), login)
		}
		require.NoError(t, declaring(t, d, o, "a", olderHash))
		require.False(t, goes(t, o, "anna", older))
		require.True(t, goes(t, o, "both", older), "b declares it")
		require.NoError(t, declaring(t, d, o, "b", olderHash, "boris"))
		require.False(t, goes(t, o, "both", older))
		require.True(t, goes(t, o, "boris", older))
	})
}

// Of two passwords the one holds that was declared last, and a node that starts again
// changes nothing.
func TestPasswordOfTwoDeclarers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		clock := operatortest.NewClock()
		o := operator.New(d, clock.Now)
		holds := func(right, wrong string) int64 {
			t.Helper()
			anna, err := o.Authenticate(t.Context(), "anna", right)
			require.NoError(t, err)
			require.False(t, goes(t, o, "anna", wrong))
			return anna.Epoch
		}
		require.NoError(t, declaring(t, d, o, "a", olderHash, "anna"))
		require.NoError(t, declaring(t, d, o, "b", olderHash, "anna"))
		clock.Pass(-time.Hour) // the clocks of nodes differ
		require.NoError(t, declaring(t, d, o, "b", newerHash, "anna"))
		epoch := holds(newer, older)
		clock.Pass(2 * time.Hour)
		require.NoError(t, declaring(t, d, o, "a", olderHash, "anna"), "starts again with an old file")
		require.NoError(t, declaring(t, d, o, "c", olderHash, "anna"), "starts for the first time with an old file")
		require.Equal(t, epoch, holds(newer, older), "no session has ended")
		require.NoError(t, declaring(t, d, o, "b", ""))
		holds(older, newer)
		require.NoError(t, declaring(t, d, o, "a", newerHash, "anna"))
		require.NoError(t, declaring(t, d, o, "c", newerHash, "anna"))
		epoch = holds(newer, older)
		require.NoError(t, declaring(t, d, o, "a", ""))
		require.Equal(t, epoch, holds(newer, older))
	})
}

func TestForgottenDeclarerLocksNobodyOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := operator.New(d, operatortest.NewClock().Now)
		forget := func(declarer string) {
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return o.Forget(ctx, tx, declarer) }))
		}
		require.NoError(t, declaring(t, d, o, "a", newerHash, "anna", "both"))
		require.NoError(t, declaring(t, d, o, "b", newerHash, "both"))
		forget("a")
		require.False(t, goes(t, o, "anna", newer))
		require.True(t, goes(t, o, "both", newer))
		require.NoError(t, o.Add(t.Context(), "vera", newer, operator.Agent))
		forget("b")
		require.True(t, goes(t, o, "both", newer), "the last admin")
		require.NoError(t, declaring(t, d, o, "b", newerHash, "both"))
		require.NoError(t, declaring(t, d, o, "b", ""))
		require.False(t, goes(t, o, "both", newer), "a configuration that drops it means it")
	})
}

func TestDeclaredCheck(t *testing.T) {
	require.ErrorIs(t, operator.Declared{Login: "anna", PasswordHash: hash}.Check(), operator.ErrSites)
	require.NoError(t, operator.Declared{Sites: scope.All(), Login: "anna", PasswordHash: hash}.Check())
	require.ErrorIs(t, operator.Declared{Sites: scope.All(), Login: "", PasswordHash: hash}.Check(), operator.ErrLogin)
	require.ErrorIs(t, operator.Declared{Sites: scope.All(), Login: strings.Repeat("a", 65), PasswordHash: hash}.Check(), operator.ErrLogin)
	require.ErrorIs(t, operator.Declared{Sites: scope.All(), Login: "anna"}.Check(), passwords.ErrHash)
}
