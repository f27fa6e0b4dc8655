package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// memoryOfSites measures what a Caddy holds for sites without traffic, with Frontdesk and without.
func memoryOfSites(ctx context.Context, folder, caddy string) error {
	fmt.Printf("Resident memory of a Caddy without traffic, MB\n%-8s %-20s %10s\n", "sites", "", "idle")
	for _, sites := range []int{1, manySites} {
		for _, side := range []struct{ name, global, directive string }{
			{"without Frontdesk", "", "encode"},
			{"with Frontdesk", fmt.Sprintf("frontdesk {\n\t\tdatabase sqlite %s/sites%d.db\n\t}", folder, sites), "encode\n\tfrontdesk {\n\t\tprerender static\n\t\tnumber %d {\n\t\t\tstatic %d utm_source=news\n\t\t}\n\t}"},
		} {
			idle, err := idleSites(ctx, folder, caddy, side.global, side.directive, sites)
			if err != nil {
				return fmt.Errorf("%d sites %s: %w", sites, side.name, err)
			}
			fmt.Printf("%-8d %-20s %10.0f\n", sites, side.name, mega(idle))
		}
	}
	return nil
}

// idleSites is the memory of a Caddy with so many sites, ten seconds after its start, in bytes.
func idleSites(ctx context.Context, folder, caddy, global, directive string, sites int) (int64, error) {
	address, err := freeAddress()
	if err != nil {
		return 0, err
	}
	_, port, _ := strings.Cut(address, ":")
	var config strings.Builder
	fmt.Fprintf(&config, "{\n\tadmin off\n\tauto_https off\n\tpersist_config off\n\t%s\n}\nhttp://%s {\n\trespond ready\n}\n", global, address)
	for i := range sites {
		own := directive
		if strings.Contains(own, "%d") {
			own = fmt.Sprintf(own, 74951000000+i, 74961000000+i)
		}
		fmt.Fprintf(&config, "http://site%d.example:%s {\n\t%s\n\treverse_proxy %s\n}\n", i, port, own, address)
	}
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "sites.conf"), config.String(), "http://"+address)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(10 * time.Second):
	}
	return p.resident()
}
