package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// size measures how much disk the page views take, and how much memory the program has while they come.
func size(ctx context.Context, folder, caddy string, duration time.Duration) error {
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	fmt.Printf("What page views take, %v on each database, a visitor for each four\n", duration)
	fmt.Printf("%-10s %10s %16s %12s %12s\n", "database", "hits", "bytes for a hit", "idle, MB", "with load, MB")
	file, source := filepath.Join(folder, "size.db"), postgres.Source()
	for _, database := range []string{"sqlite " + file, `postgres "` + source + `"`} {
		stored := func() (int64, error) { return postgresSize(ctx, source) }
		if strings.HasPrefix(database, "sqlite") {
			stored = func() (int64, error) { return filesSize(file, file+"-wal") }
		}
		if err := sizeOn(ctx, folder, caddy, database, stored, duration); err != nil {
			return fmt.Errorf("%s: %w", database, err)
		}
	}
	return nil
}

func sizeOn(ctx context.Context, folder, caddy, database string, stored func() (int64, error), duration time.Duration) error {
	p, address, err := startOnDatabase(ctx, folder, caddy, database)
	if err != nil {
		return err
	}
	defer p.stop()
	idle, err := p.resident()
	if err != nil {
		return err
	}
	clients := make([]client, 32)
	for i := range clients {
		clients[i] = newVisitorEvery(4, i, address)
	}
	if _, err := drive(ctx, address, clients, duration/4); err != nil { // what a database takes at first is not counted
		return err
	}
	before, err := stored()
	if err != nil {
		return err
	}
	l, err := drive(ctx, address, clients, duration)
	if err != nil {
		return err
	}
	loaded, err := p.resident()
	if err != nil {
		return err
	}
	after, err := stored()
	if err != nil {
		return err
	}
	engine, _, _ := strings.Cut(database, " ")
	fmt.Printf("%-10s %10d %16.0f %12.0f %12.0f\n", engine, l.requests, float64(after-before)/float64(l.requests), mega(idle), mega(loaded))
	return nil
}

func filesSize(names ...string) (total int64, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, nil
}

func postgresSize(ctx context.Context, source string) (bytes int64, err error) {
	database, err := sql.Open("pgx", source)
	if err != nil {
		return 0, err
	}
	defer database.Close()
	err = database.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&bytes)
	return bytes, err
}
