package backend

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// What happens on its own is waited for, and looked at this often.
const (
	wait = time.Minute
	tick = 10 * time.Millisecond
)

// hash is of the password "correct horse battery".
const hash = "$argon2id$v=19$m=47104,t=1,p=1$ccRWwfbyJLBVmCXM6m//6w$xvK8dstk79aVraU76oJBQfD/VnIl1cUPIj6ZJVs4V+k"

// start runs a service, which is closed with the test.
func start(t *testing.T, settings db.Settings, logger *zap.Logger, configuration Configuration) *Service {
	t.Helper()
	s := New(settings, logger, nil)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.Start(configuration)
	return s
}

func ready(t *testing.T, s *Service) *Service {
	t.Helper()
	require.Eventually(t, s.Ready, wait, tick)
	return s
}

// each runs the test on a new database of each engine.
func each(t *testing.T, test func(*testing.T, db.Settings)) {
	t.Run("sqlite", func(t *testing.T) { test(t, dbtest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, dbtest.Postgres(t)) })
}

func TestServiceOpensWhenItsDatabaseCanBe(t *testing.T) {
	inTheWay := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
	s := start(t, db.Settings{Engine: db.SQLite, Source: filepath.Join(inTheWay, "frontdesk.db")}, zap.NewNop(), Configuration{})
	require.Eventually(t, func() bool { return s.Check(t.Context()) != ErrNotReady }, wait, tick)
	require.ErrorContains(t, s.Check(t.Context()), "not a directory")
	_, _, err := s.Use()
	require.ErrorIs(t, err, ErrNotReady)

	require.NoError(t, os.Remove(inTheWay))
	ready(t, s)
	require.NoError(t, s.Check(t.Context()))
}

func TestServicePrunesItsJournal(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		d := dbtest.Open(t, settings)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return errors.Join(journal.Append(ctx, tx, journal.Entry{At: time.Now().Add(-journal.KeepFor - time.Hour), Kind: "old"}),
				journal.Append(ctx, tx, journal.Entry{At: time.Now(), Kind: "young"}))
		}))
		ready(t, start(t, settings, zap.NewNop(), Configuration{}))
		kinds := func() []string {
			kinds, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT kind FROM journal`)
			require.NoError(t, err)
			return kinds
		}
		require.Eventually(t, func() bool { return len(kinds()) == 1 }, wait, tick)
		require.Equal(t, []string{"young"}, kinds())
	})
}

func TestServiceOutlivesAnOutage(t *testing.T) {
	server := dbtest.OwnServer(t)
	source := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", "s3cr3t"), Host: server.Address, Path: "postgres", RawQuery: "sslmode=disable"}
	s := ready(t, start(t, db.Settings{Engine: db.Postgres, Source: source.String()}, zap.NewNop(), Configuration{Sites: []string{"shop"}}))
	require.NoError(t, s.Check(t.Context()))

	server.Stop()
	err := s.Check(t.Context())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cr3t")
	require.True(t, s.Ready(), "what was open is tried again by each request")

	require.NoError(t, server.Start())
	require.Eventually(t, func() bool { return s.Check(t.Context()) == nil }, wait, tick)
}

func TestConfigurationIsApplied(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		s := ready(t, start(t, settings, zap.NewNop(), Configuration{
			Sites:     []string{"shop", "www.shop.example"},
			Operators: []Operator{{Login: "Anna", PasswordHash: hash}, {Login: "boris", PasswordHash: hash}},
		}))
		require.Equal(t, []string{"shop", "www.shop.example"}, siteKeys(t, s))
		require.Equal(t, map[string]bool{"anna": true, "boris": true}, canSignIn(t, s))

		s.Start(Configuration{Sites: []string{"shop", "other"}, Operators: []Operator{{Login: "anna", PasswordHash: hash}}})
		require.Eventually(t, func() bool { return !canSignIn(t, s)["boris"] }, wait, tick)
		require.Equal(t, map[string]bool{"anna": true, "boris": false}, canSignIn(t, s))
		require.Eventually(t, func() bool { return len(siteKeys(t, s)) == 3 }, wait, tick)
		require.Equal(t, []string{"other", "shop", "www.shop.example"}, siteKeys(t, s), "a site keeps its history")
	})
}

func TestSetupLinkIsLoggedWhileThereIsNoOperator(t *testing.T) {
	core, logged := observer.New(zapcore.WarnLevel)
	settings := dbtest.SQLite(t)
	ready(t, start(t, settings, zap.New(core), Configuration{Console: "https://desk.example/"}))
	require.Eventually(t, func() bool { return logged.FilterFieldKey("link").Len() == 1 }, wait, tick)
	require.Regexp(t, `^https://desk\.example/setup\?token=\S+$`, logged.FilterFieldKey("link").All()[0].ContextMap()["link"])
}

func TestCloseWaitsForThoseWhoUseTheService(t *testing.T) {
	s := New(dbtest.SQLite(t), zap.NewNop(), nil)
	s.Start(Configuration{Sites: []string{"shop"}})
	ready(t, s)
	desk, done, err := s.Use()
	require.NoError(t, err)

	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	require.Eventually(t, func() bool { _, _, err := s.Use(); return err != nil }, wait, tick)
	_, err = desk.Operators.List(t.Context(), scope.All())
	require.NoError(t, err, "the database is open for whom it was lent to")
	select {
	case <-closed:
		require.Fail(t, "closed under a user")
	default:
	}
	done()
	require.NoError(t, <-closed)
	_, err = desk.Operators.List(t.Context(), scope.All())
	require.Error(t, err)
}

func TestCloseOfAServiceThatNeverStarted(t *testing.T) {
	settings := dbtest.SQLite(t)
	require.NoError(t, New(settings, zap.NewNop(), nil).Close())
	require.NoFileExists(t, settings.Source)
}

func TestExamine(t *testing.T) {
	each(t, func(t *testing.T, settings db.Settings) {
		found, err := Examine(t.Context(), settings)
		if settings.Engine == db.SQLite {
			require.ErrorIs(t, err, ErrNoDatabase)
			require.NoFileExists(t, settings.Source)
		} else {
			require.NoError(t, err)
			require.Positive(t, found.Pending)
		}
		ready(t, start(t, settings, zap.NewNop(), Configuration{Operators: []Operator{{Login: "anna", PasswordHash: hash}}}))
		found, err = Examine(t.Context(), settings)
		require.NoError(t, err)
		require.Equal(t, Findings{Operators: 1}, found)
	})
}

func TestConceal(t *testing.T) {
	settings := db.Settings{Engine: db.Postgres, Source: "postgres://desk:s3cr3t@pooler.example/desk", Direct: "postgres://desk:s3cr3t2@db.example/desk"}
	require.NoError(t, conceal(settings, nil))
	require.Equal(t, context.Canceled, conceal(settings, context.Canceled))
	for _, text := range []string{"cannot use " + settings.Source, "cannot use " + settings.Direct, "wrong password s3cr3t", "wrong password s3cr3t2"} {
		require.NotContains(t, conceal(settings, errorText(text)).Error(), "s3cr3t")
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }

func siteKeys(t *testing.T, s *Service) (keys []string) {
	t.Helper()
	desk, done, err := s.Use()
	require.NoError(t, err)
	defer done()
	sites, err := desk.Sites.List(t.Context())
	require.NoError(t, err)
	for _, found := range sites {
		keys = append(keys, found.Key)
	}
	return keys
}

func canSignIn(t *testing.T, s *Service) map[string]bool {
	t.Helper()
	desk, done, err := s.Use()
	require.NoError(t, err)
	defer done()
	accounts, err := desk.Operators.List(t.Context(), scope.All())
	require.NoError(t, err)
	found := make(map[string]bool)
	for _, a := range accounts {
		found[a.Login] = !a.Disabled
	}
	return found
}
