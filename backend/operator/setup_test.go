package operator_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
)

func TestSetupTokenEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		o := operator.New(d, clock.Now)
		token, _, err := o.SetupToken(ctx)
		require.NoError(t, err)
		clock.Pass(operator.SetupTime - time.Second)
		require.NoError(t, o.CheckSetup(ctx, token))
		clock.Pass(time.Second)
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
