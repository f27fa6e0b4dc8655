// Package caddymodule is Caddy's side of Frontdesk: its modules, their
// Caddyfile, the admin API, the command line and the metrics.
package caddymodule
