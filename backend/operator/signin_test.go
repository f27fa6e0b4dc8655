package operator_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestSetupTokenEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := newClock()
		o := operator.New(d, clock.now)
		token, _, err := o.SetupToken(ctx)
		require.NoError(t, err)
		clock.pass(operator.SetupTime - time.Second)
		require.NoError(t, o.CheckSetup(ctx, token))
		clock.pass(time.Second)
		require.ErrorIs(t, o.CheckSetup(ctx, token), operator.ErrSetupToken)
		_, err = o.Setup(ctx, token, operator.Account{Login: "eve", Password: password})
		require.ErrorIs(t, err, operator.ErrSetupToken)

		next, needed, err := o.SetupToken(ctx)
		require.NoError(t, err)
		require.True(t, needed)
		require.NotEqual(t, token, next)
		require.ErrorIs(t, o.CheckSetup(ctx, token), operator.ErrSetupToken)
		require.NoError(t, o.CheckSetup(ctx, next))

		// Tokens of earlier versions did not say when they end.
		require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE operator_setup SET token = $1`, "AAAAAAAAAAAAAAAAAAAAAAAAAA")
			return err
		}))
		require.ErrorIs(t, o.CheckSetup(ctx, "AAAAAAAAAAAAAAAAAAAAAAAAAA"), operator.ErrSetupToken)
		last, _, err := o.SetupToken(ctx)
		require.NoError(t, err)
		require.NoError(t, o.CheckSetup(ctx, last))
	})
}

func TestDevices(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := newClock()
		o := operator.New(d, clock.now)
		boris, err := o.Create(ctx, operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Password: password, Role: operator.Agent})
		require.NoError(t, err)
		require.NoError(t, o.Add(ctx, "vera", password, operator.Admin))
		token, err := o.NewDevice(ctx, boris)
		require.NoError(t, err)
		nameOn := func(o *operator.Operators, login, token string) string {
			name, err := o.Device(ctx, login, token)
			require.NoError(t, err)
			return name
		}
		name := nameOn(o, " BORIS", token)
		require.NotEmpty(t, name)
		require.Equal(t, name, nameOn(operator.New(d, clock.now), "boris", token), "on every node")
		other, err := o.NewDevice(ctx, boris)
		require.NoError(t, err)
		require.NotEqual(t, name, nameOn(o, "boris", other), "each browser by itself")

		require.Empty(t, nameOn(o, "vera", token), "of another login")
		require.Empty(t, nameOn(o, "nobody", token))
		require.Empty(t, nameOn(o, "no login", token))
		for _, wrong := range []string{"", "x", token[1:], token + "AAAA", "BAAA" + token[4:], token[:40] + "BAAB" + token[44:], strings.Repeat("A", len(token))} {
			require.Empty(t, nameOn(o, "boris", wrong), wrong)
		}

		clock.pass(operator.DeviceLife)
		require.NotEmpty(t, nameOn(o, "boris", token))
		clock.pass(time.Second)
		require.Empty(t, nameOn(o, "boris", token), "too long ago")

		token, err = o.NewDevice(ctx, boris)
		require.NoError(t, err)
		require.NoError(t, o.Passwd(ctx, operator.Server(), "boris", "another password"))
		require.Empty(t, nameOn(o, "boris", token), "the password has changed")
		boris, err = o.Get(ctx, boris.ID)
		require.NoError(t, err)
		token, err = o.NewDevice(ctx, boris)
		require.NoError(t, err)
		require.NotEmpty(t, nameOn(o, "boris", token))
		require.NoError(t, o.SetDisabled(ctx, operator.Server(), boris.ID, true))
		require.Empty(t, nameOn(o, "boris", token))
	})
}
