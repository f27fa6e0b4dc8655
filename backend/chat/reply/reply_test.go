package reply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestReplies(t *testing.T) {
	const site = 7
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		replies := reply.New(d)
		ctx := t.Context()
		kept, err := replies.Keep(ctx, reply.Reply{SiteID: site, Word: "Hello", Place: 1, Text: "Good day. How can we help?"})
		require.NoError(t, err)
		list, err := replies.Of(ctx, site)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "hello", list[0].Word)
		for wrong, r := range map[error]reply.Reply{
			reply.ErrWord: {Word: "hello", Text: "x"}, reply.ErrText: {Word: "b", Text: " "}, reply.ErrPlace: {Word: "c", Place: 1, Text: "x"}, reply.ErrUnknown: {ID: 99, Word: "d", Text: "x"},
		} {
			r.SiteID = site
			_, err := replies.Keep(ctx, r)
			require.ErrorIs(t, err, wrong)
		}
		require.Equal(t, kept, list[0])
		to := reply.Reply{SiteID: site, ID: kept.ID, Word: "hello", Text: "Welcome back."}
		_, err = replies.Replace(ctx, kept, to)
		require.NoError(t, err)
		_, err = replies.Replace(ctx, kept, to)
		require.ErrorIs(t, err, reply.ErrChanged)
		require.ErrorIs(t, replies.Remove(ctx, site+1, list[0].ID), reply.ErrUnknown)
		require.NoError(t, replies.Remove(ctx, site, list[0].ID))
	})
}
