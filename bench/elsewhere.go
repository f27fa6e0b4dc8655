package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// elsewhere measures hits that come to a service by a node that is only its edge, beside the same hits that come by a plain
// Caddy, and straight: one client sends them one after another.
func elsewhere(ctx context.Context, folder, caddy string, rounds int, slice time.Duration) error {
	service, address, err := startOnDatabase(ctx, folder, caddy, "sqlite "+filepath.Join(folder, "elsewhere.db"))
	if err != nil {
		return err
	}
	defer service.stop()
	sides := []side{{name: "straight", address: address, process: service}}
	for name, config := range map[string]string{
		"plain Caddy": caddyConfig("", ""),
		"an edge":     frontdeskConfig("edge", "service http://ORIGIN/frontdesk/"),
	} {
		s := side{name: name}
		if s.address, err = freeAddress(); err != nil {
			return err
		}
		config = strings.Replace(config, "reverse_proxy ORIGIN", "reverse_proxy ORIGIN {\n\t\theader_up Host {upstream_hostport}\n\t}", 1)
		config = strings.NewReplacer("ADDRESS", s.address, "ORIGIN", address, "FOLDER", folder).Replace(config)
		config = strings.Replace(config, "auto_https off", "auto_https off\n\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n\t}", 1)
		file := filepath.Join(folder, "elsewhere-"+strings.ReplaceAll(name, " ", "-")+".conf")
		if s.process, err = startCaddy(ctx, caddy, file, config, "http://"+s.address+"/frontdesk/svc.js"); err != nil {
			return err
		}
		defer s.process.stop()
		sides = append(sides, s)
	}
	slices.SortFunc(sides, func(a, b side) int { return strings.Compare(b.name, a.name) }) // straight, plain Caddy, an edge
	time.Sleep(time.Second)                                                                // the edge opens its database
	fmt.Printf("\nHits on a service elsewhere, %d rounds of %v, 1 keep-alive client\n", rounds, slice)
	fmt.Printf("%-12s %10s %10s %22s\n", "by", "median", "p99", "µs of CPU in between")
	times, spent := make(map[string][]time.Duration), make(map[string]time.Duration)
	for range rounds {
		for _, s := range sides {
			before, err := s.process.cpu()
			if err != nil {
				return err
			}
			// The client says that the page is the service's own.
			l, err := drive(ctx, s.address, []client{newVisitorEvery(5, 0, address)}, slice)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			after, err := s.process.cpu()
			if err != nil {
				return err
			}
			times[s.name] = append(times[s.name], l.latencies...)
			spent[s.name] += after - before
		}
	}
	for _, s := range sides {
		slices.Sort(times[s.name])
		l := load{requests: len(times[s.name]), latencies: times[s.name]}
		between := "-"
		if s.process != service {
			between = fmt.Sprintf("%.0f", float64(spent[s.name].Microseconds())/float64(l.requests))
		}
		fmt.Printf("%-12s %10v %10v %22s\n", s.name, l.percentile(0.5).Round(10*time.Microsecond), l.percentile(0.99).Round(10*time.Microsecond), between)
	}
	return nil
}
