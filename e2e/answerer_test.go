package e2e

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// seeChat gives the tests the closed shadow root of the panels, which stays closed.
const seeChat = `{
	const attach = Element.prototype.attachShadow;
	Element.prototype.attachShadow = function (options) {
		const root = attach.call(this, options);
		if (options.mode === "closed") Object.defineProperty(window, "chatRoot", {value: root, configurable: true});
		return root;
	};
}`

// spoken are the texts of the conversation that the page shows, in order.
const spoken = `Array.from(window.chatRoot ? chatRoot.querySelectorAll(".log .line > .msg:has(time) > p") : [], (p) => p.innerText)`

// chatOpen tells that the chat is shown and can be written in.
const chatOpen = `window.chatRoot && chatRoot.querySelector(".writing textarea") && !chatRoot.querySelector(".chat").hidden && !chatRoot.querySelector(".panel").hidden`

// runChat runs the example with panels that its pages show by themselves, as the lines say if there are any.
func runChat(t *testing.T, database string, lines ...string) *program {
	t.Helper()
	config := example(t)
	const before = "\t\tvariant A\n"
	require.Contains(t, config, before)
	return runProgram(t, strings.Replace(config, before, before+cmp.Or(strings.Join(lines, ""), "\t\twidget\n"), 1), database)
}

// runAnswered is runChat on a database of its own, with somebody who answers.
func runAnswered(t *testing.T, lines ...string) (*program, *answerer) {
	t.Helper()
	_, settings, database := postgres(t)
	p := runChat(t, database, lines...)
	return p, p.answers(t, settings)
}

// answerer is an operator who works on the database itself, as a console of another node does.
type answerer struct {
	t      *testing.T
	db     *db.DB
	chats  *chat.Chats
	groups *group.Groups
	site   int64
	id     int64
	lease  *presence.Lease
}

// answers begins to be there for the shop.
func (p *program) answers(t *testing.T, settings db.Settings) *answerer {
	t.Helper()
	d, err := db.Open(context.Background(), settings, zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	visits := visittest.Open(t, d, time.Now)
	operators := operator.New(d, time.Now)
	o, err := operators.Create(t.Context(), operator.Server(), operator.Account{Login: "ann", Name: "Ann", Password: "correct horse battery", Role: operator.Agent, Sites: scope.All()})
	require.NoError(t, err)
	groups := group.New(d, time.Now)
	there := presence.New(d, operators, groups, time.Now)
	lease, err := there.Arrive(t.Context(), o.ID)
	require.NoError(t, err)
	site, found, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT id FROM sites WHERE key = 'demo-shop'`)
	require.NoError(t, err)
	require.True(t, found)
	ctx, cancel := context.WithCancel(context.Background())
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(presence.Heartbeat):
				_ = there.Renew(ctx, lease)
			}
		}
	})
	t.Cleanup(func() { cancel(); renewing.Wait() })
	return &answerer{t: t, db: d, chats: chat.New(chat.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts, Cards: visits.Cards}, time.Now), groups: groups, site: site, id: o.ID, lease: lease}
}

// conversation is the only one there is.
func (a *answerer) conversation() chat.Conversation {
	a.t.Helper()
	all, err := a.chats.List(a.t.Context(), scope.All(), chat.Filter{}, chat.Cursor{}, 10)
	require.NoError(a.t, err)
	require.Len(a.t, all, 1)
	return all[0]
}

func (a *answerer) says(text string) {
	a.t.Helper()
	_, err := a.chats.Say(a.t.Context(), a.site, a.conversation().ID, chat.Message{Author: chat.Operator, OperatorID: a.id, Text: text})
	require.NoError(a.t, err)
}

// hears waits until the conversation has so many entries, and returns those of the visitor.
func (a *answerer) hears(entries int64) (texts []string) {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		all, err := a.chats.List(context.Background(), scope.All(), chat.Filter{}, chat.Cursor{}, 1)
		return err == nil && len(all) == 1 && all[0].Seq >= entries
	}, time.Minute, 20*time.Millisecond)
	messages, err := a.chats.Messages(a.t.Context(), a.site, a.conversation().ID, 0, 1000)
	require.NoError(a.t, err)
	for _, m := range messages {
		if m.Author == chat.Visitor {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// opensChat opens the chat at the address, when it is known that somebody is there.
func (b *tab) opensChat(address string) {
	b.t.Helper()
	b.before(seeChat)
	b.visit(address)
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
}

// closesChat closes the panel, which would else be open on the next page.
func (b *tab) closesChat() {
	b.t.Helper()
	b.do(`chatRoot.querySelector(".panel .head .sign").click()`)
	b.until(`chatRoot.querySelector(".panel").hidden`)
}

// says writes in the chat and sends by the keyboard.
func (b *tab) says(text string) {
	b.t.Helper()
	b.do(`const field = chatRoot.querySelector(".writing textarea"); field.focus(); field.value = ` + fmt.Sprintf("%q", text) + `;
		field.dispatchEvent(new Event("input"));
		field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));`)
}

// shows waits until the page shows these texts, each once, in order.
func (b *tab) shows(texts ...string) {
	b.t.Helper()
	b.until(`JSON.stringify(` + spoken + `) === ` + fmt.Sprintf("%q", jsonOf(texts)))
}

func jsonOf(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = `"` + text + `"`
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

// postgres starts a server of the test's own.
func postgres(t *testing.T) (server *dbtest.Server, settings db.Settings, directive string) {
	t.Helper()
	server = dbtest.OwnServer(t)
	return server, db.Settings{Engine: db.Postgres, Source: server.Source()}, `postgres "` + server.Source() + `"`
}
