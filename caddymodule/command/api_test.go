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
	require.Len(t, examples, 3)
	config := filepath.Join(t.TempDir(), "Caddyfile")
	require.NoError(t, os.WriteFile(config, []byte(s.Text(caddyfile)), 0o600))
	made := regexp.MustCompile(`(?s)^caddy frontdesk token add "([^"]+)" (.*) --config Caddyfile\n$`).FindStringSubmatch(examples[0][1])
	require.NotNil(t, made)
	secret, err := command(t, "", append(append([]string{"token", "add", made[1]}, strings.Fields(made[2])...), "--config", config)...)
	require.NoError(t, err, secret)

	for _, example := range examples[1:] {
		shell := exec.Command("sh", "-eu", "-c", strings.ReplaceAll(example[1], `"$desk`, `--header "Host: desk.example" "$desk`))
		shell.Env = []string{"PATH=" + os.Getenv("PATH"), "desk=" + s.Text("http://127.0.0.1:$PORT"), "token=" + strings.TrimSpace(secret)}
		answer, err := shell.Output()
		require.NoError(t, err)
		var list struct {
			Leads []struct{ Site, Message string }
			Next  string
		}
		require.NoError(t, json.Unmarshal(answer, &list), string(answer))
		require.Len(t, list.Leads, 1, string(answer))
		require.Equal(t, "shop.example", list.Leads[0].Site)
		require.Equal(t, "A lamp, please", list.Leads[0].Message)
	}

	// It answers on the console's host alone.
	require.Equal(t, "Thanks", s.Get("http://127.0.0.1:$PORT/api/v1/leads", "Host", "shop.example").Content)
}
