package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"
)

var doubting = regexp.MustCompile(`(?m)^note   (?:routes|compression|numbers|console +shop.example:).*`)

// What is hardly meant is told by doctor, and by the log once, also where a
// configuration is only validated.
func TestDoubtsOfAConfiguration(t *testing.T) {
	const global = "{\n\tadmin off\n\tfrontdesk {\n\t\tdatabase sqlite $DIR/frontdesk.db\n\t}\n}\n"
	for name, c := range map[string]struct {
		sites    string
		expected []string // the beginnings of the notes
	}{
		"nothing": {`
			shop.example {
				encode
				frontdesk shop
			}
			desk.example {
				frontdesk_console
			}`, nil},
		"in a handle that takes no path": {`
			shop.example {
				encode
				handle /static/* {
					file_server
				}
				handle {
					frontdesk shop
				}
			}`, nil},
		"behind encode for all sites": {`
			http:// {
				encode
				@shop host shop.example
				handle @shop {
					frontdesk {host}
				}
				handle {
					frontdesk other
				}
			}`, nil},
		"within a handle": {`
			shop.example {
				encode
				handle /shop/* {
					frontdesk shop
				}
			}`, []string{"note   routes         shop: the block around frontdesk keeps out requests under /frontdesk/"}},
		"twice": {`
			shop.example {
				encode
				route {
					frontdesk shop
					frontdesk other {
						prefix /other/
					}
				}
			}`, []string{"note   routes         other: frontdesk is in one site twice"}},
		"with the console": {`
			shop.example {
				encode
				frontdesk
				frontdesk_console
			}`, []string{"note   console        shop.example: frontdesk_console is in the same site"}},
		"without encode": {`
			shop.example, lamps.example {
				frontdesk
			}`, []string{"note   compression    shop.example, lamps.example: no encode is in front of frontdesk"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := configuration(t, global+c.sites)
			output, err := command(t, "", "doctor", "-c", file)
			require.NoError(t, err, output)
			for _, expected := range c.expected {
				require.Contains(t, output, expected)
			}
			require.Len(t, doubting.FindAllString(output, -1), len(c.expected), output)
		})
	}

	s := run(t, option+"http://localhost:$PORT {\n\tfrontdesk shop\n}")
	const words = "no encode is in front"
	require.Contains(t, s.Log(), words)
	require.NotContains(t, s.Log(), "in one site twice")
	require.NoError(t, caddy.Stop())
	var config caddy.Config
	require.NoError(t, json.Unmarshal(s.Adapt(option+"http://localhost:$PORT {\n\troute {\n\t\tfrontdesk shop\n\t\tfrontdesk shop\n\t}\n}"), &config))
	require.NoError(t, caddy.Validate(&config))
	require.Contains(t, s.Log(), "in one site twice")
}

func TestDoctorReadsTheFileOfNetworks(t *testing.T) {
	const config = `{
		admin off
		frontdesk {
			database sqlite $DIR/frontdesk.db
			networks $DIR/city.mmdb
		}
	}
	shop.example {
		frontdesk
	}`
	file := configuration(t, config)
	for range 2 {
		told, err := command(t, "", "doctor", "-c", file)
		require.Error(t, err)
		require.Regexp(t, "WRONG  networks .*city.mmdb: visits are stored without places", told)
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "city.mmdb"), []byte("no database"), 0o600))
	}
}
