package operator_test

import (
	"context"
	"sync"
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

func TestAdminsOfASiteChangeTheirOwnAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
		operatortest.Account(t, o, "chief", operator.Admin, scope.All())
		one := operatortest.Account(t, o, "one", operator.Admin, scope.Of(1)).Actor()
		mine := operatortest.Account(t, o, "mine", operator.Agent, scope.Of(1))
		both := operatortest.Account(t, o, "both", operator.Agent, scope.Of(1, 2))
		others := operatortest.Account(t, o, "others", operator.Agent, scope.Of(2))
		chief, err := o.Authenticate(ctx, "chief", password)
		require.NoError(t, err)

		var seen []string
		list, err := o.List(ctx, one.Sites)
		require.NoError(t, err)
		for _, a := range list {
			seen = append(seen, a.Login)
		}
		require.Equal(t, []string{"both", "chief", "mine", "one"}, seen)

		for id, refused := range map[int64]error{others.ID: operator.ErrUnknown, both.ID: operator.ErrForbidden, chief.ID: operator.ErrForbidden, 999: operator.ErrUnknown} {
			require.ErrorIs(t, o.Edit(ctx, one, id, "x", operator.Admin, nil), refused)
			require.ErrorIs(t, o.SetDisabled(ctx, one, id, true), refused)
			require.ErrorIs(t, o.Remove(ctx, one, id), refused)
			_, err := o.Reset(ctx, one, id)
			require.ErrorIs(t, err, refused)
		}
		require.ErrorIs(t, o.Passwd(ctx, one, "both", "a new password"), operator.ErrForbidden)
		require.ErrorIs(t, o.SetSites(ctx, one, others.ID, scope.Of(1)), operator.ErrUnknown)
		require.ErrorIs(t, o.SetSites(ctx, one, chief.ID, scope.Of(1)), operator.ErrForbidden)
		require.ErrorIs(t, o.SetSites(ctx, one, mine.ID, scope.Of(2)), operator.ErrSites, "2 is not theirs to give, and 1 is taken")
		for _, wide := range []scope.Sites{scope.All(), scope.Of(2), scope.Of(1, 2)} {
			_, err := o.Create(ctx, one, operator.Account{Login: "new", Password: password, Role: operator.Agent, Sites: wide})
			require.ErrorIs(t, err, operator.ErrForbidden)
		}
		_, err = o.Create(ctx, one, operator.Account{Login: "new", Password: password, Role: operator.Agent})
		require.ErrorIs(t, err, operator.ErrSites)

		require.NoError(t, o.SetSites(ctx, one, both.ID, scope.Sites{}), "takes 1, which is theirs")
		after, err := o.Get(ctx, both.ID)
		require.NoError(t, err)
		require.Equal(t, scope.Of(2), after.Sites)
		require.Equal(t, both.Epoch, after.Epoch, "who goes on elsewhere stays signed in")
		_, err = o.Create(ctx, one, operator.Account{Login: "new", Password: password, Role: operator.Admin, Sites: scope.Of(1)})
		require.NoError(t, err)
		require.NoError(t, o.Edit(ctx, one, mine.ID, "Mine", operator.Admin, nil))
		require.ErrorIs(t, o.Edit(ctx, one, mine.ID, "Mine\u0007", operator.Admin, nil), operator.ErrName)
		require.ErrorIs(t, o.Edit(ctx, one, mine.ID, "Mine", "owner", nil), operator.ErrRole)
		require.NoError(t, o.SetDisabled(ctx, one, mine.ID, true))
		require.NoError(t, o.SetDisabled(ctx, one, mine.ID, false))
		require.NoError(t, o.Remove(ctx, one, mine.ID))
		_, err = o.Get(ctx, mine.ID)
		require.ErrorIs(t, err, operator.ErrUnknown)
		_, err = o.Authenticate(ctx, "mine", password)
		require.ErrorIs(t, err, operator.ErrCredentials)

		require.Equal(t, []string{
			`1 operator.added {"by":"","login":"one"}`,
			`1 operator.added {"by":"","login":"mine"}`,
			`1 operator.added {"by":"","login":"both"}`,
			`1 operator.site_withdrawn {"by":"one","login":"both"}`,
			`1 operator.added {"by":"one","login":"new"}`,
			`1 operator.renamed {"by":"one","from":"","login":"mine","to":"Mine"}`,
			`1 operator.role_changed {"by":"one","from":"operator","login":"mine","to":"admin"}`,
			`1 operator.disabled {"by":"one","login":"mine"}`,
			`1 operator.enabled {"by":"one","login":"mine"}`,
			`1 operator.removed {"by":"one","login":"mine"}`,
		}, operatortest.History(t, d, scope.Of(1)), "what was refused is in nobody's history")
		require.Equal(t, []string{`2 operator.added {"by":"","login":"both"}`, `2 operator.added {"by":"","login":"others"}`}, operatortest.History(t, d, scope.Of(2)))
	})
}

func TestSitesAreGivenAndWithdrawn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
		chief := operatortest.Account(t, o, "chief", operator.Admin, scope.All()).Actor()
		boris := operatortest.Account(t, o, "boris", operator.Agent, scope.Of(1))
		for _, sites := range []scope.Sites{scope.Of(2, 3), scope.All(), scope.Of(3)} {
			require.NoError(t, o.SetSites(ctx, chief, boris.ID, sites))
			is, err := o.Get(ctx, boris.ID)
			require.NoError(t, err)
			require.Equal(t, sites, is.Sites)
		}
		require.Equal(t, []string{
			`0 operator.added {"by":"","login":"chief"}`,
			`1 operator.added {"by":"","login":"boris"}`,
			`2 operator.site_given {"by":"chief","login":"boris"}`,
			`3 operator.site_given {"by":"chief","login":"boris"}`,
			`1 operator.site_withdrawn {"by":"chief","login":"boris"}`,
			`0 operator.site_given {"by":"chief","login":"boris"}`,
			`2 operator.site_withdrawn {"by":"chief","login":"boris"}`,
			`3 operator.site_withdrawn {"by":"chief","login":"boris"}`,
			`3 operator.site_given {"by":"chief","login":"boris"}`,
			`0 operator.site_withdrawn {"by":"chief","login":"boris"}`,
		}, operatortest.History(t, d, scope.All()))
	})
}

func TestTheLastAdminOfAllSitesStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
		vera := operatortest.Account(t, o, "vera", operator.Admin, scope.All())
		operatortest.Account(t, o, "one", operator.Admin, scope.Of(1))
		operatortest.Account(t, o, "agent", operator.Agent, scope.All())
		server := operator.Server()
		ways := map[string]func(id int64) error{
			"role":    func(id int64) error { return o.Edit(ctx, server, id, "", operator.Agent, nil) },
			"sites":   func(id int64) error { return o.SetSites(ctx, server, id, scope.Of(1)) },
			"disable": func(id int64) error { return o.SetDisabled(ctx, server, id, true) },
			"remove":  func(id int64) error { return o.Remove(ctx, server, id) },
			"reset":   func(id int64) error { _, err := o.Reset(ctx, server, id); return err },
		}
		for how, do := range ways {
			require.ErrorIs(t, do(vera.ID), operator.ErrLastAdmin, how)
		}
		require.True(t, goes(t, o, "vera", password))
		for how, do := range ways { // of two who go at once, one stays
			other := operatortest.Account(t, o, "other"+how, operator.Admin, scope.All())
			errs := make([]error, 2)
			var both sync.WaitGroup
			for i, id := range []int64{vera.ID, other.ID} {
				both.Go(func() { errs[i] = do(id) })
			}
			both.Wait()
			if errs[0] == nil {
				require.ErrorIs(t, errs[1], operator.ErrLastAdmin, how)
				vera = other
				continue
			}
			require.ErrorIs(t, errs[0], operator.ErrLastAdmin, how)
			require.NoError(t, errs[1], how)
		}
	})
}

func TestNobodyChangesThemselves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
		operatortest.Account(t, o, "chief", operator.Admin, scope.All())
		vera := operatortest.Account(t, o, "vera", operator.Admin, scope.All())
		require.ErrorIs(t, o.SetDisabled(ctx, vera.Actor(), vera.ID, true), operator.ErrSelf)
		require.ErrorIs(t, o.Remove(ctx, vera.Actor(), vera.ID), operator.ErrSelf)
		require.ErrorIs(t, o.SetSites(ctx, vera.Actor(), vera.ID, scope.Of(1)), operator.ErrSelf)
		require.ErrorIs(t, o.Edit(ctx, vera.Actor(), vera.ID, "Vera", operator.Agent, nil), operator.ErrSelf)
		require.NoError(t, o.Edit(ctx, vera.Actor(), vera.ID, "Vera", operator.Admin, nil), "but for the name")
		require.NoError(t, o.Passwd(ctx, vera.Actor(), "vera", "another password"))
	})
}

func TestResetLink(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		o := operator.New(d, clock.Now)
		chief := operatortest.Account(t, o, "chief", operator.Admin, scope.All()).Actor()
		boris := operatortest.Account(t, o, "boris", operator.Agent, scope.Of(1))

		first, err := o.Reset(ctx, chief, boris.ID)
		require.NoError(t, err)
		is, err := o.Get(ctx, boris.ID)
		require.NoError(t, err)
		require.True(t, is.Waiting)
		require.Greater(t, is.Epoch, boris.Epoch, "the sessions end at once")
		for _, tried := range []string{password, "", first} {
			require.False(t, goes(t, o, "boris", tried), "the old password ends at once")
		}
		second, err := o.Reset(ctx, chief, boris.ID)
		require.NoError(t, err)
		for _, wrong := range []string{first, "", second + "x"} {
			_, err = o.Redeem(ctx, wrong, "another password")
			require.ErrorIs(t, err, operator.ErrSetupToken, "an earlier link, or none")
		}
		_, err = o.Redeem(ctx, second, "short")
		require.ErrorIs(t, err, passwords.ErrLength)
		holder, err := o.ResetHolder(ctx, second)
		require.NoError(t, err, "a mistake does not use it up, nor does looking at it")
		require.Equal(t, "boris", holder.Login)

		errs := make([]error, 3)
		var tries sync.WaitGroup
		for i := range errs {
			tries.Go(func() { _, errs[i] = o.Redeem(ctx, second, "another password") })
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
		require.True(t, goes(t, o, "boris", "another password"))

		third, err := o.Reset(ctx, chief, boris.ID)
		require.NoError(t, err)
		clock.Pass(operator.ResetTime + time.Second)
		_, err = o.Redeem(ctx, third, "another password")
		require.ErrorIs(t, err, operator.ErrSetupToken, "it has ended")
		fourth, err := o.Reset(ctx, chief, boris.ID)
		require.NoError(t, err)
		require.NoError(t, o.SetDisabled(ctx, chief, boris.ID, true))
		_, err = o.Redeem(ctx, fourth, "another password")
		require.ErrorIs(t, err, operator.ErrSetupToken, "of a disabled account")
		require.NoError(t, o.SetDisabled(ctx, chief, boris.ID, false))
		_, err = o.Redeem(ctx, fourth, "another password")
		require.ErrorIs(t, err, operator.ErrSetupToken, "a link from before it was disabled does not come back")

		_, err = o.Authenticate(ctx, "chief", password)
		require.NoError(t, err)
		tokens, err := db.List(ctx, d.Read(), db.Only[string], `SELECT token FROM operator_resets`)
		require.NoError(t, err)
		require.NotContains(t, tokens, fourth, "a look at the table opens no account")
	})
}

func TestDeclaredSitesFollowTheConfiguration(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, operatortest.NewClock().Now)
		declare := func(sites scope.Sites) operator.Operator {
			require.NoError(t, d.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
				return o.Declare(ctx, tx, "node", []operator.Declared{{Login: "keeper", PasswordHash: olderHash, Sites: sites}})
			}))
			is, err := o.Authenticate(ctx, "keeper", older)
			require.NoError(t, err)
			require.Equal(t, sites, is.Sites)
			return is
		}
		first := declare(scope.Of(1))
		require.Equal(t, first, declare(scope.Of(1)))
		require.Equal(t, first.Epoch, declare(scope.Of(1, 2)).Epoch, "other sites end no session")
		require.Equal(t, first.Epoch, declare(scope.All()).Epoch)
		require.ErrorIs(t, o.SetSites(ctx, operator.Server(), first.ID, scope.Of(1)), operator.ErrProvisioned)
		require.ErrorIs(t, o.Edit(ctx, operator.Server(), first.ID, "x", operator.Agent, nil), operator.ErrProvisioned)
		require.ErrorIs(t, o.Remove(ctx, operator.Server(), first.ID), operator.ErrProvisioned)
		require.Equal(t, []string{
			`1 operator.added {"by":"","login":"keeper"}`, `2 operator.site_given {"by":"","login":"keeper"}`, `0 operator.site_given {"by":"","login":"keeper"}`,
			`1 operator.site_withdrawn {"by":"","login":"keeper"}`, `2 operator.site_withdrawn {"by":"","login":"keeper"}`,
		}, operatortest.History(t, d, scope.All()))
	})
}
