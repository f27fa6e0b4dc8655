package dispatch_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/dispatch"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// BenchmarkLook looks at a site whose visitors wait, in a group whose operator was offered all of them in vain.
func BenchmarkLook(b *testing.B) {
	for engine, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		for _, size := range []struct{ waiting, groups int }{{10, 1}, {10_000, 1}, {10, 2000}} {
			b.Run(fmt.Sprintf("%s/%d/groups=%d", engine, size.waiting, size.groups), func(b *testing.B) {
				d := dbtest.Open(b, settings(b))
				operators := operator.New(d, time.Now)
				groups := group.New(d, time.Now)
				anna, err := operators.Create(b.Context(), operator.Server(), operator.Account{Login: "anna", Password: "correct horse battery", Role: operator.Agent, Sites: scope.All()})
				require.NoError(b, err)
				g, err := groups.Keep(b.Context(), operator.Server(), group.Group{SiteID: site, Name: "Shop", Routing: group.LeastBusy, Members: []int64{anna.ID}})
				require.NoError(b, err)
				for i := 1; i < size.groups; i++ { // for which nobody waits
					_, err := groups.Keep(b.Context(), operator.Server(), group.Group{SiteID: site + int64(i), Name: "Shop", Routing: group.LeastBusy, Members: []int64{anna.ID}})
					require.NoError(b, err)
				}
				require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
					for _, statement := range []string{
						`INSERT INTO conversations (site_id, id, visitor_id, visit_id, view_id, group_id, state, operator_id, seq, visitor_read, operator_read, opened_at, waiting_since,
							last_at, last_from, banned, url, language, lead_id, offered_until)
							SELECT $1, n, n, n, n, $3, 'waiting', 0, 1, 0, 0, n, n, n, 'visitor', FALSE, '', 'en', 0, 9223372036854775807
							FROM (WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $2) SELECT n FROM numbers) AS numbers WHERE $4 > 0`,
						`INSERT INTO chat_tried SELECT site_id, id, $4 FROM conversations WHERE $1 > 0 AND $2 > 0 AND $3 > 0`,
					} {
						if _, err := tx.Exec(ctx, statement, site, size.waiting, g.ID, anna.ID); err != nil {
							return err
						}
					}
					return nil
				}))
				there := presence.New(d, operators, groups, time.Now)
				_, err = there.Arrive(b.Context(), anna.ID)
				require.NoError(b, err)
				desk := dispatch.New(d, chat.New(chat.Subjects{DB: d}, time.Now), there, time.Now, zap.NewNop())
				for b.Loop() {
					require.NoError(b, desk.Look(b.Context()))
				}
			})
		}
	}
}
