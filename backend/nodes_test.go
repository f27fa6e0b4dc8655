package backend

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// use returns the open service; it is given back with the test.
func use(t *testing.T, s *Service) *Desk {
	t.Helper()
	desk, done, err := s.Use()
	require.NoError(t, err)
	t.Cleanup(done)
	return desk
}

// declaredAt is what the node says that is declared, by the keys of its sites.
func declaredAt(t *testing.T, s *Service) map[string][]number.Declared {
	t.Helper()
	desk, done, err := s.Use()
	require.NoError(t, err)
	defer done()
	sites, err := desk.Sites.List(t.Context())
	require.NoError(t, err)
	declared := make(map[string][]number.Declared)
	for _, found := range sites {
		list, err := desk.Numbers.Declared(t.Context(), found.ID)
		require.NoError(t, err)
		if len(list) > 0 {
			declared[found.Key] = list
		}
	}
	return declared
}

// lamps and chairs are what the shops' configurations have.
var (
	lamps  = []number.Declared{{Digits: "74951234567", Tracking: []string{"74957654321"}}}
	chairs = []number.Declared{{Digits: "78005553535"}}
)

func node(name, shop string, numbers []number.Declared, operators ...string) Configuration {
	c := Configuration{Name: name}
	if shop != "" {
		c.Sites, c.Numbers = []string{shop}, map[string][]number.Declared{shop: numbers}
	}
	for _, login := range operators {
		c.Operators = append(c.Operators, Operator{Login: login, PasswordHash: hash})
	}
	return c
}

// Three nodes share a database. Two serve a shop each, and one the console alone.
func TestNodesWithDifferentConfigurations(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		a := ready(t, start(t, settings, zap.NewNop(), node("a", "lamps.example", lamps, "anna", "both")))
		b := ready(t, start(t, settings, zap.NewNop(), node("b", "chairs.example", chairs, "boris", "both")))
		console := ready(t, start(t, settings, zap.NewNop(), node("console", "", nil)))
		all := map[string][]number.Declared{"lamps.example": lamps, "chairs.example": chairs}
		everybody := map[string]bool{"anna": true, "boris": true, "both": true}
		for _, s := range []*Service{a, b, console} {
			require.Eventually(t, func() bool { return len(declaredAt(t, s)) == 2 }, wait, tick)
			require.Equal(t, all, declaredAt(t, s))
			require.Equal(t, everybody, canSignIn(t, s), "nobody is retired")
		}

		// A node that ends takes nothing back, and starting again changes nothing.
		require.NoError(t, a.Close())
		require.Equal(t, everybody, canSignIn(t, console))
		a = ready(t, start(t, settings, zap.NewNop(), node("a", "lamps.example", lamps, "anna", "both")))
		require.Equal(t, all, declaredAt(t, a))

		// What a configuration drops is retired, unless another declares it.
		a.Start(node("a", "lamps.example", chairs))
		require.Eventually(t, func() bool { return !canSignIn(t, console)["anna"] }, wait, tick)
		require.Equal(t, map[string]bool{"anna": false, "boris": true, "both": true}, canSignIn(t, console))
		require.Equal(t, map[string][]number.Declared{"lamps.example": chairs, "chairs.example": chairs}, declaredAt(t, console))
		b.Start(node("b", "", nil, "boris"))
		require.Eventually(t, func() bool { return !canSignIn(t, console)["both"] }, wait, tick)
		require.Equal(t, map[string][]number.Declared{"lamps.example": chairs}, declaredAt(t, console))
		require.Equal(t, []string{"chairs.example", "lamps.example"}, siteKeys(t, console), "a site keeps its history")
	})
}

func TestNodesStartAtTheSameMoment(t *testing.T) {
	settings := dbtest.Postgres(t)
	var nodes []*Service
	for _, name := range []string{"a", "b", "c", "d"} {
		nodes = append(nodes, start(t, settings, zap.NewNop(), node(name, name+".example", lamps, "operator-"+name, "shared")))
	}
	for _, s := range nodes {
		ready(t, s)
		require.Eventually(t, func() bool { return len(declaredAt(t, s)) == len(nodes) && len(canSignIn(t, s)) == len(nodes)+1 }, wait, tick)
		for login, can := range canSignIn(t, s) {
			require.True(t, can, login)
		}
	}
}

// Nodes of a name have one configuration: what the newest says holds.
func TestNodesThatShareAName(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		first := ready(t, start(t, settings, zap.NewNop(), node("edge", "lamps.example", lamps, "anna", "boris")))
		ready(t, start(t, settings, zap.NewNop(), node("edge", "lamps.example", chairs, "anna")))
		require.Equal(t, map[string]bool{"anna": true, "boris": false}, canSignIn(t, first), "at once")
		require.Equal(t, map[string][]number.Declared{"lamps.example": chairs}, declaredAt(t, first))
		require.NoError(t, use(t, first).show(t.Context(), zap.NewNop()), "an hour later")
		require.Equal(t, map[string]bool{"anna": true, "boris": false}, canSignIn(t, first), "the older one has brought nothing back")
		require.Equal(t, map[string][]number.Declared{"lamps.example": chairs}, declaredAt(t, first))
	})
}

func TestNodeThatIsNotSeenForLongIsGone(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		gone := ready(t, start(t, settings, zap.NewNop(), node("container-1", "lamps.example", lamps, "anna", "boris")))
		require.NoError(t, gone.Close())
		b := ready(t, start(t, settings, zap.NewNop(), node("container-2", "lamps.example", lamps, "anna")))
		age := func(name string, by time.Duration) {
			require.NoError(t, use(t, b).DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE declarers SET seen_at = seen_at - $1 WHERE name = $2`, by.Milliseconds(), name)
				return err
			}))
		}
		again := func() { require.NoError(t, use(t, b).show(t.Context(), zap.NewNop())) }
		age("container-1", declarer.KeepFor-time.Hour)
		again()
		require.Equal(t, map[string]bool{"anna": true, "boris": true}, canSignIn(t, b), "it may come back")
		age("container-1", 2*time.Hour)
		age("container-2", 2*declarer.KeepFor)
		again()
		require.Equal(t, map[string]bool{"anna": true, "boris": false}, canSignIn(t, b))
		require.Equal(t, map[string][]number.Declared{"lamps.example": lamps}, declaredAt(t, b), "the new one declares it")

		// A node that was cut off from the database for as long finds itself gone.
		require.NoError(t, use(t, b).DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			if _, err := tx.Exec(ctx, `DELETE FROM declarers WHERE name = 'container-2'`); err != nil {
				return err
			}
			return errors.Join(use(t, b).Numbers.Declare(ctx, tx, "container-2", nil), use(t, b).Operators.Declare(ctx, tx, "container-2", nil))
		}))
		require.False(t, canSignIn(t, b)["anna"])
		again()
		require.Equal(t, map[string]bool{"anna": true, "boris": false}, canSignIn(t, b))
		require.Equal(t, map[string][]number.Declared{"lamps.example": lamps}, declaredAt(t, b))

		// An earlier program beside it retires what its own file does not have.
		require.NoError(t, use(t, b).DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE operators SET provisioned = FALSE, disabled = TRUE, epoch = epoch + 1`)
			return err
		}))
		again()
		require.True(t, canSignIn(t, b)["anna"])

		back := ready(t, start(t, settings, zap.NewNop(), node("container-1", "chairs.example", chairs, "boris")))
		require.Equal(t, map[string]bool{"anna": true, "boris": true}, canSignIn(t, back))
	})
}

func TestConfigurationIsDeclaredAsAWhole(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		s := ready(t, start(t, settings, zap.NewNop(), node("a", "lamps.example", lamps, "anna")))
		desk := use(t, s)
		wrong := node("a", "chairs.example", chairs, "boris")
		wrong.Operators = append(wrong.Operators, Operator{Login: "vera", PasswordHash: "no hash"})
		require.Error(t, desk.declare(t.Context(), wrong, zap.NewNop()))
		require.Equal(t, []string{"lamps.example"}, siteKeys(t, s))
		require.Equal(t, map[string]bool{"anna": true}, canSignIn(t, s))
		require.Equal(t, map[string][]number.Declared{"lamps.example": lamps}, declaredAt(t, s))
	})
}

// Of a site that a configuration does not name, its numbers are declared when a page of
// it has been seen, and stay as long as the configuration does.
func TestNumbersOfASiteThatIsNotNamed(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		s := ready(t, start(t, settings, zap.NewNop(), node("a", "lamps.example", lamps)))
		desk := use(t, s)
		other, err := desk.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		named, err := desk.Sites.ByKey(t.Context(), "lamps.example")
		require.NoError(t, err)
		for _, known := range []site.Site{other, named, other} {
			require.NoError(t, desk.DeclareNumbers(t.Context(), known, chairs))
		}
		expected := map[string][]number.Declared{"lamps.example": lamps, "other.example": chairs}
		require.Equal(t, expected, declaredAt(t, s))
		require.NoError(t, desk.show(t.Context(), zap.NewNop()), "an hour later")
		require.Equal(t, expected, declaredAt(t, s))
		second := ready(t, start(t, settings, zap.NewNop(), node("a", "lamps.example", lamps)))
		require.Equal(t, map[string][]number.Declared{"lamps.example": lamps}, declaredAt(t, second), "starts under the same name")
		require.NoError(t, desk.DeclareNumbers(t.Context(), other, chairs), "with the next page")
		require.Equal(t, expected, declaredAt(t, second))
	})
}

// A database of the earlier form has provisioned accounts and does not know whose.
func TestUpgradeLocksNobodyOut(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		first := ready(t, start(t, settings, zap.NewNop(), node("a", "", nil, "anna", "boris")))
		require.NoError(t, use(t, first).DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM operator_declarations`)
			_, errDeclarers := tx.Exec(ctx, `DELETE FROM declarers`)
			return errors.Join(err, errDeclarers)
		}))
		a := ready(t, start(t, settings, zap.NewNop(), node("a", "", nil, "anna")))
		require.Equal(t, map[string]bool{"anna": true, "boris": true}, canSignIn(t, a), "boris may be another node's")
		b := ready(t, start(t, settings, zap.NewNop(), node("b", "", nil, "boris")))
		b.Start(node("b", "", nil))
		require.Eventually(t, func() bool { return !canSignIn(t, b)["boris"] }, wait, tick, "b has declared and dropped it")
		require.True(t, canSignIn(t, b)["anna"])
	})
}

func TestSettingsReachOtherNodes(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		a := use(t, ready(t, start(t, settings, zap.NewNop(), node("a", "lamps.example", lamps))))
		b := use(t, ready(t, start(t, settings, zap.NewNop(), node("b", "lamps.example", lamps))))
		_, err := a.Sites.Change(t.Context(), "lamps.example", 0, site.Settings{PhoneMask: new("+7 ###")}, "anna")
		require.NoError(t, err)
		began := time.Now()
		require.Eventually(t, func() bool {
			found, err := b.Sites.ByKey(t.Context(), "lamps.example")
			return err == nil && found.Version == 1 && *found.Settings.PhoneMask == "+7 ###"
		}, wait, time.Millisecond)
		t.Logf("in effect on the other node after %v", time.Since(began).Round(time.Millisecond))
		_, err = b.Sites.Change(t.Context(), "lamps.example", 0, site.Settings{PhoneMask: new("+1 ###")}, "boris")
		require.ErrorIs(t, err, site.ErrChanged)
	})
}
