package transfer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Nobody waits here, or is called, for what goes on in the installation that the site has come from; and what somebody
// without an account has done stays, without a name.
func TestWhatIsUnderWayStays(t *testing.T) {
	source := open(t, dbtest.SQLite(t))
	s := neighbour(t, source)
	work(t, source, s)
	_, result, err := source.Callbacks.Make(t.Context(), callback.By{SiteID: s.ID, Phone: "+7 912 000-00-02", Region: "RU", Login: "anna", Time: time.Now().Add(time.Hour)}, callback.Settings{Phone: "74951234567"})
	require.NoError(t, err)
	require.NoError(t, source.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { // a platform has been asked
		_, err := tx.Exec(ctx, `UPDATE callbacks SET state = 'calling_operator', order_id = 'one', deadline_at = $1, ended_at = 0`, time.Now().UnixMilli())
		if err == nil { // and operators, some of them in vain
			_, err = tx.Exec(ctx, `UPDATE conversations SET offered_to = id % 2, offered_until = CASE id % 2 WHEN 0 THEN $1 ELSE 1 END WHERE state = 'waiting'`, int64(chat.ForGood))
		}
		return err
	}))
	waiting, err := source.Callbacks.List(t.Context(), callback.Filter{Sites: scope.Of(s.ID)}, 10)
	require.NoError(t, err)
	require.Len(t, waiting, 1, "%v", result)
	require.True(t, waiting[0].State.Open())
	content := export(t, source, "neighbour")
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			done, err := load(t.Context(), d, content, "moved")
			require.NoError(t, err)
			require.Equal(t, 20, done.Data.Conversations)
			require.Equal(t, 1, done.Data.Callbacks)
			require.Equal(t, 2, done.Data.Reports)
			require.ElementsMatch(t, []string{"anna", "boris"}, done.Data.Unknown)
			require.NoError(t, d.Sites.Refresh(t.Context()))
			made, err := d.Sites.ByKey(t.Context(), "moved")
			require.NoError(t, err)
			talks, err := d.Chats.List(t.Context(), scope.Of(made.ID), chat.Filter{Live: true}, chat.Cursor{}, 100)
			require.NoError(t, err)
			require.Empty(t, talks)
			talks, err = d.Chats.List(t.Context(), scope.Of(made.ID), chat.Filter{}, chat.Cursor{}, 100)
			require.NoError(t, err)
			require.NotEmpty(t, talks)
			for _, talk := range talks {
				require.Zero(t, talk.Offer)
			}
			calls, err := d.Callbacks.List(t.Context(), callback.Filter{Sites: scope.Of(made.ID)}, 10)
			require.NoError(t, err)
			require.Len(t, calls, 1)
			require.Equal(t, callback.Closed, calls[0].State)
			require.Equal(t, waiting[0].Phone, calls[0].Phone)
			leads, err := d.Leads.List(t.Context(), scope.Of(made.ID), lead.Cursor{}, 100)
			require.NoError(t, err)
			noted := false
			for _, n := range leads {
				require.Zero(t, n.Owner)
				deeds, err := d.Leads.Deeds(t.Context(), made.ID, []int64{n.ID})
				require.NoError(t, err)
				for _, deed := range deeds {
					require.Zero(t, deed.By.ID)
					noted = noted || deed.Kind == "note" && deed.By.Login == "anna"
				}
			}
			require.True(t, noted, "notes keep the login")
		})
	}
}
