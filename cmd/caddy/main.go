// Command caddy is Caddy with Frontdesk built in.
package main

import (
	_ "time/tzdata" // time zones, where the system has none

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/seed-3405227d/frontdesk"
)

func main() {
	caddycmd.Main()
}
