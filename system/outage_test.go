package system

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// tracked is a site whose pages come from the origin, on the database that stands
// before it.
const tracked = `
http://localhost:$PORT {
	frontdesk shop
	reverse_proxy $ORIGIN
}`

// sender sends leads, as the script does.
type sender struct {
	*server
	credentials map[string]any
	sent        int
}

// arrive reports a page view, from which leads can be sent.
func (s *server) arrive() *sender {
	s.T.Helper()
	status, body := s.call("hit", map[string]any{
		"site_key": "shop", "view": strings.Repeat("v", 22), "url": s.Text("http://localhost:$PORT/lamps"), "kind": "load",
	})
	require.Equal(s.T, http.StatusOK, status, "%v", body)
	return &sender{server: s, credentials: body}
}

func (s *server) call(route string, content map[string]any) (status int, body map[string]any) {
	s.T.Helper()
	encoded, err := json.Marshal(content)
	require.NoError(s.T, err)
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/"+route, string(encoded), "Content-Type", "application/json", "User-Agent", browser)
	require.NoError(s.T, err)
	require.NoError(s.T, json.Unmarshal([]byte(got.Content), &body), got.Content)
	return got.StatusCode, body
}

// lead sends a lead of that many bytes and tells whether it was acknowledged.
func (s *sender) lead(size int) bool {
	s.T.Helper()
	s.sent++
	credentials := make(map[string]any)
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"} {
		credentials[name] = s.credentials[name]
	}
	status, body := s.call("lead", map[string]any{
		"credentials": credentials, "id": fmt.Sprintf("lead-%017d", s.sent),
		"request": map[string]any{"message": strings.Repeat("m", size)},
	})
	if status == http.StatusOK {
		require.Equal(s.T, true, body["success"])
		return true
	}
	require.Equal(s.T, http.StatusServiceUnavailable, status, "%v", body)
	require.Equal(s.T, "unavailable", body["code"])
	return false
}

// requireTrouble checks that health tells of it, and since when.
func (s *server) requireTrouble(began time.Time, words string) {
	s.T.Helper()
	status, state := s.Health()
	require.Equal(s.T, http.StatusServiceUnavailable, status)
	requireTrouble(s.T, state, began, words)
}

// requireReasons checks that these are among the reasons, and that the first is one for which nothing can be stored.
func (s *server) requireReasons(codes ...string) {
	s.T.Helper()
	status, state := s.Health()
	require.Equal(s.T, http.StatusServiceUnavailable, status)
	require.Equal(s.T, "unhealthy", state.Status)
	for _, code := range codes {
		require.True(s.T, state.Has(code), "%s: %+v", code, state.Reasons)
	}
	require.Equal(s.T, codes[0], state.Reasons[0].Code)
	require.True(s.T, state.Reasons[0].Unhealthy)
}

func requireTrouble(t testing.TB, state servertest.Health, began time.Time, words string) {
	t.Helper()
	require.False(t, state.Ready)
	require.Contains(t, state.Error, words)
	require.NotNil(t, state.Since)
	require.WithinRange(t, *state.Since, began.Truncate(time.Second), time.Now())
}

func (s *server) page() string {
	s.T.Helper()
	got := s.Get("http://localhost:$PORT/lamps")
	require.Equal(s.T, http.StatusOK, got.StatusCode)
	return got.Content
}

// storedLeads are counted in the file of a SQLite database that nobody uses.
func storedLeads(t *testing.T, file string) (n int) {
	t.Helper()
	d, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	defer d.Close()
	require.NoError(t, d.QueryRow("SELECT COUNT(*) FROM leads").Scan(&n))
	return n
}

// No lead is acknowledged into a file that is not at its place any more.
func TestLostFile(t *testing.T) {
	replace := func(t *testing.T, file string) {
		content, err := os.ReadFile(file) // as a copy is put back from a backup
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file+".copy", content, 0o600))
		require.NoError(t, os.Rename(file+".copy", file))
	}
	for name, test := range map[string]struct {
		file string
		lose func(t *testing.T, file string)
	}{
		"removed":               {"frontdesk.db", func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }},
		"moved away":            {"frontdesk.db", func(t *testing.T, file string) { require.NoError(t, os.Rename(file, file+".away")) }},
		"replaced":              {"frontdesk.db", replace},
		"the log removed":       {"frontdesk.db-wal", func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }},
		"the log's index moved": {"frontdesk.db-shm", func(t *testing.T, file string) { require.NoError(t, os.Rename(file, file+".away")) }},
	} {
		for _, noticed := range []string{"by a lead", "by itself"} {
			t.Run(name+", noticed "+noticed, func(t *testing.T) {
				s := run(t, option+tracked).Ready()
				visitor := s.arrive()
				require.True(t, visitor.lead(10))
				require.Contains(t, s.page(), insertion)

				began := time.Now()
				test.lose(t, s.Text("$DIR/"+test.file))
				if noticed == "by a lead" {
					require.False(t, visitor.lead(10))
				}
				require.Eventually(t, func() bool { return s.page() == servertest.Page }, wait, tick, "pages pass untouched")
				require.False(t, visitor.lead(10))
				s.requireTrouble(began, test.file)
				s.requireReasons("file_lost")
				require.Contains(t, s.Log(), "the database takes no writes")
			})
		}
	}
}

// The file that comes back is the same database; another at its place is not.
func TestLostFileComesBack(t *testing.T) {
	s := run(t, option+tracked).Ready()
	visitor := s.arrive()
	require.True(t, visitor.lead(10))
	file := s.Text("$DIR/frontdesk.db")
	began := time.Now()
	require.NoError(t, os.Rename(file, file+".away"))
	require.False(t, visitor.lead(10))

	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for until := time.Now().Add(1500 * time.Millisecond); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		require.False(t, visitor.lead(10))
	}
	s.requireTrouble(began, "frontdesk.db")

	require.NoError(t, os.Rename(file+".away", file))
	s.Ready()
	require.True(t, visitor.lead(10))
	require.Contains(t, s.page(), insertion)
	require.NoError(t, caddy.Stop())
	caddymodule.WaitUntilClosed()
	require.Equal(t, 2, storedLeads(t, file))
}

// What was acknowledged before the log was lost is in the file after a restart.
func TestRestartAfterTheLogWasLost(t *testing.T) {
	s := run(t, option+tracked).Ready()
	visitor := s.arrive()
	for range 5 {
		require.True(t, visitor.lead(1000))
	}
	require.NoError(t, os.Remove(s.Text("$DIR/frontdesk.db-wal")))
	require.False(t, visitor.lead(10))
	require.NoError(t, caddy.Stop())
	caddymodule.WaitUntilClosed()
	require.Equal(t, 5, storedLeads(t, s.Text("$DIR/frontdesk.db")))

	require.NoError(t, s.Load(option+tracked))
	s.Ready()
	require.True(t, s.arrive().lead(10))
}

// Nothing is written into a file of which the database says that it is malformed. Health
// tells, and forms wait on the disk.
func TestMalformedFile(t *testing.T) {
	s, _, desk := capturing(t)
	require.True(t, s.arrive().lead(10))
	require.NoError(t, desk.DB.Scrub(t.Context()))
	desk.DB.Read().SetMaxIdleConns(-1) // what they remember is well
	path := s.Text("$DIR/frontdesk.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	began := time.Now()
	_, err = file.WriteAt([]byte(strings.Repeat("broken", int(info.Size()-8192)/6)), 8192)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := desk.Leads.List(t.Context(), scope.All(), lead.Cursor{}, 10)
		return err != nil
	}, wait, tick)

	s.requireTrouble(began, "malformed")
	sent, err := s.Do(http.MethodPost, "http://localhost:$PORT/send/200", "name=Anna&phone=%2B74950000001", "Content-Type", formType, "User-Agent", browser)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, sent.StatusCode)
	_, state := s.Health()
	require.Equal(t, 1, state.Forms.Waiting)
	require.Equal(t, path+".forms", state.Forms.File)
	s.requireTrouble(began, "malformed")
	s.requireReasons("malformed", "forms_wait")
}

// A PostgreSQL that becomes read-only, as a primary does that is made a standby,
// is noticed by the first write, and so is its end.
func TestReadOnlyPostgres(t *testing.T) {
	source := dbtest.OwnServer(t).Source()
	administrator, err := sql.Open("pgx", source)
	require.NoError(t, err)
	defer administrator.Close()
	administer := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			_, err := administrator.Exec(statement)
			require.NoError(t, err)
		}
	}
	s := run(t, `
		{
			frontdesk {
				database postgres "`+source+`"
			}
		}`+tracked).Ready()
	visitor := s.arrive()
	require.True(t, visitor.lead(10))

	began := time.Now()
	administer("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
	// Each connection hears of it when it likes.
	require.Eventually(t, func() bool {
		refused := !visitor.lead(10)
		status, _ := s.Health()
		return refused && status != http.StatusOK
	}, wait, tick)
	s.requireTrouble(began, "the database is read-only")
	s.requireReasons("read_only")
	require.Contains(t, s.page(), insertion, "what is known is still told")

	administer("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
	s.Ready()
	require.Eventually(t, func() bool { return visitor.lead(10) }, wait, tick)
}

// TestFullDisk runs Caddy with its database and its spool on a small disk of its own, which is
// mounted where nobody else sees it.
func TestFullDisk(t *testing.T) {
	folder := t.TempDir()
	s := &server{servertest.New(t, "$DIR", folder)}
	config := filepath.Join(t.TempDir(), "caddy.json")
	require.NoError(t, os.WriteFile(config, s.Adapt(`
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
				spool {
					size 2MB
				}
				operator anna "`+hash+`"
				operator boris "`+hash+`" shop
			}
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}
		http://localhost:$PORT {
			frontdesk shop {
				capture /send
			}
			header Content-Type text/html
			respond "<!doctype html><html><head><title>Lamps</title></head><body>Lamps</body></html>"
		}`), 0o600))
	cmd := exec.Command("sh", "-ec", `mount --make-rprivate /; mount -t tmpfs -o size=32m frontdesk "$1"; exec "$2" run --config "$3"`,
		"sh", folder, os.Args[0], config)
	cmd.Env = append(os.Environ(), asCaddy+"=1", "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
	}
	var output strings.Builder
	cmd.Stderr = &output
	require.NoError(t, cmd.Start())
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-exited
	})
	require.Eventually(t, func() bool {
		select {
		case err := <-exited:
			exited <- err
			require.NoError(t, err, output.String())
		default:
		}
		answer, err := s.Do(http.MethodGet, "http://"+s.Admin+"/frontdesk/health", "")
		return err == nil && answer.StatusCode == http.StatusOK
	}, wait, tick)

	visitor := s.arrive()
	require.True(t, visitor.lead(10))
	consoles := s.console()
	anna, _ := consoles.as("anna")
	boris, _ := consoles.as("boris")
	require.NotContains(t, consoles.shown(anna), "The disk")
	// The folder as Caddy sees it.
	ballast := filepath.Join(fmt.Sprintf("/proc/%d/root", cmd.Process.Pid), folder, "ballast")
	began := time.Now()
	disk, err := os.Create(ballast)
	require.NoError(t, err)
	defer disk.Close()
	for block := make([]byte, 4096); err == nil; {
		_, err = disk.Write(block)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	// The log has some room left, which small writes may still find.
	var told servertest.Health
	refusals := 0 // one after the other, a second apart
	require.Eventually(t, func() bool {
		refused := !visitor.lead(60_000) && !visitor.lead(10)
		var status int
		status, told = s.Health()
		if refusals++; !refused || status == http.StatusOK {
			refusals = 0
		}
		return refusals == 3
	}, wait, time.Second)
	requireTrouble(t, told, began, "the disk of the database is full")
	require.Contains(t, told.Error, "make room on it")
	require.Contains(t, s.page(), insertion, "pages are woven all the same")

	// Whatever forms come now are kept in the space that is reserved, and nothing of them is lost.
	const forms = 150
	for i := range forms {
		sent, err := s.Do(http.MethodPost, "http://localhost:$PORT/send", fmt.Sprintf("email=a%d@example.com&message=%s", i, strings.Repeat("m", 10_000)), "Content-Type", formType, "User-Agent", browser)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, sent.StatusCode)
	}
	require.Contains(t, consoles.shown(anna), "The disk of the database has been full since ")
	require.Contains(t, consoles.shown(anna), "150 forms are waiting on the disk")
	require.NotContains(t, consoles.shown(boris), "The disk", "he can do nothing about it")
	_, told = s.Health()
	require.Equal(t, forms, told.Forms.Waiting)
	require.Empty(t, told.Forms.Error)
	require.Contains(t, s.Log(), "forms wait on the disk for the database")
	require.Contains(t, s.Log(), "the disk of the database is full: make room on it")
	outcome := func(outcome string) float64 { return s.Metric(`frontdesk_forms_total{outcome="` + outcome + `"}`) }
	require.EqualValues(t, forms, outcome("waits"))
	require.Zero(t, outcome("lost"))
	// The spool is full, too, in the end: that is told.
	further := 0
	require.Eventually(t, func() bool {
		further++
		_, err := s.Do(http.MethodPost, "http://localhost:$PORT/send", fmt.Sprintf("email=b%d@example.com&message=%s", further, strings.Repeat("m", 60_000)), "Content-Type", formType, "User-Agent", browser)
		require.NoError(t, err)
		_, told = s.Health()
		return strings.Contains(told.Forms.Error, "the file is full")
	}, wait, tick)

	require.Contains(t, consoles.shown(anna), "There is no room for more forms")
	s.requireReasons("disk_full", "disk_low", "forms_wait", "forms_unsafe")

	require.NoError(t, os.Remove(ballast))
	require.NoError(t, disk.Close())
	s.Ready()
	require.True(t, visitor.lead(60_000))
	kept := outcome("waits")
	require.Eventually(t, func() bool { _, told = s.Health(); return told.Forms.Waiting == 0 }, wait, tick)
	require.Equal(t, kept, s.Metric(`frontdesk_leads_total{origin="form"}`), "each form that was taken is a lead")
}
