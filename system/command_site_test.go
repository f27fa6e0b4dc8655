package system

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance/appearancetest"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// What is set for a site goes from SQLite to PostgreSQL and back, and is in effect there.
func TestSiteMovesBetweenInstallations(t *testing.T) {
	s := run(t, `
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
				operator anna "`+hash+`"
			}
		}
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}
		http://localhost:$PORT2 {
			frontdesk lamps
			reverse_proxy $ORIGIN
		}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	ctx := t.Context()
	shop, err := desk.Sites.ByKey(ctx, "shop")
	require.NoError(t, err)
	settings := site.Settings{
		PhoneMask: new("+49 ### #######"), Consent: &site.Consent{Cookie: "agreed"}, Respect: []string{}, RetentionDays: new(30), Widget: appearancetest.Whole(),
		Numbers:  []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Name: "All", Pool: "summer"}}}},
		Pools:    map[string]number.DeclaredPool{"summer": {Numbers: []string{"74957650011"}}},
		Captures: []capture.Rule{{Path: "/order"}},
	}
	_, err = desk.Sites.Change(ctx, "shop", shop.Version, settings, "anna")
	require.NoError(t, err)
	staff, err := desk.Operators.List(ctx, scope.All())
	require.NoError(t, err)
	_, err = desk.Groups.Keep(ctx, operator.Server(), group.Group{SiteID: shop.ID, Name: "Sales", Phone: "74951234567", Zone: "Europe/Berlin", Hours: group.Hours{0: {{From: 540, To: 1080}}}, Holidays: []group.Holiday{"01-01"},
		Routing: group.Routings[0], Members: []int64{staff[0].ID}})
	require.NoError(t, err)
	_, err = desk.Replies.Keep(ctx, reply.Reply{SiteID: shop.ID, Word: "hello", Place: 1, Text: "Hello!\nHow can we help?"})
	require.NoError(t, err)
	for _, e := range []notify.Endpoint{
		{SiteID: shop.ID, Kind: notify.Mail, Address: "desk@shop.example", Events: []notify.Event{notify.LeadAdded}, Language: "en"},
		{SiteID: shop.ID, Kind: notify.Webhook, Address: "https://crm.example/in?token=secret", Events: []notify.Event{notify.LeadAdded}, Language: "en"},
	} {
		_, _, err := desk.Deliveries.Endpoints.Add(ctx, e, "anna")
		require.NoError(t, err)
	}

	folder := t.TempDir()
	here, there := "--database-sqlite="+s.Text("$DIR")+"/frontdesk.db", "--database-postgres="+dbtest.OwnServer(t).Source()
	do := func(args ...string) string {
		t.Helper()
		output, err := command(t, "", append([]string{"site"}, args...)...)
		require.NoError(t, err, output)
		return output
	}
	refuse := func(expected string, args ...string) {
		t.Helper()
		_, err := command(t, "", append([]string{"site"}, args...)...)
		require.ErrorContains(t, err, expected)
	}
	keep := func(name, content string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		return file
	}
	// rest is a file without what differs between installations.
	rest := func(content string) string {
		content = regexp.MustCompile(`(?m)^\{"frontdesk".*$`).ReplaceAllString(content, "")
		return regexp.MustCompile(`"number":\d+,"name"|,"members":\["anna"\]`).ReplaceAllString(content, "")
	}
	refuse(`site "nobody": the site is not known`, "export", "nobody", here)
	careful := do("export", "shop", here)
	require.NotContains(t, careful, "crm.example", "addresses may have tokens")
	require.NotContains(t, careful, "whsec_")
	whole := do("export", "shop", "--secrets", here)
	require.Contains(t, whole, "whsec_")
	file := keep("shop.jsonl", whole)

	told := do("import", file, there)
	require.Contains(t, told, "site shop: settings, 1 groups, 1 canned replies, 2 receivers")
	require.Contains(t, told, `group "Sales" lacks members who have no account for the site here: anna`)
	require.Equal(t, rest(whole), rest(do("export", "shop", "--secrets", there)), "nothing is lost on the way")
	refuse(`there is a site of this key already: --over changes it, --as KEY makes another`, "import", file, there)
	require.Contains(t, do("import", file, "--over", there), "2 receivers were there already and stay as they are")
	require.Equal(t, rest(whole), rest(do("export", "shop", "--secrets", there)), "and nothing is there twice")

	// What is wrong changes nothing.
	taken := whole
	whole = strings.ReplaceAll(whole, "74957650011", "74957650077") // which no site has
	lines := strings.SplitAfter(whole, "\n")
	for expected, content := range map[string]string{
		"the file is empty":                    "",
		"this is no site":                      "{\"what\":1}\n",
		"the file has version 2 of the format": strings.Replace(whole, `"version":1`, `"version":2`, 1),
		"the end of the file is missing":       strings.Join(lines[:3], ""),
		"the file has 6 lines: expected 7":     strings.Join(append(append([]string{}, lines[:3]...), lines[4:]...), ""),
		"line 2: json: unknown field":          strings.Replace(whole, `"phone_mask"`, `"fax_mask"`, 1),
		"expected # for each digit":            strings.Replace(whole, `"+49 ### #######"`, `"none"`, 1),
		`reply "hello": `:                      strings.Replace(whole, `"text":"Hello!\nHow can we help?"`, `"text":""`, 1),
		"expected the settings once":           whole[:strings.Index(whole, "{\"settings\"")] + "{\"lines\":2}\n",
		"74957650011":                          taken, // which is of a pool of the first
	} {
		refuse(expected, "import", keep("wrong.jsonl", content), "--as", "wrong", there)
		refuse("the site is not known", "export", "wrong", there)
	}

	// A server that runs has it in effect at once.
	moved, _, left := strings.Cut(do("export", "shop", there), "1 receivers are left out") // which is told beside it
	require.True(t, left)
	moved = strings.ReplaceAll(moved, "74957650011", "74957650099")
	told = do("import", keep("moved.jsonl", moved), "--as", "lamps", "--over", here)
	require.Contains(t, told, `change group_id 1 where pages name it`)
	require.Contains(t, told, "the file has receivers of mail alone")
	require.Eventually(t, func() bool { return strings.Contains(s.Get("http://localhost:$PORT2/").Content, "49 ### #######") }, wait, tick)
	list, err := desk.Groups.All(ctx)
	require.NoError(t, err)
	require.Len(t, list, 2)
}
