package system

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// Whoever runs the server exports and erases a person beside a running Caddy.
func TestPersonCommands(t *testing.T) {
	s := run(t, option+tracked).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	first, second := ada.behave(t, s, desk, 1), boris.behave(t, s, desk, 2)
	on := []string{"--database-sqlite", s.Text("$DIR/frontdesk.db")}
	do := func(input string, args ...string) (string, error) { return command(t, input, append(args, on...)...) }

	output, err := do("", "export", ada.email)
	require.NoError(t, err, output)
	var exported struct{ Tables map[string][]map[string]any }
	require.NoError(t, json.Unmarshal([]byte(output), &exported), output)
	require.Equal(t, ada.name, exported.Tables["leads"][0]["name"])

	for _, refused := range []struct {
		input, expected string
		args            []string
	}{
		{"", "expected a telephone number", []string{"erase"}},
		{"", `"Ada": expected a telephone number`, []string{"erase", "Ada"}},
		{"", "the site is not known", []string{"export", "nosite/12"}},
		{"no\n", "nothing was erased", []string{"erase", ada.phone}},
		{"", "nothing was erased", []string{"erase", ada.phone}},
	} {
		_, err := do(refused.input, refused.args...)
		require.ErrorContains(t, err, refused.expected)
	}
	require.Len(t, leadsOf(t, desk), 2)

	_, _, err = desk.Leads.Add(t.Context(), submission.Submission{SiteID: 1, Origin: lead.Server, CallID: "named", Message: "My sister has " + ada.phone})
	require.NoError(t, err)
	output, err = do("no\n", "erase", ada.phone)
	require.ErrorContains(t, err, "nothing was erased")
	require.Regexp(t, `(?m)^ *2 +leads(.*\n)+of these, rows that name the person in a text.*\n(.*\n)* *1 +leads`, output)
	output, err = do("yes\n", "erase", ada.phone)
	require.NoError(t, err, output)
	require.Regexp(t, `[1-9][0-9]* rows are erased`, output)
	left := leadsOf(t, desk)
	require.Len(t, left, 1)
	require.Equal(t, boris.name, left[0].Name)
	_, err = desk.Cards.Card(t.Context(), 1, visit.ID(first))
	require.Error(t, err)

	output, err = do("", "erase", "--yes", fmt.Sprintf("shop/%d", second))
	require.NoError(t, err, output)
	require.Empty(t, leadsOf(t, desk))
	output, err = do("", "erase", fmt.Sprintf("shop/%d", second))
	require.NoError(t, err, output)
	require.Contains(t, output, "nothing is known about this person")
}
