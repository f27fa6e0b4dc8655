package dispatch_test

import (
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/dispatch"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"

	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const site = chattest.Site

// desk is a shop with operators.
type desk struct {
	*chattest.Shop
	operators *operator.Operators
	groups    *group.Groups
	presence  *presence.Presence
	desk      *dispatch.Dispatcher
}

func eachDesk(t *testing.T, test func(t *testing.T, d *desk)) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		o := operator.New(s.DB, s.Now)
		groups := group.New(s.DB, s.Now)
		there := presence.New(s.DB, o, groups, s.Now)
		test(t, &desk{s, o, groups, there, dispatch.New(s.DB, s.Chats, there, s.Now, zaptest.NewLogger(t))})
	})
}

// arrives makes an operator who has the console open.
func (d *desk) arrives(login string) (int64, *presence.Lease) {
	d.T.Helper()
	made, err := d.operators.Create(d.T.Context(), operator.Server(), operator.Account{Login: login, Password: "correct horse battery", Role: operator.Agent, Sites: scope.Of(site)})
	require.NoError(d.T, err)
	lease, err := d.presence.Arrive(d.T.Context(), made.ID)
	require.NoError(d.T, err)
	return made.ID, lease
}

func (d *desk) groupOf(routing group.Routing, members ...int64) int64 {
	d.T.Helper()
	g, err := d.groups.Keep(d.T.Context(), operator.Server(), group.Group{SiteID: site, Name: string(routing), Routing: routing, Members: members})
	require.NoError(d.T, err)
	return g.ID
}

func (d *desk) look() {
	d.T.Helper()
	d.Clock.Add(1100) // who is there is remembered for a second
	require.NoError(d.T, d.desk.Look(d.T.Context()))
}

func (d *desk) offered(of chat.Conversation) int64 { return d.offer(of).To }

func (d *desk) offer(of chat.Conversation) chat.Offer {
	d.T.Helper()
	return d.Get(of).Offer
}

func TestOffersGoAround(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		boris, lease := d.arrives("boris")
		from := d.Visitor()
		from.GroupID = d.groupOf(group.RoundRobin, anna, boris)
		first, _ := d.Asks(from, "Hello")
		d.look()
		require.Equal(t, anna, d.offered(first))
		d.look()
		require.Equal(t, anna, d.offered(first), "there is time to take it")

		from2 := d.Visitor()
		from2.GroupID = from.GroupID
		second, _ := d.Asks(from2, "Hello, too")
		d.look()
		require.Equal(t, boris, d.offered(second))

		d.Clock.Add(dispatch.OfferTime.Milliseconds())
		require.NoError(t, d.presence.Renew(t.Context(), lease))
		_, err := d.presence.Arrive(t.Context(), anna)
		require.NoError(t, err)
		d.look()
		require.Equal(t, boris, d.offered(first), "the time is over")
		require.Equal(t, anna, d.offered(second))
		require.NoError(t, lease.End(t.Context()))
		d.look()
		require.Zero(t, d.offered(first), "all were asked, and one is gone")
		require.NoError(t, d.Chats.Claim(t.Context(), site, second.ID, anna))
		d.look()
		require.Zero(t, d.offered(second))
	})
}

// Nobody closes what nobody has answered. However many wait for others, one that can be offered is.
func TestOffersGoPastAbandonedConversations(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		boris, _ := d.arrives("boris")
		nobody := d.groupOf(group.LeastBusy, boris)
		require.NoError(t, d.operators.SetAway(t.Context(), boris, true))
		froms := make([]chat.From, 520)
		for i := range froms {
			froms[i] = d.Visitor()
			froms[i].GroupID = []int64{0, nobody}[i%2]
		}
		var asking errgroup.Group
		asking.SetLimit(16)
		for _, from := range froms {
			asking.Go(func() error {
				_, _, err := d.Chats.SayFrom(t.Context(), from, chat.Message{Text: "Hello"})
				return err
			})
		}
		require.NoError(t, asking.Wait())
		d.Clock.Add(1000)
		from := d.Visitor()
		from.GroupID = d.groupOf(group.RoundRobin, anna)
		late, _ := d.Asks(from, "Is anybody there?")
		d.look()
		require.Equal(t, anna, d.offered(late))
	})
}

// Many that wait for one group are all offered, in their order.
func TestOffersOfMany(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		group := d.groupOf(group.RoundRobin, anna)
		var last chat.Conversation
		for range 503 {
			from := d.Visitor()
			from.GroupID = group
			last, _ = d.Asks(from, "Hello")
		}
		d.look()
		require.Equal(t, anna, d.offered(last))
	})
}

func TestOffersGoToTheLeastBusy(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		boris, _ := d.arrives("boris")
		group := d.groupOf(group.LeastBusy, anna, boris)
		for range 2 {
			busy, _ := d.Asks(d.Visitor(), "Hello")
			require.NoError(t, d.Chats.Claim(t.Context(), site, busy.ID, anna))
		}
		from := d.Visitor()
		from.GroupID = group
		c, _ := d.Asks(from, "Hello")
		d.look()
		require.Equal(t, boris, d.offered(c))
	})
}

func TestConversationOfWhoIsGoneWaitsAgain(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, lease := d.arrives("anna")
		from := d.Visitor()
		c, _ := d.Asks(from, "Hello")
		d.Answers(c, anna, "Good day")
		require.NoError(t, d.operators.SetAway(t.Context(), anna, true))
		d.Asks(from, "One more thing")
		d.look()
		require.Equal(t, anna, d.Get(c).OperatorID, "who is away, and still there for those who know")
		d.Answers(c, anna, "Yes?")
		require.NoError(t, lease.End(t.Context()))
		d.look()
		require.Equal(t, anna, d.Get(c).OperatorID, "nobody waits")
		d.Asks(from, "Are you there?")
		d.look()
		require.Equal(t, anna, d.Get(c).OperatorID, "who may come back at once")
		lease, err := d.presence.Arrive(t.Context(), anna)
		require.NoError(t, err)
		d.look()
		require.NoError(t, lease.End(t.Context()))
		d.Clock.Add(dispatch.GoneTime.Milliseconds())
		d.look()
		require.Equal(t, anna, d.Get(c).OperatorID, "who was there in between has the time again")
		d.Clock.Add(dispatch.GoneTime.Milliseconds())
		d.look()
		now := d.Get(c)
		require.Equal(t, chat.Waiting, now.State)
		require.Zero(t, now.OperatorID)
		require.False(t, now.WaitingSince.IsZero())
		require.Equal(t, "6 note returned", d.Texts(c, 5)[0])
	})
}

// Nobody is there: all of the group hear of it, once, and whoever comes is asked before the others.
func TestOffersWaitForSomebody(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, lease := d.arrives("anna")
		boris, _ := d.arrives("boris")
		require.NoError(t, d.operators.SetAway(t.Context(), boris, true))
		from := d.Visitor()
		from.GroupID = d.groupOf(group.RoundRobin, anna, boris)
		c, _ := d.Asks(from, "Hello")
		require.NoError(t, lease.End(t.Context()))
		require.Zero(t, d.offer(c))
		for range 2 {
			d.look()
			require.Equal(t, chat.Offer{Until: chat.Announced}, d.offer(c))
		}
		offered := slices.DeleteFunc(journaltest.Entries(t, d.DB), func(e journal.Entry) bool {
			return e.Kind != chat.Changed || !strings.Contains(string(e.Data), chat.Offered)
		})
		require.Len(t, offered, 1)
		require.NoError(t, d.operators.SetAway(t.Context(), boris, false))
		d.look()
		require.Equal(t, boris, d.offered(c))
	})
}

// Whoever was asked in vain is asked again when a visitor comes back, who was answered or sent away meanwhile.
func TestOffersBeginAnew(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		from := d.Visitor()
		from.GroupID = d.groupOf(group.RoundRobin, anna)
		c, _ := d.Asks(from, "Hello")
		for range 2 {
			d.look()
			require.Equal(t, anna, d.offered(c))
			d.Clock.Add(dispatch.OfferTime.Milliseconds())
			_, err := d.presence.Arrive(t.Context(), anna)
			require.NoError(t, err)
			d.look()
			require.Equal(t, chat.Offer{Until: chat.ForGood}, d.offer(c), "all were asked")
			d.Answers(c, anna, "Good day")
			require.Zero(t, d.offer(c), "it is hers")
			require.NoError(t, d.Chats.Close(t.Context(), site, c.ID, anna))
			d.Asks(from, "Once more")
			require.Zero(t, d.offer(c))
		}
	})
}

// Who puts a conversation back, or hands it to the group, is asked last.
func TestOffersGoPastWhoGivesAway(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		boris, lease := d.arrives("boris")
		busy, _ := d.Asks(d.Visitor(), "Hello")
		require.NoError(t, d.Chats.Claim(t.Context(), site, busy.ID, boris))
		from := d.Visitor()
		from.GroupID = d.groupOf(group.LeastBusy, anna, boris)
		c, _ := d.Asks(from, "Hello")
		give := []func() error{
			func() error { return d.Chats.Return(t.Context(), site, c.ID, anna, anna) },
			func() error {
				return d.Chats.HandOver(t.Context(), site, c.ID, anna, chat.Target{GroupID: from.GroupID})
			},
		}
		for _, give := range give {
			require.NoError(t, d.Chats.Claim(t.Context(), site, c.ID, anna))
			d.look()
			require.NoError(t, give())
			d.look()
			require.Equal(t, boris, d.offered(c), "the other has more to do")
		}
		require.NoError(t, lease.End(t.Context()))
		d.look()
		require.Equal(t, chat.Offer{Until: chat.ForGood}, d.offer(c), "nobody else is there: it is everybody's")
	})
}
