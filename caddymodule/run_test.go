package caddymodule

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// option names a database in the folder of the test.
const option = `
{
	frontdesk {
		database sqlite $DIR/frontdesk.db
	}
}
`

// eachDatabase runs the test on each engine, with the database as a Caddyfile names it.
func eachDatabase(t *testing.T, test func(t *testing.T, engine, database string)) {
	server := dbtest.OwnServer(t)
	for engine, database := range map[string]string{db.SQLite: "sqlite $DIR/frontdesk.db", db.Postgres: `postgres "` + server.Source() + `"`} {
		t.Run(engine, func(t *testing.T) { test(t, engine, database) })
	}
}

// What happens on its own is waited for, and looked at this often.
const (
	wait = time.Minute
	tick = 10 * time.Millisecond
)

const insertion = `__cs.push(["setCsAccount","shop"]);`

func TestPageIsWoven(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).ready()
	got := s.get("http://localhost:$PORT/lamps")
	require.Contains(t, got.body, insertion)
	require.Contains(t, got.body, `src="/frontdesk/svc.js"`)
	script := s.get("http://localhost:$PORT/frontdesk/svc.js")
	require.Equal(t, http.StatusOK, script.StatusCode)
	require.Contains(t, script.body, `"objects":["Svc","SvcWidget"]`)
}

func TestHostIsTheKeyByDefault(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk
			reverse_proxy $ORIGIN
		}`).ready()
	require.Contains(t, s.get("http://localhost:$PORT/").body, `["setCsAccount","localhost"]`)
	require.Contains(t, s.get("http://localhost:$PORT/", "Host", "LOCALHOST").body, `["setCsAccount","localhost"]`)
}

func TestUnknownSitePassesUntouched(t *testing.T) {
	s := run(t, option+`
		http://:$PORT {
			frontdesk {host}
			reverse_proxy $ORIGIN
		}
		http://known.example:$PORT2 {
			frontdesk
			reverse_proxy $ORIGIN
		}`).ready()
	require.Equal(t, page, s.get("http://localhost:$PORT/").body)
	require.Equal(t, page, s.get("http://localhost:$PORT/", "Host", "not_a_key!").body)
	routed := s.get("http://localhost:$PORT/frontdesk/svc.js")
	require.Equal(t, page, routed.body, "what is under the prefix is the origin's")
	require.Equal(t, "/frontdesk/svc.js", routed.Header.Get("X-Origin-Path"))
	require.Contains(t, s.get("http://localhost:$PORT/", "Host", "known.example").body, `["setCsAccount","known.example"]`)
	require.Contains(t, s.get("http://localhost:$PORT/", "Host", "Known.Example").body, `["setCsAccount","known.example"]`)
}

func TestRewritingBeforeUs(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			root $DIR
			try_files {path} /index.html
			rewrite /frontdesk/* /nowhere
			frontdesk shop
			file_server
		}`).ready()
	require.NoError(t, os.WriteFile(s.text("$DIR/index.html"), []byte(page), 0o644))
	require.Contains(t, s.get("http://localhost:$PORT/deep/address").body, insertion)
	require.Contains(t, s.get("http://localhost:$PORT/frontdesk/svc.js").Header.Get("Content-Type"), "text/javascript")
	require.Contains(t, s.get("http://localhost:$PORT/frontdesk/v1/status?k=shop").body, `"success":true`)
}

func TestMatcherChoosesPagesOnly(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			@pages path *.html
			frontdesk @pages shop
			reverse_proxy $ORIGIN
		}`).ready()
	require.Contains(t, s.get("http://localhost:$PORT/a.html").body, insertion)
	require.Equal(t, page, s.get("http://localhost:$PORT/a").body)
	require.Contains(t, s.get("http://localhost:$PORT/frontdesk/svc.js").Header.Get("Content-Type"), "text/javascript")
}

func TestAnOriginsRoutesUnderThePrefixAlone(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				prefix /desk/
			}
			reverse_proxy $ORIGIN
		}`).ready()
	require.Equal(t, "/frontdesk/svc.js", s.get("http://localhost:$PORT/frontdesk/svc.js").Header.Get("X-Origin-Path"))
	require.Equal(t, "/desk", s.get("http://localhost:$PORT/desk").Header.Get("X-Origin-Path"))
	require.Contains(t, s.get("http://localhost:$PORT/").body, `src="/desk/svc.js"`)
	require.Equal(t, http.StatusNotFound, s.get("http://localhost:$PORT/desk/nothing").StatusCode)
}

func TestValidateWritesNothing(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	s := &server{t: t, admin: "localhost:0", values: []string{"$DIR", t.TempDir(), "$PORT", "0"}}
	var config caddy.Config
	require.NoError(t, json.Unmarshal(s.adapt(option+`
		http://localhost:$PORT {
			frontdesk shop
		}`), &config))
	require.NoError(t, caddy.Validate(&config))
	left, err := filepath.Glob(s.text("$DIR/*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSecretsAreResolvedAndNotWrittenBack(t *testing.T) {
	t.Setenv("TEST_DATABASE_PASSWORD", "s3cr3t")
	s := run(t, `
		{
			frontdesk {
				database postgres "postgres://desk:{env.TEST_DATABASE_PASSWORD}@127.0.0.1:$PORT2/desk"
			}
		}
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`)
	app, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	require.NoError(t, err)
	require.Contains(t, app.(*App).settings.Source, "desk:s3cr3t@")
	require.NotContains(t, s.get("http://"+s.admin+"/config/").body, "s3cr3t")
	encoded, err := json.Marshal(app)
	require.NoError(t, err)
	require.NotContains(t, string(encoded), "s3cr3t")
	require.Eventually(t, func() bool { _, state := s.health(); return strings.Contains(state.Error, "refused") }, wait, tick)
	_, state := s.health()
	require.NotContains(t, state.Error, "s3cr3t")
	require.NotContains(t, s.log(), "s3cr3t")
}

// What a placeholder stands for is known when the configuration is loaded. The error names its line all the same, also
// where another program has adapted the Caddyfile.
func TestWrongPlaceholdersAreToldWithTheirLine(t *testing.T) {
	t.Setenv("TEST_WRONG", "no such thing")
	for line, expected := range map[string]string{
		"database postgres {env.TEST_NO_SUCH_VARIABLE}": "env.TEST_NO_SUCH_VARIABLE",
		`name "{env.TEST_WRONG}"`:                       "no such thing",
		"operator anna {env.TEST_WRONG}":                "argon2id",
		"operator anna {env.TEST_NO_SUCH_VARIABLE}":     "env.TEST_NO_SUCH_VARIABLE",
		"font /nowhere/{env.TEST_WRONG}":                "no such file",
	} {
		s := &server{t: t, admin: "localhost:0", values: []string{"$PORT", "0"}}
		option, picture := line, ""
		if strings.HasPrefix(line, "font") {
			option, picture = "", line
		}
		var config caddy.Config
		require.NoError(t, json.Unmarshal(s.adapt(`{
			frontdesk {
				`+option+`
			}
		}
		http://localhost:$PORT {
			frontdesk {
				number 74951234567 {
					picture .phone-img {
						`+picture+`
					}
				}
			}
		}`), &config))
		err := caddy.Validate(&config)
		at := "Caddyfile:3: "
		if picture != "" {
			at = "Caddyfile:10: "
		}
		require.ErrorContains(t, err, at, line)
		require.ErrorContains(t, err, expected, line)
	}
}

// Pages flow whatever is wrong with the database, and calls are told to come
// again.
func TestDatabaseOutOfReach(t *testing.T) {
	for name, database := range map[string]string{
		"postgres":              `postgres "postgres://desk:secret@127.0.0.1:1/desk"`,
		"sqlite below a file":   `sqlite $DIR/file/frontdesk.db`,
		"sqlite is no database": `sqlite $DIR/file`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte(strings.Repeat("no database ", 100)), 0o600))
			s := run(t, strings.ReplaceAll(`
				{
					frontdesk {
						database `+database+`
					}
				}
				http://localhost:$PORT {
					frontdesk shop {
						number 74951234567 {
							static 74957654321 utm_source=news
						}
						prerender static
					}
					reverse_proxy $ORIGIN
				}
				http://localhost:$PORT2 {
					frontdesk_console
				}`, "$DIR", dir))
			require.Eventually(t, func() bool { _, state := s.health(); return state.Error != backend.ErrNotReady.Error() }, wait, tick)
			require.Equal(t, page, s.get("http://localhost:$PORT/").body)
			require.Equal(t, strings.Replace(page, "123-45-67", "765-43-21", 1), s.get("http://localhost:$PORT/?utm_source=news").body, "numbers need no database")
			require.Equal(t, http.StatusOK, s.get("http://localhost:$PORT/frontdesk/svc.js").StatusCode)
			call := s.get("http://localhost:$PORT/frontdesk/v1/status?k=shop")
			require.Equal(t, http.StatusServiceUnavailable, call.StatusCode)
			require.Equal(t, "5", call.Header.Get("Retry-After"))
			require.JSONEq(t, `{"success":false,"code":"unavailable","error":"the service cannot reach its database at the moment; repeat the call later"}`, call.body)
			require.Equal(t, http.StatusServiceUnavailable, s.get("http://localhost:$PORT2/").StatusCode)
			status, state := s.health()
			require.Equal(t, http.StatusServiceUnavailable, status)
			require.False(t, state.Ready)
			require.NotContains(t, state.Error, "secret")
			require.Contains(t, s.get("http://"+s.admin+"/metrics").body, `frontdesk_pages_passed_total{reason="not_ready"}`)
		})
	}
}

// Of the panics at one place the first is logged, and all are counted.
func TestFaultsAreToldOnce(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).ready()
	app, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	require.NoError(t, err)
	for range 3 {
		edgeObserver{app.(*App)}.Fault("here", "what nobody foresaw", []byte("a stack"))
	}
	require.Contains(t, s.get("http://"+s.admin+"/metrics").body, `frontdesk_faults_total{place="here"} 3`)
	require.Equal(t, 1, strings.Count(s.log(), "what nobody foresaw"))
	require.Contains(t, s.log(), "a stack")
}

func TestMetricsAndHealth(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).ready()
	before := s.metric("frontdesk_pages_woven_total")
	s.get("http://localhost:$PORT/")
	s.get("http://localhost:$PORT/")
	require.Equal(t, before+2, s.metric("frontdesk_pages_woven_total"))
	require.NoError(t, s.load(option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`))
	s.get("http://localhost:$PORT/")
	require.Equal(t, before+3, s.metric("frontdesk_pages_woven_total"), "counting goes on after a reload")
	status, state := s.health()
	require.Equal(t, http.StatusOK, status)
	require.Positive(t, state.Forms.Room)
	require.Equal(t, health{Ready: true, Database: "sqlite", Forms: &formsHealth{File: s.text("$DIR/frontdesk.db.forms"), Room: state.Forms.Room}}, state)
	refused, err := s.do(http.MethodPost, "http://"+s.admin+"/frontdesk/health", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusMethodNotAllowed, refused.StatusCode)
}

func TestSetupLinkIsLogged(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk_console
		}`).ready()
	require.Eventually(t, func() bool { return strings.Contains(s.log(), s.text("http://localhost:$PORT/setup?token=")) }, wait, tick)
}

func TestDeclaredOperatorNeedsNoSetup(t *testing.T) {
	t.Setenv("TEST_HASH", hash)
	s := run(t, `
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
				operator Anna {env.TEST_HASH}
			}
		}
		http://localhost:$PORT {
			frontdesk_console
		}`).ready()
	require.NotContains(t, s.log(), "/setup")
	accounts := operators(t)
	require.Len(t, accounts, 1)
	require.Equal(t, "anna", accounts[0].Login)
	require.True(t, accounts[0].Provisioned)
}

func operators(t testing.TB) []operator.Operator {
	t.Helper()
	desk, done, err := activeService(t).Use()
	require.NoError(t, err)
	defer done()
	accounts, err := desk.Operators.List(t.Context(), scope.All())
	require.NoError(t, err)
	return accounts
}

func activeService(t testing.TB) *sharedService {
	t.Helper()
	return activeApp(t).service
}

func activeApp(t testing.TB) *App {
	t.Helper()
	app, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	require.NoError(t, err)
	return app.(*App)
}

// hash is of the password "correct horse battery".
const hash = "$argon2id$v=19$m=47104,t=1,p=1$ccRWwfbyJLBVmCXM6m//6w$xvK8dstk79aVraU76oJBQfD/VnIl1cUPIj6ZJVs4V+k"
