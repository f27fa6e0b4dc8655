package twostep_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep/twosteptest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTheSecondStep(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		o := operator.New(d, clock.Now)
		s := twostep.New(d, clock.Now)
		boris := operatortest.Account(t, o, "boris", operator.Agent, scope.Of(1))
		_, err := s.Confirm(ctx, boris, "000000")
		require.ErrorIs(t, err, twostep.ErrOff)

		setup, err := s.Begin(ctx, boris, "session", "Frontdesk")
		require.NoError(t, err)
		again, err := twostep.New(d, clock.Now).Begin(ctx, boris, "session", "Frontdesk")
		require.NoError(t, err)
		require.Equal(t, setup, again, "on every node, however often the page is loaded")
		seen, err := s.Begin(ctx, boris, "of somebody else", "Frontdesk")
		require.NoError(t, err)
		require.NotEqual(t, setup.Secret, seen.Secret, "nobody else has seen the one that is confirmed")
		setup, err = s.Begin(ctx, boris, "session", "Frontdesk")
		require.NoError(t, err)
		require.NotEqual(t, seen.Secret, setup.Secret)
		_, err = s.Confirm(ctx, boris, twosteptest.Code(t, seen.Secret, clock.Now()))
		require.ErrorIs(t, err, twostep.ErrCode)
		stored, _, err := db.One(ctx, d.Read(), db.Only[[]byte], `SELECT secret FROM operator_authenticators`)
		require.NoError(t, err)
		require.NotContains(t, string(stored), string(twosteptest.Secret(t, setup.Secret)), "the table does not hold the secret")

		code := func() string { return twosteptest.Code(t, setup.Secret, clock.Now()) }
		_, err = s.Confirm(ctx, boris, "0"+code())
		require.ErrorIs(t, err, twostep.ErrCode)
		require.ErrorIs(t, s.Check(ctx, boris, code()), twostep.ErrOff, "before it is confirmed")
		recovery, err := s.Confirm(ctx, boris, code()[:3]+" "+code()[3:])
		require.NoError(t, err)
		require.Len(t, recovery, twostep.RecoveryCodes)
		boris, err = o.Get(ctx, boris.ID)
		require.NoError(t, err)
		require.True(t, boris.TwoStep)
		_, err = s.Begin(ctx, boris, "session", "Frontdesk")
		require.ErrorIs(t, err, twostep.ErrOn)

		require.ErrorIs(t, s.Check(ctx, boris, code()), twostep.ErrCode, "a code is good once")
		clock.Pass(30 * time.Second)
		fresh := code()
		var at errgroup.Group
		results := make([]error, 8)
		for i := range results {
			at.Go(func() error { results[i] = s.Check(ctx, boris, fresh); return nil })
		}
		require.NoError(t, at.Wait())
		good := 0
		for _, err := range results {
			if err == nil {
				good++
			} else {
				require.ErrorIs(t, err, twostep.ErrCode)
			}
		}
		require.Equal(t, 1, good, "of those who come at once, one")

		require.NoError(t, s.Check(ctx, boris, " "+strings.ToUpper(recovery[0])))
		require.ErrorIs(t, s.Check(ctx, boris, recovery[0]), twostep.ErrCode, "once")
		left, err := s.Left(ctx, boris.ID)
		require.NoError(t, err)
		require.Equal(t, twostep.RecoveryCodes-1, left)
		renewed, err := s.Renew(ctx, boris)
		require.NoError(t, err)
		require.ErrorIs(t, s.Check(ctx, boris, recovery[1]), twostep.ErrCode)
		require.NoError(t, s.Check(ctx, boris, renewed[1]))

		other := operatortest.Account(t, o, "vera", operator.Admin, scope.Of(2))
		require.ErrorIs(t, s.Check(ctx, other, renewed[2]), twostep.ErrOff, "of another account")
		require.ErrorIs(t, s.TurnOff(ctx, other.Actor(), boris.ID), operator.ErrForbidden)
		require.NoError(t, s.TurnOff(ctx, operator.Server(), boris.ID))
		require.ErrorIs(t, s.TurnOff(ctx, operator.Server(), boris.ID), twostep.ErrOff)
		require.ErrorIs(t, s.Check(ctx, boris, renewed[2]), twostep.ErrOff)
		_, err = s.Renew(ctx, boris)
		require.ErrorIs(t, err, twostep.ErrOff)
		anew, err := s.Begin(ctx, boris, "session", "Frontdesk")
		require.NoError(t, err)
		require.NotEqual(t, setup.Secret, anew.Secret)
	})
}

// Whose account is removed leaves nothing.
func TestRemovedAccountsLeaveNoSecondStep(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		o, s := operator.New(d, clock.Now), twostep.New(d, clock.Now)
		operatortest.Account(t, o, "chief", operator.Admin, scope.All())
		boris := operatortest.Account(t, o, "boris", operator.Agent, scope.Of(1))
		setup, err := s.Begin(ctx, boris, "session", "Frontdesk")
		require.NoError(t, err)
		_, err = s.Confirm(ctx, boris, twosteptest.Code(t, setup.Secret, clock.Now()))
		require.NoError(t, err)
		require.NoError(t, o.Remove(ctx, operator.Server(), boris.ID))
		for _, table := range []string{"operator_authenticators", "operator_recovery_codes"} {
			left, _, err := db.One(ctx, d.Read(), db.Only[int], `SELECT COUNT(*) FROM `+table)
			require.NoError(t, err)
			require.Zero(t, left, table)
		}
	})
}

func TestRules(t *testing.T) {
	admin, agent := operator.Operator{Role: operator.Admin}, operator.Operator{Role: operator.Agent}
	require.False(t, twostep.Rule("").Requires(admin))
	require.True(t, twostep.Admins.Requires(admin))
	require.False(t, twostep.Admins.Requires(agent))
	require.True(t, twostep.All.Requires(agent))
	require.NoError(t, twostep.All.Check())
	require.Error(t, twostep.Rule("some").Check())
}
