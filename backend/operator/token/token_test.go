package token_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// anna administers two sites.
var anna = operator.Actor{By: "anna", Sites: scope.Of(1, 2)}

func each(t *testing.T, test func(t *testing.T, d *db.DB, tokens *token.Tokens, clock *operatortest.Clock)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		clock := operatortest.NewClock()
		test(t, d, token.New(d, clock.Now), clock)
	})
}

func TestATokenOpensUntilItEnds(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB, tokens *token.Tokens, clock *operatortest.Clock) {
		made, secret, err := tokens.Make(t.Context(), anna, token.Token{Name: " CRM ", Scopes: []token.Scope{token.ReadSites, token.ReadLeads, token.ReadSites}, Sites: scope.Of(2)}, 2)
		require.NoError(t, err)
		require.Equal(t, "CRM", made.Name)
		require.Equal(t, []token.Scope{token.ReadLeads, token.ReadSites}, made.Scopes)
		require.True(t, made.Opens(token.ReadLeads))
		require.True(t, made.Opens(token.ReadSites))

		_, other, err := tokens.Make(t.Context(), operator.Server(), token.Token{Name: "Reports", Scopes: []token.Scope{token.ReadLeads}, Sites: scope.All()}, token.MaxDays)
		require.NoError(t, err)
		require.NotEqual(t, secret, other)

		clock.Pass(time.Hour)
		opened, err := tokens.Open(t.Context(), secret)
		require.NoError(t, err)
		require.Zero(t, opened.UsedAt, "it was never used before")
		require.Equal(t, made.ID, opened.ID)
		require.Equal(t, scope.Of(2), opened.Sites)
		require.Equal(t, "anna", opened.By)
		clock.Pass(30 * time.Second)
		opened, err = tokens.Open(t.Context(), secret)
		require.NoError(t, err)
		require.Equal(t, clock.Now().Add(-30*time.Second).UnixMilli(), opened.UsedAt.UnixMilli())
		all, err := tokens.Open(t.Context(), other)
		require.NoError(t, err)
		require.Equal(t, scope.All(), all.Sites)
		require.False(t, all.Opens(token.ReadSites))

		for _, wrong := range []string{"", "frontdesk_", secret[:len(secret)-1], secret + "A", strings.ToLower(secret), strings.Repeat(secret, 1000), "Bearer " + secret} {
			_, err = tokens.Open(t.Context(), wrong)
			require.ErrorIs(t, err, token.ErrUnknown)
		}
		clock.Pass(47 * time.Hour)
		_, err = tokens.Open(t.Context(), secret)
		require.ErrorIs(t, err, token.ErrEnded)

		stored, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT hash FROM operator_tokens`)
		require.NoError(t, err)
		require.NotContains(t, strings.Join(stored, " "), secret[10:])

		// Those of long ago are cleared away by the next.
		clock.Pass(100 * 24 * time.Hour)
		_, _, err = tokens.Make(t.Context(), anna, token.Token{Name: "Next", Scopes: token.Scopes, Sites: scope.Of(1)}, 1)
		require.NoError(t, err)
		_, err = tokens.Open(t.Context(), secret)
		require.ErrorIs(t, err, token.ErrUnknown)
		left, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM operator_token_sites`)
		require.NoError(t, err)
		require.Equal(t, 1, left)
	})
}

func TestWhoMayMakeAndRevokeTokens(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB, tokens *token.Tokens, clock *operatortest.Clock) {
		issue := func(actor operator.Actor, sites scope.Sites) (token.Token, string) {
			t.Helper()
			made, secret, err := tokens.Make(t.Context(), actor, token.Token{Name: "CRM", Scopes: token.Scopes, Sites: sites}, 7)
			require.NoError(t, err)
			return made, secret
		}
		own, secret := issue(anna, scope.Of(1, 2))
		wide, _ := issue(operator.Server(), scope.All())
		other, _ := issue(operator.Server(), scope.Of(3))
		shared, _ := issue(operator.Server(), scope.Of(2, 3))

		names := func(sites scope.Sites) (ids []int64) {
			list, err := tokens.List(t.Context(), sites, 10)
			require.NoError(t, err)
			for _, one := range list {
				ids = append(ids, one.ID)
			}
			return ids
		}
		require.Equal(t, []int64{shared.ID, wide.ID, own.ID}, names(anna.Sites), "those that open a site of hers")
		require.Equal(t, []int64{shared.ID, other.ID, wide.ID, own.ID}, names(scope.All()))
		list, err := tokens.List(t.Context(), anna.Sites, 2)
		require.NoError(t, err)
		require.Len(t, list, 2)

		_, _, err = tokens.Make(t.Context(), anna, token.Token{Name: "CRM", Scopes: token.Scopes, Sites: scope.Of(2, 3)}, 7)
		require.ErrorIs(t, err, token.ErrForbidden)
		_, _, err = tokens.Make(t.Context(), anna, token.Token{Name: "CRM", Scopes: token.Scopes, Sites: scope.All()}, 7)
		require.ErrorIs(t, err, token.ErrForbidden)

		require.ErrorIs(t, tokens.Revoke(t.Context(), anna, other.ID), token.ErrUnknown, "she sees it nowhere")
		require.ErrorIs(t, tokens.Revoke(t.Context(), anna, shared.ID), token.ErrForbidden)
		require.ErrorIs(t, tokens.Revoke(t.Context(), anna, wide.ID), token.ErrForbidden)
		require.NoError(t, tokens.Revoke(t.Context(), anna, own.ID))
		require.ErrorIs(t, tokens.Revoke(t.Context(), anna, own.ID), token.ErrUnknown)
		_, err = tokens.Open(t.Context(), secret)
		require.ErrorIs(t, err, token.ErrEnded)
		require.Equal(t, []int64{shared.ID, wide.ID}, names(anna.Sites))

		journaltest.Entries(t, d) // waits until all can be read
		entries, err := journal.New(d).Administration(t.Context(), anna.Sites, journal.Position{}, 100)
		require.NoError(t, err)
		var said []string
		for _, e := range entries {
			if e.SubjectID == own.ID {
				said = append(said, fmt.Sprint(e.Kind, " ", e.SiteID, " ", string(e.Data)))
			}
		}
		require.Equal(t, []string{
			`operator.token_revoked 2 {"by":"anna","name":"CRM"}`, `operator.token_revoked 1 {"by":"anna","name":"CRM"}`,
			`operator.token_made 2 {"by":"anna","name":"CRM"}`, `operator.token_made 1 {"by":"anna","name":"CRM"}`,
		}, said)
	})
}

func TestMistakesOfTokens(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB, tokens *token.Tokens, clock *operatortest.Clock) {
		good := token.Token{Name: "CRM", Scopes: []token.Scope{token.ReadLeads}, Sites: scope.Of(1)}
		for name, c := range map[string]struct {
			change func(*token.Token)
			days   int
			want   error
		}{
			"no name":       {func(t *token.Token) { t.Name = " " }, 1, token.ErrName},
			"a long name":   {func(t *token.Token) { t.Name = strings.Repeat("ы", 101) }, 1, token.ErrName},
			"a line break":  {func(t *token.Token) { t.Name = "a\nb" }, 1, token.ErrName},
			"no days":       {func(*token.Token) {}, 0, token.ErrDays},
			"many days":     {func(*token.Token) {}, token.MaxDays + 1, token.ErrDays},
			"no scope":      {func(t *token.Token) { t.Scopes = nil }, 1, token.ErrScope},
			"another scope": {func(t *token.Token) { t.Scopes = []token.Scope{token.ReadLeads, "leads:all"} }, 1, token.ErrScope},
			"no site":       {func(t *token.Token) { t.Sites = scope.Of() }, 1, token.ErrSites},
		} {
			of := good
			c.change(&of)
			_, _, err := tokens.Make(t.Context(), anna, of, c.days)
			require.ErrorIs(t, err, c.want, name)
		}
		list, err := tokens.List(t.Context(), scope.All(), 10)
		require.NoError(t, err)
		require.Empty(t, list)
	})
}
