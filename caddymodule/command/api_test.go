package command

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples of docs/api.md are run as they stand there, on a server that has kept a form.
func TestExamplesOfTheAPI(t *testing.T) {
	caddyfile := `{
			admin off
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
		}
		http://shop.example:$PORT {
			bind 127.0.0.1
			frontdesk shop.example {
				capture /order
			}
			respond Thanks
		}
		http://:$PORT {
			bind 127.0.0.1
			frontdesk {host}
			header Content-Type "text/html; charset=utf-8"
			respond "<!doctype html><html><head><title>Lamps</title></head><body><p>Call +7 495 123-45-67</p></body></html>"
		}
		http://desk.example:$PORT {
			bind 127.0.0.1
			frontdesk_console
		}`
	s := run(t, caddyfile).Ready()
	_, err := s.Do(http.MethodPost, "http://127.0.0.1:$PORT/order", "name=Anna&phone=%2B74957654321&message=A+lamp%2C+please", "Host", "shop.example",
		"Content-Type", "application/x-www-form-urlencoded",
		"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36")
	require.NoError(t, err)

	page, err := os.ReadFile("../../docs/api.md")
	require.NoError(t, err)
	examples := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, examples, 7)
	config := filepath.Join(t.TempDir(), "Caddyfile")
	require.NoError(t, os.WriteFile(config, []byte(s.Text(caddyfile)), 0o600))
	made := regexp.MustCompile(`(?s)^caddy frontdesk token add "([^"]+)" (.*) --config Caddyfile\n$`).FindStringSubmatch(examples[0][1])
	require.NotNil(t, made)
	args := strings.Fields(strings.ReplaceAll(made[2], "\\\n", ""))
	secret, err := command(t, "", append(append([]string{"token", "add", made[1]}, args...), "--config", config)...)
	require.NoError(t, err, secret)
	run := func(example string) string {
		shell := exec.Command("sh", "-eu", "-c", strings.ReplaceAll(example, `"$desk`, `--header "Host: desk.example" "$desk`))
		shell.Env = []string{"PATH=" + os.Getenv("PATH"), "desk=" + s.Text("http://127.0.0.1:$PORT"), "token=" + strings.TrimSpace(secret)}
		answer, err := shell.Output()
		require.NoError(t, err, "%s\n%s", example, answer)
		return string(answer)
	}

	says := func(example, text string) { // a form may be stored after its answer
		require.Eventually(t, func() bool { return strings.Contains(run(example), text) }, wait, tick)
	}
	says(examples[1][1], "A lamp, please")
	for _, example := range examples[1:3] {
		var list struct {
			Leads []struct{ Site, Message string }
			Next  string
		}
		answer := run(example[1])
		require.NoError(t, json.Unmarshal([]byte(answer), &list), answer)
		require.Len(t, list.Leads, 1, answer)
		require.Equal(t, "shop.example", list.Leads[0].Site)
		require.Equal(t, "A lamp, please", list.Leads[0].Message)
	}
	require.Contains(t, run(examples[3][1]), `"total":{`)
	require.Contains(t, run(examples[4][1]), `"own":{"region":"DE","widget":{"title":{"en":"Ask us"}}}`)

	require.Contains(t, run(examples[5][1]), `"phone_digits":"79120001122"`)

	// After its first day, the site's pages show the numbers, and its forms are kept.
	require.Contains(t, run(examples[6][1]), `"login":"anna"`)
	require.Eventually(t, func() bool {
		return strings.Contains(s.Get("http://127.0.0.1:$PORT/?utm_source=newsletter", "Host", "lamps.example").Content, "+7 495 765-43-21")
	}, wait, tick)
	_, err = s.Do(http.MethodPost, "http://127.0.0.1:$PORT/order", "name=Anna&phone=%2B74957654321&message=Two+lamps", "Host", "lamps.example",
		"Content-Type", "application/x-www-form-urlencoded",
		"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36")
	require.NoError(t, err)
	says(examples[1][1], "Two lamps")

	// It answers on the console's host alone.
	require.Equal(t, "Thanks", s.Get("http://127.0.0.1:$PORT/api/v1/leads", "Host", "shop.example").Content)
}
