package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

const (
	// lostVisitors send forms at once, each from an address of its own.
	lostVisitors = 64
	// lostDisk is how large the disk is on which the database and the spool are, in bytes.
	lostDisk = 2 << 30
	// lostPatience is how long all that waits may take to be stored when nothing is wrong any more.
	lostPatience = 10 * time.Minute
)

// fault is something that goes wrong, until end.
type fault struct {
	name       string
	begin, end func() error
}

// lost sends so many forms to a server that is killed so often, while its disk and its databases fail in turn: one half
// on SQLite, the other on PostgreSQL. It fails when a form that was answered is not found once. It needs root.
func lost(ctx context.Context, folder, caddy string, forms, kills int) error {
	disk := filepath.Join(folder, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount("frontdesk", disk, "tmpfs", 0, fmt.Sprint("size=", lostDisk)); err != nil {
		return fmt.Errorf("mounting a small disk (needs root): %w", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	postgres, err := dbtest.StartServer(folder)
	if err != nil {
		return err
	}
	defer postgres.Remove()
	file := filepath.Join(disk, "frontdesk.db")
	for _, of := range []struct {
		name, option, driver, source string
		faults                       []fault
	}{
		{"SQLite", "sqlite " + file, "sqlite", "file:" + file, sqliteFaults(disk, file)},
		{"PostgreSQL", `postgres "` + postgres.Source() + `"`, "pgx", postgres.Source(), postgresFaults(disk, postgres)},
	} {
		l := &losing{caddy: caddy, disk: disk, driver: of.driver, source: of.source}
		fmt.Printf("%s: %d forms by %d visitors at once, %d kills\n%-28s %8s %12s %8s\n", of.name, forms/2, lostVisitors, kills/2, "fault", "sent", "answered", "seconds")
		if err := l.run(ctx, folder, of.option, of.faults, forms/2, kills/2); err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
	}
	return nil
}

func nothing() error { return nil }

// fullDisk leaves no room on the disk.
func fullDisk(disk string) fault {
	ballast := filepath.Join(disk, "ballast")
	return fault{"disk full", func() error {
		var room syscall.Statfs_t
		if err := syscall.Statfs(disk, &room); err != nil {
			return err
		}
		f, err := os.Create(ballast)
		if err != nil {
			return err
		}
		defer f.Close()
		if n := int64(room.Bavail)*room.Bsize - 1<<20; n > 0 {
			err = syscall.Fallocate(int(f.Fd()), 0, 0, n)
		}
		if err == nil {
			_, err = f.Seek(0, io.SeekEnd)
		}
		for block := make([]byte, 4096); err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		return nil
	}, func() error { return os.Remove(ballast) }}
}

// both are two faults at once.
func both(a, b fault) fault {
	return fault{a.name + ", " + b.name, func() error { return errors.Join(a.begin(), b.begin()) }, func() error { return errors.Join(a.end(), b.end()) }}
}

// every does something again and again until the function that it returns is called.
func every(pause time.Duration, do func() error) (end func() error) {
	over, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			if err := do(); err != nil {
				ended <- err
				return
			}
			select {
			case <-over:
				ended <- nil
				return
			case <-time.After(pause):
			}
		}
	}()
	return func() error {
		close(over)
		return <-ended
	}
}

func sqliteFaults(disk, file string) []fault {
	var d *sql.DB
	var tx *sql.Tx
	lock := func() (err error) {
		if d == nil {
			if d, err = sql.Open("sqlite", "file:"+file+"?_txlock=immediate&_pragma=busy_timeout(60000)"); err != nil {
				return err
			}
		}
		tx, err = d.Begin()
		return err
	}
	locked := fault{"database locked", lock, func() error { return tx.Rollback() }}
	var end func() error
	slow := fault{"database slow", func() error {
		end = every(50*time.Millisecond, func() error {
			if err := lock(); err != nil {
				return err
			}
			time.Sleep(400 * time.Millisecond)
			return tx.Rollback()
		})
		return nil
	}, func() error { return end() }}
	full := fullDisk(disk)
	return []fault{{"nothing", nothing, nothing}, full, locked, slow, both(locked, full)}
}

func postgresFaults(disk string, s *dbtest.Server) []fault {
	administer := func(statements ...string) error {
		d, err := sql.Open("pgx", s.Source())
		if err != nil {
			return err
		}
		defer d.Close()
		for _, statement := range statements {
			if _, err := d.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	}
	stopped := fault{"database stopped", func() error { s.Stop(); return nil }, s.Start}
	var end func() error
	cut := fault{"connections cut", func() error {
		end = every(200*time.Millisecond, func() error {
			return administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
		})
		return nil
	}, func() error { return end() }}
	readOnly := fault{"database read-only", func() error {
		return administer("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
	}, func() error {
		return administer("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
	}}
	paused := fault{"database paused", s.Pause, s.Resume}
	return []fault{{"nothing", nothing, nothing}, stopped, paused, cut, readOnly, both(stopped, fullDisk(disk))}
}

// losing is a server that is killed while it is sent forms.
type losing struct {
	caddy, disk    string
	driver, source string
	file, config   string
	address, admin string
	client         http.Client

	mu      sync.RWMutex // held while the server is killed and starts again
	process *process
	next    atomic.Int64 // the id of the next form
	answers sync.Map     // what was answered, by the ids of the forms
}

func (l *losing) run(ctx context.Context, folder, database string, faults []fault, forms, kills int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	origin := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/send/fails" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		io.WriteString(w, "Thanks")
	})}
	go origin.Serve(listener)
	defer origin.Close()
	if l.address, err = freeAddress(); err != nil {
		return err
	}
	if l.admin, err = freeAddress(); err != nil {
		return err
	}
	l.client.Transport = &http.Transport{MaxIdleConnsPerHost: lostVisitors}
	l.file = filepath.Join(folder, "lost.conf")
	l.config = "{\n\tadmin " + l.admin + "\n\tdefault_bind 127.0.0.1\n\tauto_https off\n\tpersist_config off\n\tlog {\n\t\tlevel ERROR\n\t}\n" +
		"\tservers {\n\t\ttrusted_proxies static 127.0.0.0/8\n\t\ttrusted_proxies_strict\n\t}\n\tfrontdesk {\n\t\tdatabase " + database + "\n\t}\n}\n" +
		"http://" + l.address + " {\n\tfrontdesk shop {\n\t\tcapture /send/*\n\t}\n\treverse_proxy " + listener.Addr().String() + "\n}\n"
	if err := l.start(ctx); err != nil {
		return err
	}
	defer func() { l.process.stop() }()
	if err := l.settle(ctx); err != nil {
		return err
	}
	for round := range kills {
		if err := l.round(ctx, faults[round%len(faults)], forms/kills); err != nil {
			return err
		}
	}
	began := time.Now()
	if err := l.settle(ctx); err != nil {
		return err
	}
	fmt.Printf("nothing waits any more after %.1f seconds\n", time.Since(began).Seconds())
	l.process.stop()
	return l.count(ctx)
}

func (l *losing) start(ctx context.Context) error {
	if err := os.WriteFile(l.file, []byte(l.config), 0o644); err != nil {
		return err
	}
	probe, err := http.NewRequest(http.MethodGet, "http://"+l.address, nil)
	if err != nil {
		return err
	}
	l.process, err = start(ctx, probe, "env", "XDG_DATA_HOME="+l.disk, "XDG_CONFIG_HOME="+l.disk, l.caddy, "run", "--config", l.file, "--adapter", "caddyfile")
	return err
}

// round sends forms while something is wrong, and kills the server in the middle.
func (l *losing) round(ctx context.Context, wrong fault, forms int) error {
	began := time.Now()
	if err := wrong.begin(); err != nil {
		return fmt.Errorf("beginning %s: %w", wrong.name, err)
	}
	first := l.next.Load()
	last := first + int64(forms)
	fatal := first + rand.Int64N(int64(forms)) // the server ends when that one is sent
	var sending sync.WaitGroup
	var failed atomic.Value
	for range lostVisitors {
		sending.Go(func() {
			for ctx.Err() == nil {
				id := l.next.Add(1) - 1
				if id >= last {
					return
				}
				if id == fatal {
					if err := l.kill(ctx); err != nil {
						failed.Store(err)
						return
					}
				}
				l.await() // nobody asks a server that is not there
				l.send(ctx, id)
			}
		})
	}
	sending.Wait()
	l.next.Store(last)
	if err := wrong.end(); err != nil {
		return fmt.Errorf("ending %s: %w", wrong.name, err)
	}
	if err, _ := failed.Load().(error); err != nil {
		return fmt.Errorf("starting again while %s: %w", wrong.name, err)
	}
	answered := 0
	for id := first; id < last; id++ {
		if _, was := l.answers.Load(id); was {
			answered++
		}
	}
	fmt.Printf("%-28s %8d %12d %8.1f\n", wrong.name, forms, answered, time.Since(began).Seconds())
	return ctx.Err()
}

// await returns when the server runs.
func (l *losing) await() {
	l.mu.RLock()
	defer l.mu.RUnlock()
}

// kill ends the server without a word, and starts it again.
func (l *losing) kill(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.process.cmd.Process.Kill()
	l.process.cmd.Wait()
	return l.start(ctx)
}

// numberOf is the telephone of the visitor who sends the form.
func numberOf(id int64) string { return fmt.Sprintf("7921%07d", id) }

// send sends the form once. The site answers each seventh with an error.
func (l *losing) send(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	path := "/send/form"
	if id%7 == 0 {
		path = "/send/fails"
	}
	body := fmt.Sprintf("name=Anna&phone=%%2B%s&message=Is+the+lamp+there%%3F", numberOf(id))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.address+path, strings.NewReader(body))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36")
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("%d.%d.%d.9", 20+id>>16, id>>8&255, id&255))
	response, err := l.client.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err == nil && string(text) == "Thanks" {
		l.answers.Store(id, true)
	}
}

var waitingForms = regexp.MustCompile(`(?m)^frontdesk_forms_waiting (\S+)$`)

// settle waits until the server is well and no form waits.
func (l *losing) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lostPatience)
	defer cancel()
	for {
		said := ""
		for _, path := range []string{"/frontdesk/health", "/metrics"} {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.admin+path, nil)
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			text, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil {
				return err
			}
			if said = string(text); response.StatusCode != http.StatusOK {
				break
			}
		}
		if found := waitingForms.FindStringSubmatch(said); found != nil {
			if n, err := strconv.ParseFloat(found[1], 64); err == nil && n == 0 {
				return nil
			}
			said = found[0]
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %v: %s", lostPatience, said)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

var numberInText = regexp.MustCompile(`7921\d{7}`)

// count looks for each form that was answered.
func (l *losing) count(ctx context.Context) error {
	d, err := sql.Open(l.driver, l.source)
	if err != nil {
		return err
	}
	defer d.Close()
	found := make(map[string]int)
	for _, query := range []string{`SELECT phone FROM leads`, `SELECT sent FROM refused_leads WHERE lead_id = 0`} {
		rows, err := d.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			found[numberInText.FindString(text)]++
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	answered, lost, twice, unanswered := 0, 0, 0, 0
	for id := range l.next.Load() {
		n := found[numberOf(id)]
		_, was := l.answers.Load(id)
		switch {
		case !was:
			unanswered += n
		case n == 0:
			lost++
		}
		if was {
			answered++
		}
		if n > 1 {
			twice++
		}
	}
	fmt.Printf("%d forms were answered: %d are lost; %d are found twice; %d more were kept of those that the kills left without an answer\n", answered, lost, twice, unanswered)
	if lost+twice > 0 {
		return errors.New("not each form was found once")
	}
	return nil
}
