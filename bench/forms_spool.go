package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// spooledForms is how many forms wait in the spool.
const spooledForms = 20_000

// spooled has forms wait while the database is away, starts the server again with all of them, and measures how soon it answers, and how
// fast it stores them when the database is back.
func spooled(ctx context.Context, folder, caddy string) error {
	postgres, err := dbtest.StartServer(folder)
	if err != nil {
		return err
	}
	defer postgres.Remove()
	file := filepath.Join(folder, "spooled.db")
	fmt.Printf("%d forms that wait for the database\n%-12s %18s %18s %16s\n", spooledForms, "", "page after start", "form after start", "stored a second")
	for _, of := range []struct {
		name, option string
		away         fault
	}{
		{"SQLite", "sqlite " + file, faultOf(sqliteFaults(folder, file), "database locked")},
		{"PostgreSQL", `postgres "` + postgres.Source() + `"`, faultOf(postgresFaults(folder, postgres), "database stopped")},
	} {
		l := &losing{caddy: caddy, disk: folder}
		if err := l.spool(ctx, folder, of.option, of.away, of.name); err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
	}
	return nil
}

func faultOf(all []fault, name string) fault {
	for _, one := range all {
		if one.name == name {
			return one
		}
	}
	panic("no fault is called " + name)
}

func (l *losing) spool(ctx context.Context, folder, database string, away fault, name string) error {
	end, err := l.open(ctx, folder, database)
	if err != nil {
		return err
	}
	defer end()
	if err := away.begin(); err != nil {
		return err
	}
	var sending sync.WaitGroup
	for range lostVisitors {
		sending.Go(func() {
			for id := l.next.Add(1); id <= spooledForms && ctx.Err() == nil; id = l.next.Add(1) {
				l.send(ctx, id)
			}
		})
	}
	sending.Wait()
	began := time.Now()
	if err := l.kill(ctx); err != nil {
		return err
	}
	page := time.Since(began)
	began = time.Now()
	l.send(ctx, spooledForms+1)
	form := time.Since(began)
	if _, answered := l.answers.Load(int64(spooledForms + 1)); !answered {
		return fmt.Errorf("the form after the start was not answered")
	}
	began = time.Now()
	if err := away.end(); err != nil {
		return err
	}
	if err := l.settle(ctx); err != nil {
		return err
	}
	fmt.Printf("%-12s %18v %18v %16.0f\n", name, page.Round(time.Millisecond), form.Round(time.Millisecond), spooledForms/time.Since(began).Seconds())
	return nil
}
