package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

// kind is what a page is like, and what Frontdesk is told about it.
type kind struct {
	name       string
	page       string // by which the origin knows it
	directives string
	sites      int // in one configuration, asked in turns
}

const kindSize = 100 << 10

// manySites is how many hosts one configuration has.
const manySites = 1000

// kinds are measured each beside a plain Caddy with the same page.
func kinds() (list []kind) {
	for _, selector := range []string{
		"", "#phone", "a.tel", "a[href^='tel:']", ".contact a", ".contact > a", "li > a:first-child", ".contact > a:not(.wa)", "b:nth-child(2)",
	} {
		name := "a selector, " + selector
		if selector == "" {
			name = "three numbers"
		}
		list = append(list, kind{name, "english", numberDirectives(selector), 1})
	}
	return append(list,
		kind{"Next.js, half of it data", "data", numberDirectives(""), 1},
		kind{"Cyrillic", "cyrillic", numberDirectives(""), 1},
		kind{"flushed by 1 KB", "chunks", numberDirectives(""), 1},
		kind{"flushed by 1 KB, script alone", "chunks", "", 1},
		kind{fmt.Sprintf("%d sites", manySites), "english", oneNumber(), manySites},
	)
}

func oneNumber() string {
	n := page.Numbers(1)[0]
	return fmt.Sprintf("prerender static\n\t\tnumber %s {\n\t\t\tstatic %s utm_source=news\n\t\t}", n.Digits, n.Replacement)
}

// measureKinds compares pages of each kind.
func measureKinds(ctx context.Context, folder, caddy, origin string, rounds int, slice time.Duration) error {
	fmt.Printf("The same for pages of %d KB of each kind, beside plain Caddy\n", kindSize>>10)
	fmt.Printf("%-34s %12s %12s  %s\n", "kind", "Caddy, µs", "Frontdesk", "ratio (median, lowest to highest)")
	for i, k := range kinds() {
		if err := k.measure(ctx, filepath.Join(folder, fmt.Sprint("kind", i)), caddy, origin, rounds, slice); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return nil
}

func (k *kind) measure(ctx context.Context, folder, caddy, origin string, rounds int, slice time.Duration) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	database := "frontdesk {\n\t\tdatabase sqlite " + folder + "/frontdesk.db\n\t}"
	var sides []side
	defer func() {
		for _, s := range sides {
			s.process.stop()
		}
	}()
	for _, with := range []struct{ name, global, directive string }{{"plain", "", ""}, {"frontdesk", database, "frontdesk {\n\t\t" + k.directives + "\n\t}"}} {
		address, err := freeAddress()
		if err != nil {
			return err
		}
		var config strings.Builder
		config.WriteString("{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\tauto_https off\n\tpersist_config off\n\t" + with.global + "\n}\n")
		_, port, _ := strings.Cut(address, ":")
		for i := range k.sites {
			fmt.Fprintf(&config, "http://site%d.example:%s {\n\t%s\n\treverse_proxy %s\n}\n", i, port, with.directive, origin)
		}
		file := filepath.Join(folder, with.name)
		if err := os.WriteFile(file, []byte(config.String()), 0o644); err != nil {
			return err
		}
		p, err := start(ctx, k.probe(ctx, address), caddy, "run", "--config", file, "--adapter", "caddyfile")
		if err != nil {
			return err
		}
		sides = append(sides, side{name: with.name, address: address, process: p})
	}
	if err := awaitPage(ctx, k.probe(ctx, sides[1].address), "setCsAccount"); err != nil {
		return err
	}
	spent := make([][]float64, 2)
	ratios := make([]float64, rounds)
	for round := range rounds {
		for i, s := range sides {
			cpu, _, err := measureRequests(ctx, s, k.requests(), slice)
			if err != nil {
				return err
			}
			spent[i] = append(spent[i], cpu)
		}
		ratios[round] = spent[1][round] / spent[0][round]
	}
	slices.Sort(ratios)
	fmt.Printf("%-34s %12.1f %12.1f  %.3f (%.3f to %.3f)\n", k.name, median(spent[0]), median(spent[1]), median(ratios), ratios[0], ratios[rounds-1])
	return nil
}

func (k *kind) path() string { return pagePath(kindSize) + "&kind=" + k.page }

// requests ask each site once, in an order in which neighbours in the configuration are apart.
func (k *kind) requests() (requests [][]byte) {
	for i := range k.sites {
		requests = append(requests, pageRequest(fmt.Sprintf("site%d.example", i*7919%k.sites), k.path()))
	}
	return requests
}

// probe asks the first site.
func (k *kind) probe(ctx context.Context, address string) *http.Request {
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+k.path(), nil) // an address of ours
	r.Host = "site0.example"
	return r
}
