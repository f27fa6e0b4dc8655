package main

import (
	"context"
	"fmt"
	"os"
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
	disk := filepath.Join(folder, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		return err
	}
	file := filepath.Join(disk, "frontdesk.db")
	fmt.Printf("%d forms that wait for the database\n%-12s %18s %18s %16s %14s %14s\n", spooledForms, "", "page after start", "form after start", "stored a second", "µs of CPU", "and PostgreSQL")
	for _, of := range []struct {
		name, option, driver, source string
		away                         fault
		beside                       func() (time.Duration, error) // what the database's own processes have spent
	}{
		{"SQLite", "sqlite " + file, "sqlite", "file:" + file, faultOf(sqliteFaults(disk, file), "database locked"), func() (time.Duration, error) { return 0, nil }},
		{"PostgreSQL", `postgres "` + postgres.Source() + `"`, "pgx", postgres.Source(), faultOf(postgresFaults(disk, postgres), "database stopped"), func() (time.Duration, error) { return cpuOf(postgres.PID()) }},
	} {
		l := &losing{caddy: caddy, disk: disk, driver: of.driver, source: of.source}
		if err := l.spool(ctx, folder, of.option, of.away, of.beside, of.name); err != nil {
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

func (l *losing) spool(ctx context.Context, folder, database string, away fault, beside func() (time.Duration, error), name string) error {
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
	before, err := l.process.cpu()
	if err != nil {
		return err
	}
	began = time.Now()
	if err := away.end(); err != nil {
		return err
	}
	if err := l.settle(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	after, err := l.process.cpu()
	if err != nil {
		return err
	}
	aside, err := beside()
	if err != nil {
		return err
	}
	forEach := func(spent time.Duration) float64 { return float64(spent.Microseconds()) / spooledForms }
	fmt.Printf("%-12s %18v %18v %16.0f %14.0f %14.0f\n", name, page.Round(time.Millisecond), form.Round(time.Millisecond), spooledForms/took.Seconds(), forEach(after-before), forEach(aside))
	l.process.stop()
	return l.count(ctx)
}
