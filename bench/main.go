// Command bench measures Frontdesk beside what it is compared with, in one run
// on one machine, and prints ratios:
//
//	go run ./bench            # everything
//	go run ./bench rewrite    # looking through pages in memory, beside other rewriters
//	go run ./bench pages      # pages on their way, beside plain Caddy and nginx
//	go run ./bench hits       # hits acknowledged, on SQLite and PostgreSQL
//	go run ./bench signin     # signing in while strangers guess at the login; not among everything
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
	"strings"
	"sync"
	"time"
)

// options are what the command line says.
type options struct {
	rounds  int
	slice   time.Duration
	sizes   string
	bun     string
	numbers bool
	parts   []string
}

func parse() options {
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "how many times each side is measured, in turns")
	flag.DurationVar(&o.slice, "slice", 1500*time.Millisecond, "how long one measurement of one side lasts; rewrite takes thrice the rounds of a thirtieth")
	flag.StringVar(&o.sizes, "size", "10KB,100KB,1MB,10MB", "pages that rewrite copies")
	flag.StringVar(&o.bun, "bun", "bun", "Bun's program, for lol-html")
	flag.BoolVar(&o.numbers, "numbers", false, "measure pages with three numbers replaced, too")
	flag.Parse()
	for flag.NArg() > 0 { // flags may stand behind a part's name too
		o.parts = append(o.parts, flag.Arg(0))
		flag.CommandLine.Parse(flag.Args()[1:]) // ends the program when it fails
	}
	return o
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, parse()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	folder, err := os.MkdirTemp("", "frontdesk-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o755); err != nil { // nginx's workers and PostgreSQL run as other users
		return err
	}
	caddy := sync.OnceValues(func() (string, error) { return buildCaddy(ctx, folder) })
	parts := map[string]func() error{
		"rewrite": func() error {
			// Of many short turns some are undisturbed on any machine.
			return rewrite(ctx, folder, o.bun, strings.Split(o.sizes, ","), 3*o.rounds, o.slice/30)
		},
		"pages": func() error {
			program, err := caddy()
			if err != nil {
				return err
			}
			return pages(ctx, folder, program, o.numbers, o.rounds, o.slice)
		},
		"hits": func() error {
			program, err := caddy()
			if err != nil {
				return err
			}
			return hits(ctx, folder, program, 6*o.slice)
		},
		"signin": func() error {
			program, err := caddy()
			if err != nil {
				return err
			}
			return signin(ctx, folder, program, 20*o.slice)
		},
	}
	if len(o.parts) == 0 {
		o.parts = []string{"rewrite", "pages", "hits"}
	}
	for _, name := range o.parts {
		part := parts[name]
		if part == nil {
			return fmt.Errorf("unknown part %q: expected rewrite, pages, hits or signin", name)
		}
		if err := part(); err != nil {
			return fmt.Errorf("measuring %s: %w", name, err)
		}
	}
	return nil
}

func buildCaddy(ctx context.Context, folder string) (string, error) {
	caddy := filepath.Join(folder, "caddy")
	build := exec.CommandContext(ctx, "go", "build", "-o", caddy, "./cmd/caddy")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building ./cmd/caddy (run from the repository's root): %w", err)
	}
	return caddy, nil
}
