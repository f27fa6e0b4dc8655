package operator

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// The time that a wrong password takes is the work that is done. It is the same
// for a login that does not exist and for each that does, whatever its hash
// costs.
func TestWrongPasswordCostsTheSameForEveryLogin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := New(d, time.Now)
		var work []cost
		o.verifier.derive = func(h phc, password string) []byte {
			work = append(work, h.cost)
			return phc.derive(h, password)
		}
		spent := func(login, password string, wanted error) []cost {
			work = nil
			_, err := o.Authenticate(ctx, login, password)
			require.ErrorIs(t, err, wanted, login)
			slices.SortFunc(work, func(a, b cost) int { return int(a.memory) - int(b.memory) })
			return work
		}
		require.Equal(t, []cost{usualCost}, spent("nobody", "a wrong password", ErrCredentials), "there are no accounts")

		require.NoError(t, o.Add(ctx, "vera", "correct horse battery", Admin))
		gone, err := o.Create(ctx, Server(), Account{Sites: scope.All(), Login: "gone", Password: "correct horse battery", Role: Agent})
		require.NoError(t, err)
		require.NoError(t, o.SetDisabled(ctx, Server(), gone.ID, true))
		require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			return o.Declare(ctx, tx, "node", []Declared{
				{"chief", "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg", scope.All()},
				{"second", "$argon2id$v=19$m=47104,t=1,p=1$AAAAckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg", scope.All()},
				{"small", "$argon2id$v=19$m=64,t=3,p=2$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg", scope.All()},
			})
		}))
		all := []cost{{64, 3, 2}, usualCost, {47104, 1, 1}}
		for _, login := range []string{"vera", "chief", "second", "small", "nobody", "gone", "no login at all"} {
			require.Equal(t, all, spent(login, "a wrong password", ErrCredentials), login)
		}
		require.Equal(t, []cost{usualCost}, spent("gone", "correct horse battery", ErrDisabled), "whoever knows the password is told")
		require.Equal(t, []cost{usualCost}, spent("vera", "correct horse battery", nil), "the right one costs its own work alone")
	})
}
