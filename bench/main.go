// Command bench measures Frontdesk beside what it is compared with, in one run
// on one machine, and prints ratios:
//
//	go run ./bench            # everything
//	go run ./bench pages      # weaving pages, beside plain Caddy and nginx
//	go run ./bench hits       # hits acknowledged, on SQLite and PostgreSQL
//
// What docs/benchmarks.md says of the figures comes from here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 7, "how many times each side is measured, in turns")
	slice := flag.Duration("slice", 1500*time.Millisecond, "how long one measurement of one side lasts")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, *rounds, *slice, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, slice time.Duration, only []string) error {
	folder, err := os.MkdirTemp("", "frontdesk-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o755); err != nil { // nginx's workers and PostgreSQL run as other users
		return err
	}
	caddy := filepath.Join(folder, "caddy")
	build := exec.CommandContext(ctx, "go", "build", "-o", caddy, "./cmd/caddy")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building ./cmd/caddy (run from the repository's root): %w", err)
	}
	parts := map[string]func(context.Context) error{
		"pages": func(ctx context.Context) error { return pages(ctx, folder, caddy, rounds, slice) },
		"hits":  func(ctx context.Context) error { return hits(ctx, folder, caddy, 6*slice) },
	}
	if len(only) == 0 {
		only = []string{"pages", "hits"}
	}
	for _, name := range only {
		part := parts[name]
		if part == nil {
			return fmt.Errorf("unknown part %q: expected pages or hits", name)
		}
		if err := part(ctx); err != nil {
			return fmt.Errorf("measuring %s: %w", name, err)
		}
	}
	return nil
}
