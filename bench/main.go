// Command bench measures Frontdesk beside what it is compared with, in one run
// on one machine, and prints ratios:
//
//	go run ./bench            # rewrite, pages and hits
//	go run ./bench rewrite    # looking through pages in memory, beside other rewriters
//	go run ./bench pages      # pages on their way, beside plain Caddy and nginx
//	go run ./bench pages -kinds # pages of each kind, beside plain Caddy
//	go run ./bench arrivals   # the last table of these alone: pages that come with their visits
//	go run ./bench forms      # forms with files, kept and not
//	go run ./bench forms -spool # forms that wait for the database: a start with them, and how fast they are stored
//	go run ./bench lost       # forms sent while the disk and the databases fail and the server is killed; needs root
//	go run ./bench hits       # hits acknowledged, on SQLite and PostgreSQL
//	go run ./bench attack     # hits and leads beside a client whose calls are refused, on a slow disk; needs root. Then beside the worst of one address
//	go run ./bench attack -all # a server of 1 GB of memory under all of that at once, for ten minutes
//	go run ./bench memory     # memory of a thousand pages that nobody reads
//	go run ./bench memory -idle # memory of the demo shop when nobody is there, beside Caddy alone
//	go run ./bench hosting    # start, reload, memory and first pages of a thousand sites in one Caddyfile, and of ten thousand in one block, of which one has a rush
//	go run ./bench size       # disk and memory that page views take
//	go run ./bench inbox      # filters and searches of the console's leads, a million of them
//	go run ./bench reports    # reports of ten million page views
//	go run ./bench console    # how soon the console's pages can be used, with ten leads and with a million of a thousand sites
//	go run ./bench api        # how fast programs are answered, with ten leads and with a million of a thousand sites
//	go run ./bench live       # what PostgreSQL has to do for open consoles
//	go run ./bench streams    # memory and speed of visitors' event streams, beside a bare handler
//	go run ./bench script     # what the browser script takes of a page's main thread, in Chromium
//	go run ./bench script -slow 4 # the same on a processor slowed four times
//	go run ./bench script -tasks # long tasks and slow clicks on pages of ten kinds; -others FOLDER: beside the scripts of others,
//	                          # -before PATH: beside another build
//
// What docs/benchmarks.md says of the figures comes from here.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/console"
	"github.com/seed-3405227d/frontdesk/bench/hosting"
	"github.com/seed-3405227d/frontdesk/bench/lists"
	"github.com/seed-3405227d/frontdesk/bench/programs"
	"github.com/seed-3405227d/frontdesk/bench/rewrite"
	"github.com/seed-3405227d/frontdesk/bench/thread"
)

// options are what the command line says.
type options struct {
	rounds  int
	slice   time.Duration
	sizes   string
	bun     string
	caddy   string
	profile string
	numbers bool
	kinds   bool
	leads   int
	sites   int
	visits  int
	all     bool
	memory  int
	idle    bool
	spool   bool
	lasting time.Duration
	worst   string
	forms   int
	kills   int
	slow    float64
	tasks   bool
	others  string
	before  string
	page    string
	parts   []string
}

func parse() options {
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "how many times each side is measured, in turns")
	flag.DurationVar(&o.slice, "slice", 1500*time.Millisecond, "how long one measurement of one side lasts; rewrite takes thrice the rounds of a thirtieth")
	flag.StringVar(&o.sizes, "size", "10KB,100KB,1MB,10MB", "pages that rewrite copies")
	flag.StringVar(&o.bun, "bun", "bun", "Bun's program, for lol-html")
	flag.StringVar(&o.caddy, "caddy", "", "a Caddy with Frontdesk to be measured instead of this one")
	flag.StringVar(&o.profile, "profile", "", "where hits leaves CPU profiles of the server, a file for each database by its name, and streams a profile of its memory")
	flag.BoolVar(&o.numbers, "numbers", false, "measure pages with three numbers replaced, too")
	flag.BoolVar(&o.kinds, "kinds", false, "measure pages of each kind instead: selectors, frameworks, Cyrillic, small pieces, many sites")
	flag.IntVar(&o.leads, "leads", 1_000_000, "among how many leads inbox looks, and how many the console shows")
	flag.IntVar(&o.sites, "sites", 1000, "of how many sites these leads are in console and api, and how many hosting has in one Caddyfile")
	flag.IntVar(&o.visits, "visits", 1_000_000, "of how many visits reports are")
	flag.BoolVar(&o.all, "all", false, "let attack do everything at once, to a server with little memory")
	flag.IntVar(&o.memory, "memory", 1024, "how many MB of memory attack -all leaves the server")
	flag.BoolVar(&o.idle, "idle", false, "let memory measure the demo shop when nobody is there")
	flag.BoolVar(&o.spool, "spool", false, "let forms measure those that wait for the database")
	flag.DurationVar(&o.lasting, "for", 10*time.Minute, "how long attack -all lasts")
	flag.StringVar(&o.worst, "worst", "", "let attack measure only that of the worst whose name has this in it")
	flag.IntVar(&o.forms, "forms", 100_000, "how many forms lost sends")
	flag.IntVar(&o.kills, "kills", 40, "how often lost kills the server")
	flag.Float64Var(&o.slow, "slow", 1, "how many times slower the processor is on which script opens pages")
	flag.BoolVar(&o.tasks, "tasks", false, "let script watch the tasks and the clicks of pages of ten kinds")
	flag.StringVar(&o.others, "others", "", "a folder with scripts of others that script -tasks watches too: NAME.html for the pages' heads, which loads NAME.js")
	flag.StringVar(&o.before, "before", "", "a Caddy with another Frontdesk that script measures beside this one, in turns")
	flag.StringVar(&o.page, "page", "", "let script -tasks open only the pages whose names have this in them")
	flag.Parse()
	for flag.NArg() > 0 { // flags may stand behind a part's name too
		o.parts = append(o.parts, flag.Arg(0))
		flag.CommandLine.Parse(flag.Args()[1:]) // ends the program when it fails
	}
	return o
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == bareStreams {
		fmt.Fprintln(os.Stderr, "bench:", serveBareStreams(os.Args[2]))
		os.Exit(1)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, parse()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// workplace is the folder in which everything is measured.
func workplace() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "frontdesk-bench-"); err != nil {
		return "", err
	}
	// nginx's workers and PostgreSQL run as other users. What a configuration names no place for is kept in Caddy's folder
	// for data, which is the user's own.
	return folder, errors.Join(os.Chmod(folder, 0o755), os.Setenv("XDG_DATA_HOME", filepath.Join(folder, "data")))
}

func run(ctx context.Context, o options) error {
	folder, err := workplace()
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	caddy := sync.OnceValues(func() (string, error) {
		if o.caddy != "" {
			return o.caddy, nil
		}
		return build(ctx, filepath.Join(folder, "caddy"), ".", "./cmd/caddy")
	})
	with := func(part func(program string) error) func() error {
		return func() error {
			program, err := caddy()
			if err != nil {
				return err
			}
			return part(program)
		}
	}
	parts := map[string]func() error{
		"rewrite": func() error {
			// Of many short turns some are undisturbed on any machine.
			return rewrite.Run(ctx, folder, o.bun, strings.Split(o.sizes, ","), 3*o.rounds, o.slice/30)
		},
		"pages":    with(func(program string) error { return pages(ctx, folder, program, o.numbers, o.kinds, o.rounds, o.slice) }),
		"arrivals": with(func(program string) error { return arrivals(ctx, folder, program, o.rounds, o.slice) }),
		"forms": with(func(program string) error {
			if o.spool {
				return spooled(ctx, folder, program)
			}
			return forms(ctx, folder, program, o.rounds)
		}),
		"lost": with(func(program string) error { return lost(ctx, folder, program, o.forms, o.kills) }),
		"hits": with(func(program string) error { return hits(ctx, folder, program, o.profile, 6*o.slice) }),
		"attack": with(func(program string) error {
			if o.all {
				return attackAll(ctx, folder, program, o.memory, o.lasting)
			}
			return attack(ctx, folder, program, o.worst, o.rounds, o.slice)
		}),
		"memory": with(func(program string) error {
			if o.idle {
				return memoryAtRest(ctx, folder, program)
			}
			return memory(ctx, folder, program)
		}),
		"hosting": with(func(program string) error { return hosting.Run(ctx, folder, hostingTools(ctx, program), o.sites) }),
		"size":    with(func(program string) error { return size(ctx, folder, program, 6*o.slice) }),
		"inbox":   func() error { return lists.Leads(ctx, folder, o.leads, 7*o.rounds) },
		"reports": func() error { return lists.Reports(ctx, folder, o.visits, 3*o.rounds) },
		"console": with(func(program string) error {
			return console.Run(ctx, folder, consoleTools(ctx, folder, program), console.Size{Sites: o.sites, Leads: o.leads}, max(1, o.rounds/2))
		}),
		"api": with(func(program string) error {
			return programs.Run(ctx, folder, consoleTools(ctx, folder, program), console.Size{Sites: o.sites, Leads: o.leads}, o.rounds, o.slice)
		}),
		"live":    with(func(program string) error { return live(ctx, folder, program, 10*o.slice) }),
		"streams": with(func(program string) error { return streams(ctx, folder, program, o.profile, o.rounds) }),
		"script":  with(func(program string) error { return script(ctx, folder, program, o) }),
	}
	if len(o.parts) == 0 {
		o.parts = []string{"rewrite", "pages", "hits"}
	}
	for _, name := range o.parts {
		part := parts[name]
		if part == nil {
			return fmt.Errorf("unknown part %q: expected rewrite, pages, arrivals, forms, lost, hits, attack, memory, hosting, size, inbox, reports, console, api, live, streams or script", name)
		}
		if err := part(); err != nil {
			return fmt.Errorf("measuring %s: %w", name, err)
		}
	}
	return nil
}

// build builds a program of the module in the folder.
func build(ctx context.Context, program, module, source string) (string, error) {
	build := exec.CommandContext(ctx, "go", "build", "-C", module, "-o", program, source)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building %s in %s (run from the repository's root): %w", source, module, err)
	}
	return program, nil
}

// hostingTools are those with which hosting measures the program.
func hostingTools(ctx context.Context, program string) hosting.Tools {
	return hosting.Tools{
		Start: func(file, config, address string) (hosting.Server, error) {
			p, err := startCaddy(ctx, program, file, config, address)
			return served{p}, err
		},
		Address: freeAddress,
	}
}

// served is a process as other rooms see it.
type served struct{ p *process }

func (s served) CPU() (time.Duration, error) { return s.p.cpu() }
func (s served) Resident() (int64, error)    { return s.p.resident() }
func (s served) Stop()                       { s.p.stop() }

// consoleTools are those with which console measures the program.
func consoleTools(ctx context.Context, folder, program string) console.Tools {
	return console.Tools{
		Start: func(config, address string) (stop func(), err error) {
			p, err := startCaddy(ctx, program, filepath.Join(folder, "console.conf"), config, address)
			if err != nil {
				return nil, err
			}
			return p.stop, nil
		},
		Browser: func() (context.Context, func(), error) { return thread.Start(ctx) },
		Address: freeAddress,
	}
}
