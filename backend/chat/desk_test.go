package chat_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// desk is a shop with operators.
type desk struct {
	*shop
	operators *operator.Operators
	groups    *group.Groups
	presence  *presence.Presence
	desk      *chat.Desk
}

func eachDesk(t *testing.T, test func(t *testing.T, d *desk)) {
	each(t, func(t *testing.T, s *shop) {
		o := operator.New(s.db, s.now)
		groups := group.New(s.db, s.now)
		there := presence.New(s.db, o, groups, s.now)
		test(t, &desk{s, o, groups, there, chat.NewDesk(s.chats, there, zaptest.NewLogger(t))})
	})
}

// arrives makes an operator who has the console open.
func (d *desk) arrives(login string) (int64, *presence.Lease) {
	d.t.Helper()
	made, err := d.operators.Create(d.t.Context(), operator.Server(), operator.Account{Login: login, Password: "correct horse battery", Role: operator.Agent, Sites: scope.Of(site)})
	require.NoError(d.t, err)
	lease, err := d.presence.Arrive(d.t.Context(), made.ID)
	require.NoError(d.t, err)
	return made.ID, lease
}

func (d *desk) groupOf(routing group.Routing, members ...int64) int64 {
	d.t.Helper()
	g, err := d.groups.Keep(d.t.Context(), operator.Server(), group.Group{SiteID: site, Name: string(routing), Routing: routing, Members: members})
	require.NoError(d.t, err)
	return g.ID
}

func (d *desk) look() {
	d.t.Helper()
	d.clock.Add(1100) // who is there is remembered for a second
	require.NoError(d.t, d.desk.Look(d.t.Context()))
}

func (d *desk) offered(of chat.Conversation) int64 {
	d.t.Helper()
	if o := d.offer(of); o != nil {
		return o.OperatorID
	}
	return 0
}

// offer is nil for none.
func (d *desk) offer(of chat.Conversation) *chat.Offer {
	d.t.Helper()
	offers, err := d.chats.Offers(d.t.Context(), []chat.Conversation{d.get(of)})
	require.NoError(d.t, err)
	return offers[of.Key()]
}

func TestOffersGoAround(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		boris, lease := d.arrives("boris")
		from := d.visitor()
		from.GroupID = d.groupOf(group.RoundRobin, anna, boris)
		first, _ := d.asks(from, "Hello")
		d.look()
		require.Equal(t, anna, d.offered(first))
		d.look()
		require.Equal(t, anna, d.offered(first), "there is time to take it")

		from2 := d.visitor()
		from2.GroupID = from.GroupID
		second, _ := d.asks(from2, "Hello, too")
		d.look()
		require.Equal(t, boris, d.offered(second))

		d.clock.Add(chat.OfferTime.Milliseconds())
		require.NoError(t, d.presence.Renew(t.Context(), lease))
		_, err := d.presence.Arrive(t.Context(), anna)
		require.NoError(t, err)
		d.look()
		require.Equal(t, boris, d.offered(first), "the time is over")
		require.Equal(t, anna, d.offered(second))
		require.NoError(t, lease.End(t.Context()))
		d.look()
		require.Zero(t, d.offered(first), "all were asked, and one is gone")
		require.NoError(t, d.chats.Claim(t.Context(), site, second.ID, anna))
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
			froms[i] = d.visitor()
			froms[i].GroupID = []int64{0, nobody}[i%2]
		}
		var asking sync.WaitGroup
		for _, from := range froms {
			asking.Go(func() {
				_, _, err := d.chats.SayFrom(t.Context(), from, chat.Message{Text: "Hello"})
				require.NoError(t, err)
			})
		}
		asking.Wait()
		d.clock.Add(1000)
		from := d.visitor()
		from.GroupID = d.groupOf(group.RoundRobin, anna)
		late, _ := d.asks(from, "Is anybody there?")
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
			from := d.visitor()
			from.GroupID = group
			last, _ = d.asks(from, "Hello")
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
			busy, _ := d.asks(d.visitor(), "Hello")
			require.NoError(t, d.chats.Claim(t.Context(), site, busy.ID, anna))
		}
		from := d.visitor()
		from.GroupID = group
		c, _ := d.asks(from, "Hello")
		d.look()
		require.Equal(t, boris, d.offered(c))
	})
}

func TestConversationOfWhoIsGoneWaitsAgain(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, lease := d.arrives("anna")
		from := d.visitor()
		c, _ := d.asks(from, "Hello")
		d.answers(c, anna, "Good day")
		require.NoError(t, d.operators.SetAway(t.Context(), anna, true))
		d.asks(from, "One more thing")
		d.look()
		require.Equal(t, anna, d.get(c).OperatorID, "who is away, and still there for those who know")
		d.answers(c, anna, "Yes?")
		require.NoError(t, lease.End(t.Context()))
		d.look()
		require.Equal(t, anna, d.get(c).OperatorID, "nobody waits")
		d.asks(from, "Are you there?")
		d.look()
		require.Equal(t, anna, d.get(c).OperatorID, "who may come back at once")
		lease, err := d.presence.Arrive(t.Context(), anna)
		require.NoError(t, err)
		d.look()
		require.NoError(t, lease.End(t.Context()))
		d.clock.Add(chat.GoneTime.Milliseconds())
		d.look()
		require.Equal(t, anna, d.get(c).OperatorID, "who was there in between has the time again")
		d.clock.Add(chat.GoneTime.Milliseconds())
		d.look()
		now := d.get(c)
		require.Equal(t, chat.Waiting, now.State)
		require.Zero(t, now.OperatorID)
		require.False(t, now.WaitingSince.IsZero())
		require.Equal(t, "6 note returned", d.texts(c, 5)[0])
	})
}

// Nobody is there: all of the group hear of it, once, and whoever comes is asked before the others.
func TestOffersWaitForSomebody(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, lease := d.arrives("anna")
		boris, _ := d.arrives("boris")
		require.NoError(t, d.operators.SetAway(t.Context(), boris, true))
		from := d.visitor()
		from.GroupID = d.groupOf(group.RoundRobin, anna, boris)
		c, _ := d.asks(from, "Hello")
		require.NoError(t, lease.End(t.Context()))
		require.Nil(t, d.offer(c))
		for range 2 {
			d.look()
			require.Equal(t, &chat.Offer{}, d.offer(c))
		}
		entries, err := journal.New(d.db).After(t.Context(), journal.Position{}, 100)
		require.NoError(t, err)
		offered := slices.DeleteFunc(entries, func(e journal.Entry) bool {
			return e.Kind != chat.Changed || !strings.Contains(string(e.Data), chat.Offered)
		})
		require.Len(t, offered, 1)
		require.NoError(t, d.operators.SetAway(t.Context(), boris, false))
		d.look()
		require.Equal(t, boris, d.offered(c))
	})
}

// Who puts a conversation back, or hands it to the group, is asked last.
func TestOffersGoPastWhoGivesAway(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		anna, _ := d.arrives("anna")
		boris, lease := d.arrives("boris")
		busy, _ := d.asks(d.visitor(), "Hello")
		require.NoError(t, d.chats.Claim(t.Context(), site, busy.ID, boris))
		from := d.visitor()
		from.GroupID = d.groupOf(group.LeastBusy, anna, boris)
		c, _ := d.asks(from, "Hello")
		give := []func() error{
			func() error { return d.chats.Return(t.Context(), site, c.ID, anna) },
			func() error {
				return d.chats.HandOver(t.Context(), site, c.ID, anna, chat.Target{GroupID: from.GroupID})
			},
		}
		for _, give := range give {
			require.NoError(t, d.chats.Claim(t.Context(), site, c.ID, anna))
			d.look()
			require.NoError(t, give())
			d.look()
			require.Equal(t, boris, d.offered(c), "the other has more to do")
		}
		require.NoError(t, lease.End(t.Context()))
		d.look()
		require.Equal(t, &chat.Offer{}, d.offer(c), "nobody else is there: it is everybody's")
	})
}

func TestHandOver(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		c, _ := s.asks(s.visitor(), "Hello")
		require.NoError(t, s.chats.Claim(t.Context(), site, c.ID, 3))
		require.ErrorIs(t, s.chats.HandOver(t.Context(), site, c.ID, 4, chat.Target{OperatorID: 4}), chat.ErrTaken)
		require.ErrorIs(t, s.chats.Return(t.Context(), site, c.ID, 4), chat.ErrTaken)
		require.ErrorIs(t, s.chats.HandOver(t.Context(), site+1, c.ID, 3, chat.Target{OperatorID: 4}), chat.ErrUnknown)
		require.NoError(t, s.chats.HandOver(t.Context(), site, c.ID, 3, chat.Target{OperatorID: 4, Label: "Boris"}))
		require.EqualValues(t, 4, s.get(c).OperatorID)
		require.NoError(t, s.chats.HandOver(t.Context(), site, c.ID, 4, chat.Target{GroupID: 9, Label: "Sales"}))
		now := s.get(c)
		require.Equal(t, chat.Waiting, now.State)
		require.EqualValues(t, 9, now.GroupID)
		require.Equal(t, []string{"2 note Boris" + chat.CodeHanded, "3 note Sales" + chat.CodeHanded}, s.texts(c, 1))
		require.NoError(t, s.chats.Claim(t.Context(), site, c.ID, 5))
		require.NoError(t, s.chats.ReturnFrom(t.Context(), site, c.ID, 4))
		require.EqualValues(t, 5, s.get(c).OperatorID, "another has it by now")
		require.NoError(t, s.chats.Return(t.Context(), site, c.ID, 5))
		require.Equal(t, chat.Waiting, s.get(c).State)
	})
}

func TestBannedVisitorsDoNotWrite(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		from := s.visitor()
		c, _ := s.asks(from, "Buy pills")
		require.NoError(t, s.chats.Ban(t.Context(), site, c.ID, 3, true))
		require.Equal(t, chat.Closed, s.get(c).State)
		require.True(t, s.get(c).WaitingSince.IsZero())
		_, _, err := s.chats.SayFrom(t.Context(), from, chat.Message{Text: "Pills"})
		require.ErrorIs(t, err, chat.ErrBanned)
		require.NoError(t, s.chats.Ban(t.Context(), site, c.ID, 3, false))
		s.asks(from, "Sorry")
		require.Equal(t, chat.Waiting, s.get(c).State)
	})
}

// Of many who claim a conversation at once, one gets it.
func TestOneOfManyClaims(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		c, _ := s.asks(s.visitor(), "Hello")
		var wait sync.WaitGroup
		got := make([]bool, 16)
		for i := range got {
			wait.Go(func() { got[i] = s.chats.Claim(t.Context(), site, c.ID, int64(i+1)) == nil })
		}
		wait.Wait()
		won := slices.Index(got, true)
		require.GreaterOrEqual(t, won, 0)
		require.Equal(t, -1, slices.Index(got[won+1:], true))
		require.EqualValues(t, won+1, s.get(c).OperatorID)
	})
}

// An id stands for a message of its author's. Another's does not come back by it.
func TestIDsOfOthers(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		from := s.visitor()
		c, _ := s.asks(from, "Hello")
		note := chat.Message{Author: chat.Note, OperatorID: 3, ClientID: "an-id-of-somebody", Text: "secret"}
		stored, err := s.chats.Say(t.Context(), site, c.ID, note)
		require.NoError(t, err)
		again, err := s.chats.Say(t.Context(), site, c.ID, note)
		require.NoError(t, err)
		require.Equal(t, stored.Seq, again.Seq)
		_, got, err := s.chats.SayFrom(t.Context(), from, chat.Message{ClientID: note.ClientID, Text: "What did you note?"})
		require.ErrorAs(t, err, new(chat.Invalid))
		require.Empty(t, got.Text)
		note.OperatorID = 4
		_, err = s.chats.Say(t.Context(), site, c.ID, note)
		require.ErrorAs(t, err, new(chat.Invalid))
		for _, id := range []string{"with\x00nul-and-more", "\xff\xfe-not-text-at-all"} {
			_, err = s.chats.Say(t.Context(), site, c.ID, chat.Message{Author: chat.Operator, OperatorID: 3, ClientID: id, Text: "x"})
			require.ErrorAs(t, err, new(chat.Invalid))
		}
		require.EqualValues(t, 2, s.get(c).Seq)
	})
}

func TestReplies(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ctx := t.Context()
		require.NoError(t, s.chats.KeepReply(ctx, chat.Reply{SiteID: site, Word: "Hello", Place: 1, Text: "Good day. How can we help?"}))
		list, err := s.chats.Replies(ctx, site)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "hello", list[0].Word)
		for wrong, r := range map[error]chat.Reply{
			chat.ErrReplyWord: {Word: "hello", Text: "x"}, chat.ErrReplyText: {Word: "b", Text: " "}, chat.ErrReplyPlace: {Word: "c", Place: 1, Text: "x"}, chat.ErrReply: {ID: 99, Word: "d", Text: "x"},
		} {
			r.SiteID = site
			require.ErrorIs(t, s.chats.KeepReply(ctx, r), wrong)
		}
		require.ErrorIs(t, s.chats.RemoveReply(ctx, site+1, list[0].ID), chat.ErrReply)
		require.NoError(t, s.chats.RemoveReply(ctx, site, list[0].ID))
	})
}
