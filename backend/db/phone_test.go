package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// beforePhones is the last version of the schema without extensions.
const beforePhones = 17

// A stored number of which the country was not known is no other country's.
func TestPhonesOfNobodyLoseTheirDigits(t *testing.T) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			d, err := db.Open(t.Context(), settings(t), zap.NewNop())
			require.NoError(t, err)
			t.Cleanup(func() { d.Close() })
			require.NoError(t, d.MigrateTo(t.Context(), beforePhones))
			stored := [][2]string{{"8 (495) 000-01-77", "84950000177"}, {"8 (495) 123-45-67", "74951234567"}, {"+84 950 000 177", "84950000177"}}
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				for i, phone := range stored {
					if _, err := tx.Exec(ctx, `INSERT INTO leads (site_id, id, visitor_id, session_id, hit_id, at, origin, name, email, phone, phone_digits, message,
						is_sale, sale_cost, group_id, form_name, user_fields, url, source_kind, source_name, source_medium, source_campaign, source_term,
						source_content, source_click_id_name, source_click_id, source_referrer, source_landing)
						VALUES (1, $1, 1, 1, 1, 5, 'script', '', '', $2, $3, '', FALSE, '', 0, '', '{}', '', 'direct', '', '', '', '', '', '', '', '', '')`, i, phone[0], phone[1]); err != nil {
						return err
					}
					if _, err := tx.Exec(ctx, `INSERT INTO contacts (site_id, visitor_id, kind, value, written, at) VALUES (1, $1, 'phone', $2, $3, 5)`, i, phone[1], phone[0]); err != nil {
						return err
					}
				}
				return nil
			}))
			require.NoError(t, d.Migrate(t.Context()))
			digits, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT phone_digits FROM leads ORDER BY id`)
			require.NoError(t, err)
			require.Equal(t, []string{"", "74951234567", "84950000177"}, digits)
			values, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT value FROM contacts ORDER BY visitor_id`)
			require.NoError(t, err)
			require.Equal(t, []string{"?84950000177", "74951234567", "84950000177"}, values)
		})
	}
}
