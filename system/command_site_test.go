package system

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance/appearancetest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
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

// What is stored of a site goes with it, by the commands, while a server works in both installations. A command that is
// killed leaves nothing that is served, and the next one begins anew; one that is ended takes back what it has done.
func TestSiteMovesWithItsData(t *testing.T) {
	s := run(t, `
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
		}
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	for n := range 600 {
		view, err := desk.Visits.Arrive(t.Context(), shop.ID, 0, visit.Arrival{Nonce: strconv.Itoa(n), URL: "https://shop.example/?utm_source=news", Kind: "load", UserAgent: "Mozilla/5.0 Chrome/140.0"})
		require.NoError(t, err)
		if n%100 == 0 {
			_, _, err = desk.Leads.Add(t.Context(), submission.Submission{SiteID: shop.ID, Ref: view.Ref, Origin: lead.Form, Name: "Ada", Phone: "+7 999 000-10-" + strconv.Itoa(10+n/100)})
			require.NoError(t, err)
		}
	}
	settings := db.Settings{Engine: db.Postgres, Source: dbtest.OwnServer(t).Source()}
	here, there := "--database-sqlite="+s.Text("$DIR")+"/frontdesk.db", "--database-postgres="+settings.Source
	target, err := db.Open(t.Context(), settings, zap.NewNop())
	require.NoError(t, err)
	defer target.Close()
	do := func(args ...string) string {
		t.Helper()
		output, err := command(t, "", append([]string{"site"}, args...)...)
		require.NoError(t, err, output)
		return output
	}
	content, told, found := strings.Cut(do("export", "shop", "--data", here), "rows of data are written")
	require.True(t, found, told)
	content = content[:strings.LastIndex(content, "\n")+1] // how many is told beside it
	file := filepath.Join(t.TempDir(), "shop.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	require.NotContains(t, do("export", "shop", here), `"table"`)

	// half is a command that has been given the first half of the file.
	half := func() (cmd *exec.Cmd, exited chan error, said *bytes.Buffer) {
		cmd = exec.Command(os.Args[0], "frontdesk", "site", "import", "-", there)
		cmd.Env = append(os.Environ(), asCaddy+"=1", "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		said = new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = said, said
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		if _, err = io.WriteString(in, content[:len(content)/2]); err != nil {
			require.NoError(t, errors.Join(err, cmd.Wait()), said.String())
		}
		exited = make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		t.Cleanup(func() { cmd.Process.Kill() })
		return cmd, exited, said
	}
	importing := func() bool {
		output, err := command(t, "", "site", "list", there)
		return err == nil && regexp.MustCompile(`shop +importing `).MatchString(output)
	}
	cmd, exited, said := half()
	require.Eventually(t, importing, wait, tick)
	require.Eventually(t, func() bool { // it waits for the rest of the visits, or soon will
		n, _, err := db.One(t.Context(), target.Read(), db.Only[int], `SELECT COUNT(*) FROM visitors`)
		return err == nil && n == 600
	}, wait, tick)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Error(t, <-exited)
	require.Contains(t, said.String(), "taking back what has been imported")
	require.NotContains(t, do("list", there), "shop")

	cmd, exited, _ = half()
	require.Eventually(t, importing, wait, tick)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, <-exited)
	require.True(t, importing())
	_, err = command(t, "", "site", "export", "shop", there)
	require.ErrorContains(t, err, "an import of them has broken off")
	output := do("import", file, there) // as soon as it is sure that the other one works no more
	require.Contains(t, output, "taking back what has been imported")
	require.Contains(t, output, "site shop: settings, 0 groups")
	require.Regexp(t, `(?m)^data: \d{4} rows$`, output)
	require.Regexp(t, `shop +served`, do("list", there))
	for _, args := range [][]string{{file, there}, {file, "--over", there}} {
		_, err := command(t, "", append([]string{"site", "import"}, args...)...)
		require.ErrorContains(t, err, "data are imported only into a site that is new here: --as KEY makes another")
	}
	_, err = command(t, "", "site", "import", "--undo", "shop", there)
	require.ErrorContains(t, err, "no import of this site has broken off")

	// And it comes back, under another key, beside what it has come from.
	back, _, _ := strings.Cut(do("export", "shop", "--data", there), "rows of data")
	require.NoError(t, os.WriteFile(file, []byte(back[:strings.LastIndex(back, "\n")+1]), 0o600))
	do("import", file, "--as", "again", here)
	var again site.Site
	require.Eventually(t, func() bool { again, err = desk.Sites.ByKey(t.Context(), "again"); return err == nil }, wait, tick)
	for _, of := range []site.Site{shop, again} {
		leads, err := desk.Leads.List(t.Context(), scope.Of(of.ID), lead.Cursor{}, 100)
		require.NoError(t, err)
		require.Len(t, leads, 6)
		for _, n := range leads {
			card, err := desk.Cards.Card(t.Context(), of.ID, n.Visitor)
			require.NoError(t, err)
			require.Equal(t, "news", card.Visits[0].Source.Source)
		}
	}
}
