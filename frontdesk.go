// Package frontdesk adds call tracking and an online consultant for any
// website to Caddy. Importing it registers the modules; see package caddymodule
// for them, and cmd/caddy for a Caddy that has them built in.
package frontdesk

import (
	_ "github.com/seed-3405227d/frontdesk/caddymodule"         // registers the modules
	_ "github.com/seed-3405227d/frontdesk/caddymodule/command" // and the command
)
