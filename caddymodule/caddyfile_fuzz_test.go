package caddymodule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/stretchr/testify/require"
)

// FuzzDirective holds that the lines of a site's block are refused with the place
// of the error, or give JSON that is read as what it was written from.
func FuzzDirective(f *testing.F) {
	for _, lines := range []string{
		"prefix /desk/\nobjects Svc\nvariant B\nservice local\nphone_mask \"+7 (###) ###-##-##\"\nconsent ok yes\norigins https://m.shop.example",
		"prerender static\nattribution last_non_direct\ndynamical_replacement on",
		"number 74951234567 {\ntarget .phone #callme [name=tel]\nselector \"footer a.tel\"\npicture img.a {\nsize 18\ncolor navy\n}\nstatic 74957654321 utm_source=news* gclid\n}",
		"widget {\ncolor \"#0a7d4f\"\ntitle ru \"a\"\ntitle b\nfield phone required\nfield city optional {\nlabel en City\n}\ntext request.send \"c\"\ninvite {\nafter 30s\naddress /cart*\nsource utm_source=news*\ntext \"d\"\n}\n}",
		"number \"8 (495) 123\"", "number 74951234567 {", "}\n", "selector \"a:::b\"", "static 7 *=*", "number 1{\npicture \"[a=\\\"\" {\nfont \xff\n}\n}",
	} {
		f.Add("shop", lines)
	}
	f.Fuzz(func(t *testing.T, key, lines string) {
		if text := key + lines; strings.Contains(text, "import") || strings.Contains(text, "font") {
			return // these read files
		}
		caddyfile := option + "http://localhost {\n\tfrontdesk " + key + " {\n" + lines + "\n\t}\n}\n"
		adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		var config struct {
			Apps struct {
				HTTP struct {
					Servers map[string]struct {
						Routes json.RawMessage `json:"routes"`
					} `json:"servers"`
				} `json:"http"`
			} `json:"apps"`
		}
		require.NoError(t, json.Unmarshal(adapted, &config))
		for _, server := range config.Apps.HTTP.Servers {
			for _, handler := range handlersIn(t, server.Routes) {
				var h Handler
				require.NoError(t, caddy.StrictUnmarshalJSON(handler, &h))
				again, err := json.Marshal(&h)
				require.NoError(t, err)
				require.JSONEq(t, string(handler), string(again))
			}
		}
	})
}

// handlersIn gives the configurations of this module's handlers, without their name.
func handlersIn(t *testing.T, routes json.RawMessage) (handlers []json.RawMessage) {
	var value any
	require.NoError(t, json.Unmarshal(routes, &value))
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, v := range value {
				walk(v)
			}
		case map[string]any:
			if value["handler"] == "frontdesk" {
				delete(value, "handler")
				content, err := json.Marshal(value)
				require.NoError(t, err)
				handlers = append(handlers, content)
				return
			}
			for _, v := range value {
				walk(v)
			}
		}
	}
	walk(value)
	return handlers
}
