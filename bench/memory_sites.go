package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// memoryOfSites measures what a Caddy holds for sites without traffic, with Frontdesk and without, ten seconds after its start.
func memoryOfSites(ctx context.Context, folder, caddy string) error {
	fmt.Printf("Resident memory of a Caddy without traffic, MB\n%-8s %10s %10s\n", "sites", "Frontdesk", "without")
	for _, sites := range []int{1, manySites} {
		idle := make([]int64, 2)
		for i, global := range []string{"frontdesk {\n\t\tdatabase sqlite " + filepath.Join(folder, "idle.db") + "\n\t}", ""} {
			address, err := freeAddress()
			if err != nil {
				return err
			}
			config := strings.NewReplacer("ADDRESS", address, "ORIGIN", address).Replace(caddyConfig(global, "respond ready"))
			for n := range sites {
				own := "encode"
				if global != "" {
					own += fmt.Sprintf("\n\tfrontdesk {\n\t\tprerender static\n\t\tnumber %d {\n\t\t\tstatic %d utm_source=news\n\t\t}\n\t}", 74951000000+n, 74961000000+n)
				}
				config += fmt.Sprintf("http://site%d.%s {\n\t%s\n\treverse_proxy %s\n}\n", n, strings.Replace(address, "127.0.0.1", "example", 1), own, address)
			}
			p, err := startCaddy(ctx, caddy, filepath.Join(folder, "sites.conf"), config, "http://"+address)
			if err != nil {
				return err
			}
			time.Sleep(10 * time.Second)
			idle[i], err = p.resident()
			p.stop()
			if err != nil {
				return err
			}
		}
		fmt.Printf("%-8d %10.0f %10.0f\n", sites, mega(idle[0]), mega(idle[1]))
	}
	return nil
}
