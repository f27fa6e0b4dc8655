package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
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
	end, err := l.open(ctx, folder, database)
	if err != nil {
		return err
	}
	defer end()
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

// open starts the server, in front of a site that takes forms, and waits until it is well. end ends both.
func (l *losing) open(ctx context.Context, folder, database string) (end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	origin := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/send/fails" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		io.WriteString(w, "Thanks")
	})}
	go origin.Serve(listener)
	end = func() {
		if l.process != nil {
			l.process.stop()
		}
		origin.Close()
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	if l.address, err = freeAddress(); err != nil {
		return nil, err
	}
	if l.admin, err = freeAddress(); err != nil {
		return nil, err
	}
	l.client.Transport = &http.Transport{MaxIdleConnsPerHost: lostVisitors}
	l.file = filepath.Join(folder, "lost.conf")
	l.config = "{\n\tadmin " + l.admin + "\n\tdefault_bind 127.0.0.1\n\tauto_https off\n\tpersist_config off\n\tlog {\n\t\tlevel ERROR\n\t}\n" +
		"\tservers {\n\t\ttrusted_proxies static 127.0.0.0/8\n\t\ttrusted_proxies_strict\n\t}\n\tfrontdesk {\n\t\tdatabase " + database + "\n\t}\n}\n" +
		"http://" + l.address + " {\n\tfrontdesk shop {\n\t\tcapture /send/*\n\t}\n\treverse_proxy " + listener.Addr().String() + "\n}\n"
	if err := l.start(ctx); err != nil {
		return nil, err
	}
	return end, l.settle(ctx)
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
