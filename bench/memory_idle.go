package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// seenPages are the console's, as somebody looks through them.
var seenPages = []string{"/overview", "/visitors", "/inquiries", "/leads", "/chats", "/calls", "/callbacks", "/reports", "/numbers", "/sites", "/sites/1", "/sites/1/widget", "/operators", "/help", "/account"}

// memoryAtRest measures what the demo shop holds when nobody is there: fresh, right after an operator has seen all pages of the console, and
// three minutes later. Caddy alone is in front of the same shop.
func memoryAtRest(ctx context.Context, folder, caddy string) error {
	demo, err := os.ReadFile("Caddyfile.example")
	if err != nil {
		return fmt.Errorf("the demo is measured at the root of the repository: %w", err)
	}
	plain, err := build(ctx, filepath.Join(folder, "plain"), ".", "github.com/caddyserver/caddy/v2/cmd/caddy")
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "rest.db")
	if err := addOperators(ctx, db.Settings{Engine: db.SQLite, Source: file}, 1, operator.Admin); err != nil {
		return err
	}
	shop, err := os.ReadFile("examples/shop/Caddyfile")
	if err != nil {
		return err
	}
	origin := "http://:8081 {" + strings.SplitN(string(shop), ":8081 {", 2)[1]
	text := strings.NewReplacer("{\n\tfrontdesk {", "{\n\tadmin off\n\tfrontdesk {\n\t\tdatabase sqlite "+file, "import examples/shop/Caddyfile", origin).Replace(string(demo))
	alone := "{\n\tadmin off\n}\nhttp://localhost:8080 {\n\tencode\n\treverse_proxy localhost:8081\n}\n" + origin
	var addresses []string
	for _, port := range []string{":8080", ":8081", ":8090"} {
		address, err := freeAddress()
		if err != nil {
			return err
		}
		_, free, _ := strings.Cut(address, ":")
		addresses = append(addresses, "localhost:"+free)
		text, alone = strings.ReplaceAll(text, port, ":"+free), strings.ReplaceAll(alone, port, ":"+free)
	}
	fmt.Printf("Resident memory of the demo shop, MB\n%-14s %8s %14s %20s\n", "", "fresh", "just used", "three minutes later")
	for _, side := range []struct{ name, program, config string }{
		{"Caddy alone", plain, alone},
		{"with Frontdesk", caddy, text},
	} {
		p, err := startCaddy(ctx, side.program, filepath.Join(folder, "rest.conf"), side.config, "http://"+addresses[0]+"/")
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		sizes, err := p.usedAndLeft(ctx, addresses, side.program == caddy)
		p.stop()
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		fmt.Printf("%-14s %8.0f %14.0f %20.0f\n", side.name, mega(sizes[0]), mega(sizes[1]), mega(sizes[2]))
	}
	return nil
}

// usedAndLeft is the memory at the three moments. Addresses are the shop's, its origin's and the console's.
func (p *process) usedAndLeft(ctx context.Context, addresses []string, console bool) (sizes [3]int64, err error) {
	if !pause(ctx, 10*time.Second) {
		return sizes, ctx.Err()
	}
	if sizes[0], err = p.resident(); err != nil {
		return sizes, err
	}
	for range 20 {
		if err := download(ctx, "http://"+addresses[0]+"/?utm_source=news", os.DevNull); err != nil {
			return sizes, err
		}
	}
	if console {
		o := &openConsoles{base: "http://" + addresses[2]}
		client, err := o.signIn(ctx, "agent0")
		if err != nil {
			return sizes, err
		}
		for _, path := range seenPages {
			if _, err := o.get(ctx, client, path); err != nil {
				return sizes, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if sizes[1], err = p.resident(); err != nil {
		return sizes, err
	}
	if !pause(ctx, 3*time.Minute) {
		return sizes, ctx.Err()
	}
	sizes[2], err = p.resident()
	return sizes, err
}
