package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api/conversation"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// startVisitors runs Frontdesk with visitors who have the chat open, and an operator whose console is open.
func startVisitors(ctx context.Context, folder, caddy string) (*streamSide, error) {
	file := filepath.Join(folder, "streams.db")
	tokens, err := prepareVisitors(ctx, file)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	console, err := freeAddress()
	if err != nil {
		return nil, err
	}
	config := strings.NewReplacer("ADDRESS", address, "ORIGIN", address).
		Replace(caddyConfig("frontdesk {\n\t\tdatabase sqlite "+file+"\n\t}\n\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n\t}", "frontdesk shop")) +
		"http://" + console + " {\n\tfrontdesk_console\n}\n"
	admin, err := freeAddress()
	if err != nil {
		return nil, err
	}
	config = strings.Replace(config, "admin off", "admin "+admin, 1)
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "streams.conf"), config, "http://"+console+"/sign-in")
	if err != nil {
		return nil, err
	}
	p.admin = admin
	consoles := &openConsoles{base: "http://" + console}
	client, err := consoles.signIn(ctx, "agent")
	if err == nil {
		_, err = consoles.follow(ctx, client)
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	away := func(ctx context.Context, is bool) error {
		return post(ctx, client, "http://"+console+"/account/away", url.Values{"away": {fmt.Sprint(is)}})
	}
	if err := away(ctx, true); err != nil {
		p.stop()
		return nil, err
	}
	return &streamSide{process: p, address: address,
		path:  func(n int) string { return "/frontdesk/v1/chat/stream?a=0&t=" + tokens[n] },
		cause: func(ctx context.Context, n int) error { return away(ctx, n%2 == 1) }}, nil
}

// prepareVisitors makes a database with a site, an operator and visitors, and returns what opens these visitors' streams.
func prepareVisitors(ctx context.Context, file string) (tokens []string, err error) {
	d, err := db.Open(ctx, db.Settings{Engine: db.SQLite, Source: file}, zap.NewNop())
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := operator.New(d, time.Now).Add(ctx, "agent", livePassword, operator.Agent); err != nil {
		return nil, err
	}
	shop, err := site.New(d, time.Now, zap.NewNop()).Provision(ctx, "shop")
	if err != nil {
		return nil, err
	}
	visits, err := visittest.Make(ctx, d, time.Now)
	if err != nil {
		return nil, err
	}
	for n := range openStreams {
		id := visit.ID(n + 1)
		tokens = append(tokens, visits.Keys.Token(shop.ID, visit.Ref{Visitor: id, Visit: id, View: id}, conversation.OpensLine, time.Hour))
	}
	return tokens, nil
}
