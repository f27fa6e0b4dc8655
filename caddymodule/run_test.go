package caddymodule

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

func TestPageIsWoven(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).Ready()
	got := s.Get("http://localhost:$PORT/lamps")
	require.Contains(t, got.Content, insertion)
	require.Contains(t, got.Content, `src="/frontdesk/svc.js"`)
	script := s.Get("http://localhost:$PORT/frontdesk/svc.js")
	require.Equal(t, http.StatusOK, script.StatusCode)
	require.Contains(t, script.Content, `"objects":["Svc","SvcWidget"]`)
}

func TestHostIsTheKeyByDefault(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk
			reverse_proxy $ORIGIN
		}`).Ready()
	require.Contains(t, s.Get("http://localhost:$PORT/").Content, `["setCsAccount","localhost"]`)
	require.Contains(t, s.Get("http://localhost:$PORT/", "Host", "LOCALHOST").Content, `["setCsAccount","localhost"]`)
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
		}`).Ready()
	require.Equal(t, page, s.Get("http://localhost:$PORT/").Content)
	require.Equal(t, page, s.Get("http://localhost:$PORT/", "Host", "not_a_key!").Content)
	routed := s.Get("http://localhost:$PORT/frontdesk/svc.js")
	require.Equal(t, page, routed.Content, "what is under the prefix is the origin's")
	require.Equal(t, "/frontdesk/svc.js", routed.Header.Get("X-Origin-Path"))
	require.Contains(t, s.Get("http://localhost:$PORT/", "Host", "known.example").Content, `["setCsAccount","known.example"]`)
	require.Contains(t, s.Get("http://localhost:$PORT/", "Host", "Known.Example").Content, `["setCsAccount","known.example"]`)
}

func TestRewritingBeforeUs(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			root $DIR
			try_files {path} /index.html
			rewrite /frontdesk/* /nowhere
			frontdesk shop
			file_server
		}`).Ready()
	require.NoError(t, os.WriteFile(s.Text("$DIR/index.html"), []byte(page), 0o644))
	require.Contains(t, s.Get("http://localhost:$PORT/deep/address").Content, insertion)
	require.Contains(t, s.Get("http://localhost:$PORT/frontdesk/svc.js").Header.Get("Content-Type"), "text/javascript")
	require.Contains(t, s.Get("http://localhost:$PORT/frontdesk/v1/status?k=shop").Content, `"success":true`)
}

func TestMatcherChoosesPagesOnly(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			@pages path *.html
			frontdesk @pages shop
			reverse_proxy $ORIGIN
		}`).Ready()
	require.Contains(t, s.Get("http://localhost:$PORT/a.html").Content, insertion)
	require.Equal(t, page, s.Get("http://localhost:$PORT/a").Content)
	require.Contains(t, s.Get("http://localhost:$PORT/frontdesk/svc.js").Header.Get("Content-Type"), "text/javascript")
}

func TestAnOriginsRoutesUnderThePrefixAlone(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				prefix /desk/
			}
			reverse_proxy $ORIGIN
		}`).Ready()
	require.Equal(t, "/frontdesk/svc.js", s.Get("http://localhost:$PORT/frontdesk/svc.js").Header.Get("X-Origin-Path"))
	require.Equal(t, "/desk", s.Get("http://localhost:$PORT/desk").Header.Get("X-Origin-Path"))
	require.Contains(t, s.Get("http://localhost:$PORT/").Content, `src="/desk/svc.js"`)
	require.Equal(t, http.StatusNotFound, s.Get("http://localhost:$PORT/desk/nothing").StatusCode)
}

func TestValidateWritesNothing(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	s := &server{T: t, Admin: "localhost:0", Values: []string{"$DIR", t.TempDir(), "$PORT", "0"}}
	var config caddy.Config
	require.NoError(t, json.Unmarshal(s.Adapt(option+`
		http://localhost:$PORT {
			frontdesk shop
		}`), &config))
	require.NoError(t, caddy.Validate(&config))
	left, err := filepath.Glob(s.Text("$DIR/*"))
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
	require.NotContains(t, s.Get("http://"+s.Admin+"/config/").Content, "s3cr3t")
	encoded, err := json.Marshal(app)
	require.NoError(t, err)
	require.NotContains(t, string(encoded), "s3cr3t")
	require.Eventually(t, func() bool { _, state := s.Health(); return strings.Contains(state.Error, "refused") }, wait, tick)
	_, state := s.Health()
	require.NotContains(t, state.Error, "s3cr3t")
	require.True(t, state.Has("database"))
	require.NotContains(t, s.Log(), "s3cr3t")
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
		s := &server{T: t, Admin: "localhost:0", Values: []string{"$PORT", "0"}}
		option, picture := line, ""
		if strings.HasPrefix(line, "font") {
			option, picture = "", line
		}
		var config caddy.Config
		require.NoError(t, json.Unmarshal(s.Adapt(`{
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
			require.Eventually(t, func() bool { _, state := s.Health(); return state.Error != backend.ErrNotReady.Error() }, wait, tick)
			require.Equal(t, page, s.Get("http://localhost:$PORT/").Content)
			require.Equal(t, strings.Replace(page, "123-45-67", "765-43-21", 1), s.Get("http://localhost:$PORT/?utm_source=news").Content, "numbers need no database")
			require.Equal(t, http.StatusOK, s.Get("http://localhost:$PORT/frontdesk/svc.js").StatusCode)
			call := s.Get("http://localhost:$PORT/frontdesk/v1/status?k=shop")
			require.Equal(t, http.StatusServiceUnavailable, call.StatusCode)
			require.Equal(t, "5", call.Header.Get("Retry-After"))
			require.JSONEq(t, `{"success":false,"code":"unavailable","error":"the service cannot reach its database at the moment; repeat the call later"}`, call.Content)
			require.Equal(t, http.StatusServiceUnavailable, s.Get("http://localhost:$PORT2/").StatusCode)
			status, state := s.Health()
			require.Equal(t, http.StatusServiceUnavailable, status)
			require.False(t, state.Ready)
			require.NotContains(t, state.Error, "secret")
			require.Contains(t, s.Get("http://"+s.Admin+"/metrics").Content, `frontdesk_pages_passed_total{reason="not_ready"}`)
		})
	}
}

// Of the panics at one place the first is logged, and all are counted.
func TestFaultsAreToldOnce(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).Ready()
	app, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	require.NoError(t, err)
	for range 3 {
		edgeObserver{app: app.(*App)}.Fault("here", "what nobody foresaw", []byte("a stack"))
	}
	require.Contains(t, s.Get("http://"+s.Admin+"/metrics").Content, `frontdesk_faults_total{place="here"} 3`)
	require.Equal(t, 1, strings.Count(s.Log(), "what nobody foresaw"))
	require.Contains(t, s.Log(), "a stack")
}

func TestMetricsAndHealth(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`).Ready()
	before := s.Metric("frontdesk_pages_woven_total")
	s.Get("http://localhost:$PORT/")
	s.Get("http://localhost:$PORT/")
	require.Equal(t, before+2, s.Metric("frontdesk_pages_woven_total"))
	require.NoError(t, s.Load(option+`
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`))
	s.Get("http://localhost:$PORT/")
	require.Equal(t, before+3, s.Metric("frontdesk_pages_woven_total"), "counting goes on after a reload")
	status, state := s.Health()
	require.Equal(t, http.StatusOK, status)
	require.Positive(t, state.Forms.Room)
	expected := servertest.Health{Ready: true, Database: "sqlite", Status: state.Status, Reasons: state.Reasons} // the machine's disk may be low
	expected.Forms.File, expected.Forms.Room = s.Text("$DIR/frontdesk.db.forms"), state.Forms.Room
	require.Equal(t, expected, state)
	refused, err := s.Do(http.MethodPost, "http://"+s.Admin+"/frontdesk/health", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusMethodNotAllowed, refused.StatusCode)
}

func TestSetupLinkIsLogged(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk_console
		}`).Ready()
	require.Eventually(t, func() bool { return strings.Contains(s.Log(), s.Text("http://localhost:$PORT/setup?token=")) }, wait, tick)
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
		}`).Ready()
	require.NotContains(t, s.Log(), "/setup")
	accounts := operators(t)
	require.Len(t, accounts, 1)
	require.Equal(t, "anna", accounts[0].Login)
	require.True(t, accounts[0].Provisioned)
}

func operators(t testing.TB) []operator.Operator {
	t.Helper()
	desk, done, err := Use()
	require.NoError(t, err)
	defer done()
	accounts, err := desk.Operators.List(t.Context(), scope.All())
	require.NoError(t, err)
	return accounts
}
