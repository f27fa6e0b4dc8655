package command

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

func TestOperatorCommands(t *testing.T) {
	file := configuration(t, option)
	output, err := command(t, "correct horse battery\n", "operator", "add", "Anna", "--role", "operator", "--config", file)
	require.NoError(t, err, output)
	require.Contains(t, output, "anna can sign in now (operator)")

	output, err = command(t, "", "operator", "list", "-c", file)
	require.NoError(t, err, output)
	require.Regexp(t, `(?m)^anna +operator `, output)

	output, err = command(t, "another good password\n", "operator", "passwd", "anna", "-c", file)
	require.NoError(t, err, output)
	_, err = command(t, "", "operator", "two-step-off", "anna", "-c", file)
	require.ErrorContains(t, err, "this account does not sign in with two steps")

	for name, refused := range map[string]struct {
		password string
		args     []string
		expected string
	}{
		"a login that is taken":    {"correct horse battery", []string{"operator", "add", "anna", "-c", file}, "already"},
		"a short password":         {"secret", []string{"operator", "add", "boris", "-c", file}, "password has at least"},
		"a common password":        {"Password12", []string{"operator", "add", "boris", "-c", file}, "one of the most common ones"},
		"the own name":             {"borisov2026", []string{"operator", "add", "boris", "--name", "Borisov", "-c", file}, "made of the login, the name"},
		"no password":              {"", []string{"operator", "add", "boris", "-c", file}, "password has at least"},
		"an unknown role":          {"correct horse battery", []string{"operator", "add", "boris", "--role", "king", "-c", file}, "role"},
		"an unknown operator":      {"correct horse battery", []string{"operator", "passwd", "boris", "-c", file}, `no such operator: "boris"`},
		"no login":                 {"", []string{"operator", "add", "-c", file}, "expected one login: frontdesk operator add LOGIN"},
		"no configuration":         {"", []string{"operator", "list", "-c", file + ".none"}, "no such file"},
		"a folder as the database": {"", []string{"operator", "list", "--database-sqlite", filepath.Dir(file)}, "expected a file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := command(t, refused.password, refused.args...)
			require.ErrorContains(t, err, refused.expected)
		})
	}
}

func TestOperatorsOfSites(t *testing.T) {
	file := configuration(t, option)
	do := func(input string, args ...string) string {
		t.Helper()
		output, err := command(t, input, append([]string{"operator"}, append(args, "-c", file)...)...)
		require.NoError(t, err, output)
		return output
	}
	require.Contains(t, do("correct horse battery\n", "add", "chief"), "chief can sign in now (admin)", "the first account has to set up the console")
	_, err := command(t, "correct horse battery\n", "operator", "add", "anna", "--site", "shop.example", "-c", file)
	require.ErrorContains(t, err, `site "shop.example": the site is not known`)
	d, err := db.Open(t.Context(), db.Settings{Engine: db.SQLite, Source: filepath.Join(filepath.Dir(file), "frontdesk.db")}, zap.NewNop())
	require.NoError(t, err)
	sites := site.New(d, time.Now, zap.NewNop())
	for _, key := range []string{"shop.example", "m.shop.example", "other.example"} {
		_, err := sites.Provision(t.Context(), key)
		require.NoError(t, err)
	}
	require.NoError(t, d.Close())

	do("correct horse battery\n", "add", "anna", "--site", "shop.example", "--site", "m.shop.example")
	require.Regexp(t, `(?m)^anna +operator +m\.shop\.example,shop\.example `, do("", "list"))
	do("", "change", "anna", "--site", "other.example")
	require.Regexp(t, `(?m)^anna +operator +other\.example `, do("", "list"))
	do("", "change", "anna", "--site", "SHOP.example")
	require.Regexp(t, `(?m)^anna +operator +shop\.example `, do("", "list"))
	do("", "change", "ANNA", "--all-sites", "--name", "Anna")
	require.Contains(t, do("correct horse battery\n", "add", "vera", "--role", "admin"), "vera can sign in now (admin)")
	do("", "remove", "vera")
	list := do("", "list")
	require.Regexp(t, `(?m)^anna +operator +all `, list)
	require.Regexp(t, `(?m)^chief +admin +all `, list)
	do("", "remove", "anna")
	require.NotContains(t, do("", "list"), "anna")

	for expected, args := range map[string][]string{
		"this is the last admin of all sites": {"remove", "chief"},
		`there is no such operator: "anna"`:   {"change", "anna", "--name", "x"},
		`there is no such operator: "NOBODY"`: {"remove", "NOBODY"},
		"expected what to change":             {"change", "chief"},
		"none of the others can be":           {"change", "chief", "--all-sites", "--site", "shop.example"},
	} {
		_, err := command(t, "", append([]string{"operator"}, append(args, "-c", file)...)...)
		require.ErrorContains(t, err, expected)
	}
}

// What a placeholder's file lacks is the doctor's to say, and not a line of Caddy's log beside it.
func TestDoctorSaysWhichFileIsMissing(t *testing.T) {
	file := configuration(t, `
		{
			frontdesk {
				operator anna {file.$DIR/no-hash}
			}
		}
		http://localhost:8080 {
			frontdesk shop
		}`)
	log, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer log.Close()
	stderr := os.Stderr
	os.Stderr = log
	output, err := command(t, "", "doctor", "-c", file)
	os.Stderr = stderr
	require.Error(t, err)
	require.Regexp(t, `WRONG +configuration .*Caddyfile:4: password hash of operator "anna": .*open .*/no-hash: no such file`, output)
	said, err := os.ReadFile(log.Name())
	require.NoError(t, err)
	require.Empty(t, string(said))
}

func TestDoctorBeforeTheFirstStart(t *testing.T) {
	file := configuration(t, `
		{
			admin 127.0.0.1:1
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
		}
		http://localhost:8080 {
			frontdesk shop {
				number 74951234567 {
					static 442079460018
				}
			}
		}
		http://localhost:8090 {
			frontdesk_console
		}`)
	output, err := command(t, "", "doctor", "-c", file)
	require.NoError(t, err, output)
	require.Regexp(t, `ok +configuration +.*Caddyfile tracks shop\n`, output)
	require.Regexp(t, `ok +console +configured at http://localhost:8090/\n`, output)
	require.Regexp(t, `note +numbers +shop: tracking number 442079460018 has the country code 44`, output)
	require.Regexp(t, `note +database +.*the first start makes it\n`, output)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*frontdesk*"))
	require.NoError(t, err)
	require.Empty(t, left, "nothing is made")
}

func TestDoctorNamesServersThatBelieveTheirClients(t *testing.T) {
	file := configuration(t, `
		{
			admin 127.0.0.1:1
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
			servers :8080 {
				name shops
				trusted_proxies static private_ranges
			}
			servers :8081 {
				name strict
				trusted_proxies static private_ranges
				trusted_proxies_strict
			}
			servers :8082 {
				name strangers
				trusted_proxies static private_ranges
			}
			servers :8083 {
				name socket
				trusted_proxies_unix
			}
		}
		http://localhost:8080, http://localhost:8081 {
			frontdesk shop
		}
		http://other.example:8080 {
			frontdesk
		}
		http://localhost:8082 {
			respond hello
		}
		http://localhost:8083 {
			frontdesk_console
		}
		http://localhost:8084 {
			frontdesk shop
		}`)
	output, err := command(t, "", "doctor", "-c", file)
	require.NoError(t, err, output)
	require.Equal(t, []string{"server shops (:8080)", "server socket (:8083)"}, regexp.MustCompile(`server \w+ \([^)]*\)`).FindAllString(output, -1))
	require.Regexp(t, `note +proxies +server shops \(:8080\) trusts proxies without trusted_proxies_strict: `, output)
}

func TestDoctorOfARunningServer(t *testing.T) {
	caddyfile := option + `
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}
		http://localhost:$PORT2 {
			handle {
				reverse_proxy $ORIGIN
			}
			frontdesk other
		}`
	s := run(t, caddyfile).Ready()
	_, err := command(t, "correct horse battery", "operator", "add", "anna", "--database-sqlite", s.Text("$DIR/frontdesk.db"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "caddy.json")
	require.NoError(t, os.WriteFile(file, s.Adapt(caddyfile), 0o600))
	output, err := command(t, "", "doctor", "-c", file)
	require.NoError(t, err, output)
	require.Regexp(t, `ok +database +sqlite .*up to date\n`, output)
	require.Regexp(t, `ok +operators +1 with`, output)
	require.Regexp(t, `ok +server +running and ready\n`, output)
	require.Regexp(t, s.Text(`ok +site +http://localhost:$PORT/frontdesk/svc.js answers\n`), output)
	require.Regexp(t, s.Text(`ok +site +http://localhost:$PORT2/frontdesk/svc.js answers\n`), output)
}

func TestDoctorFindsTrouble(t *testing.T) {
	for name, trouble := range map[string]struct{ caddyfile, expected string }{
		"a database out of reach": {`
			{
				admin 127.0.0.1:1
				frontdesk {
					database postgres postgres://desk:secret@127.0.0.1:1/desk
				}
			}
			http://localhost:8080 {
				frontdesk shop
			}`, `WRONG +database +postgres: opening database: .*refused`},
		"a database that cannot be made": {`
			{
				admin 127.0.0.1:1
				frontdesk {
					database sqlite $DIR/Caddyfile/frontdesk.db
				}
			}
			http://localhost:8080 {
				frontdesk shop
			}`, `WRONG +database +sqlite .*not a directory`},
		"a placeholder that stands for nothing": {`
			{
				admin 127.0.0.1:1
				frontdesk {
					operator anna {env.TEST_NO_SUCH_VARIABLE}
				}
			}
			http://localhost:8080 {
				frontdesk shop
			}`, `WRONG +configuration .*Caddyfile:5: password hash of operator "anna"`},
		"a wrong configuration": {`
			http://localhost:8080 {
				frontdesk shop {
					variant C
				}
			}`, `WRONG +configuration +.*expected A or B, at .*Caddyfile:4`},
		"no site": {`
			http://localhost:8080 {
				respond hello
			}`, `WRONG +configuration +.*does not use frontdesk`},
	} {
		t.Run(name, func(t *testing.T) {
			output, err := command(t, "", "doctor", "-c", configuration(t, trouble.caddyfile))
			require.Error(t, err)
			require.Regexp(t, trouble.expected, output)
			require.NotContains(t, output, "secret")
		})
	}
}

func TestVersionIsTold(t *testing.T) {
	output, err := command(t, "", "version")
	require.NoError(t, err)
	require.Equal(t, snippet.Release()+"\n", output)
	output, err = command(t, "", "doctor", "-c", configuration(t, option))
	require.NoError(t, err, output)
	require.Contains(t, output, "ok     version        Frontdesk "+snippet.Release()+" in Caddy ")
}

func TestUnknownCommands(t *testing.T) {
	for expected, args := range map[string][]string{
		`unknown command "dctor" of "frontdesk": expected doctor`: {"dctor"},
		`unknown command "charts" of "frontdesk": expected backup, completion, demo-data, doctor, erase, export, forwards, help, numbers, operator, reports, restore, rewrite, site, token, verify, version`: {"charts"},
		`unknown command "charts" of "frontdesk operator": expected add, change, list, passwd, remove, two-step-off`:                                                                                         {"operator", "charts", "anna"},
	} {
		_, err := command(t, "", args...)
		require.EqualError(t, err, expected)
	}
	output, err := command(t, "", "operator")
	require.NoError(t, err)
	require.Contains(t, output, "passwd")
}

// A database that is named is examined beside the configuration, where there is one.
func TestDoctorOfANamedDatabase(t *testing.T) {
	file := configuration(t, option+"\nhttp://localhost:8080 {\n\tfrontdesk shop {\n\t\tvariant C\n\t}\n}")
	named := filepath.Join(t.TempDir(), "named.db")
	output, err := command(t, "", "doctor", "-c", file, "--database-sqlite", named)
	require.Error(t, err)
	require.Regexp(t, `WRONG +configuration +.*expected A or B`, output)
	require.Contains(t, output, named)
	t.Chdir(t.TempDir())
	output, err = command(t, "", "doctor", "--database-sqlite", named)
	require.NoError(t, err)
	require.NotContains(t, output, "configuration")
}

func TestReportsAreRebuilt(t *testing.T) {
	output, err := command(t, "", "reports", "rebuild", "-c", configuration(t, option))
	require.NoError(t, err, output)
	require.Regexp(t, `rebuilt: 0 visits with 0 views, 0 inquiries, \S+\n$`, output)
}
