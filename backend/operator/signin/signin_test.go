package signin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestSessions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		store := signin.New(d, operator.New(d, clock.Now), clock.Now)
		_, found, err := store.FindCtx(ctx, "t")
		require.NoError(t, err)
		require.False(t, found)

		data := []byte{0, 1, 0xff, '\''}
		require.NoError(t, store.CommitCtx(ctx, "t", []byte("earlier"), clock.Now().Add(time.Minute)))
		require.NoError(t, store.CommitCtx(ctx, "t", data, clock.Now().Add(time.Hour)))
		clock.Pass(59 * time.Minute)
		stored, found, err := store.Find("t")
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, data, stored)

		clock.Pass(time.Minute)
		_, found, err = store.FindCtx(ctx, "t")
		require.NoError(t, err)
		require.False(t, found, "expired")

		require.NoError(t, store.Commit("u", data, clock.Now().Add(time.Hour)))
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

func TestDevices(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		o := operator.New(d, clock.Now)
		s := signin.New(d, o, clock.Now)
		boris, err := o.Create(ctx, operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Password: operatortest.Password, Role: operator.Agent})
		require.NoError(t, err)
		require.NoError(t, o.Add(ctx, "vera", operatortest.Password, operator.Admin))
		token, err := s.NewDevice(ctx, boris)
		require.NoError(t, err)
		nameOn := func(s *signin.SignIns, login, token string) string {
			name, err := s.Device(ctx, login, token)
			require.NoError(t, err)
			return name
		}
		name := nameOn(s, " BORIS", token)
		require.NotEmpty(t, name)
		require.Equal(t, name, nameOn(signin.New(d, operator.New(d, clock.Now), clock.Now), "boris", token), "on every node")
		other, err := s.NewDevice(ctx, boris)
		require.NoError(t, err)
		require.NotEqual(t, name, nameOn(s, "boris", other), "each browser by itself")

		require.Empty(t, nameOn(s, "vera", token), "of another login")
		require.Empty(t, nameOn(s, "nobody", token))
		require.Empty(t, nameOn(s, "no login", token))
		for _, wrong := range []string{"", "x", token[1:], token + "AAAA", "BAAA" + token[4:], token[:40] + "BAAB" + token[44:], strings.Repeat("A", len(token))} {
			require.Empty(t, nameOn(s, "boris", wrong), wrong)
		}

		clock.Pass(signin.DeviceLife)
		require.NotEmpty(t, nameOn(s, "boris", token))
		clock.Pass(time.Second)
		require.Empty(t, nameOn(s, "boris", token), "too long ago")

		token, err = s.NewDevice(ctx, boris)
		require.NoError(t, err)
		require.NoError(t, o.Passwd(ctx, operator.Server(), "boris", "another password"))
		require.Empty(t, nameOn(s, "boris", token), "the password has changed")
		boris, err = o.Get(ctx, boris.ID)
		require.NoError(t, err)
		token, err = s.NewDevice(ctx, boris)
		require.NoError(t, err)
		require.NotEmpty(t, nameOn(s, "boris", token))
		require.NoError(t, o.SetDisabled(ctx, operator.Server(), boris.ID, true))
		require.Empty(t, nameOn(s, "boris", token))
	})
}

// Who takes over a login is not known in the browser of the one before.
func TestLoginThatIsGivenOutAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		o := operator.New(d, clock.Now)
		s := signin.New(d, o, clock.Now)
		operatortest.Account(t, o, "chief", operator.Admin, scope.All())
		before := operatortest.Account(t, o, "boris", operator.Agent, scope.Of(1))
		token, err := s.NewDevice(ctx, before)
		require.NoError(t, err)
		name, err := s.Device(ctx, "boris", token)
		require.NoError(t, err)
		require.NotEmpty(t, name)
		clock.Pass(time.Hour)
		require.NoError(t, o.Remove(ctx, operator.Server(), before.ID))
		operatortest.Account(t, o, "boris", operator.Agent, scope.Of(1))
		name, err = s.Device(ctx, "boris", token)
		require.NoError(t, err)
		require.Empty(t, name)
	})
}
