package caddymodule

import (
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"
)

func TestWhatTheConfigurationNames(t *testing.T) {
	s := run(t, option+`
		http://Shop.example:$PORT, http://www.shop.example:$PORT {
			handle /blog/* {
				frontdesk
			}
		}
		http://*.provider.example:$PORT {
			frontdesk {host}
		}
		http://other.example:$PORT {
			frontdesk a-key
		}
		http://192.0.2.1:$PORT2 {
			frontdesk_console
		}`)
	found, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	require.NoError(t, err)
	app := found.(*App)
	require.Equal(t, []string{"a-key", "shop.example", "www.shop.example"}, app.KnownSites())
	require.Equal(t, s.Text("http://192.0.2.1:$PORT2/"), app.ConsoleAddress())
}
