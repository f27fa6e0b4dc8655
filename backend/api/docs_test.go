package api_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// The examples of docs/server-calls.md are run as they stand there, with the
// credentials of a page in the shell's variables.
func TestExamplesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/server-calls.md")
	require.NoError(t, err)
	examples := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, examples, 2)
	for _, variant := range []string{"A", "B"} {
		t.Run("variant "+variant, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) { runExamples(t, serve(t, d, siteOf(variant)), examples) })
		})
	}
}

func runExamples(t *testing.T, s *desk, examples [][]string) {
	v := s.visit()
	for _, example := range examples {
		shell := exec.Command("sh", "-eu", "-c", example[1])
		shell.Env = []string{"PATH=" + os.Getenv("PATH"), "consultant_server_url=" + s.url, "tracker_url=" + strings.TrimSuffix(s.url, "/")}
		for name, value := range v.credentials() {
			shell.Env = append(shell.Env, name+"="+text(value))
		}
		answer, err := shell.Output()
		require.NoError(t, err)
		require.Equal(t, added, string(answer))
	}
	require.Len(t, s.stored(), 1)
	got := s.stored()[0]
	require.Equal(t, lead.Server, got.Origin)
	require.Equal(t, "4722123456", got.PhoneDigits)
	require.Equal(t, "1500.5", got.SaleCost)
	require.Equal(t, map[string]string{"city": "Oslo"}, got.UserFields)
	card, err := s.visits.Card(t.Context(), siteID, v.ref().Visitor)
	require.NoError(t, err)
	require.Contains(t, dump(t, card), "ann@mail.example")
}
