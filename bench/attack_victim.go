package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

const victimSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// startVictim runs a server with a shop and a console, in so many MB of memory; 0 for all that there is.
func startVictim(ctx context.Context, folder, caddy, database string, megabytes int) (*victim, error) {
	v := &victim{release: func() {}}
	var err error
	if v.platform, err = signature.Parse(victimSecret); err != nil {
		return nil, err
	}
	if v.shop, err = freeAddress(); err != nil {
		return nil, err
	}
	if v.desk, err = freeAddress(); err != nil {
		return nil, err
	}
	origin, err := serveOrigin()
	if err != nil {
		return nil, err
	}
	global := "frontdesk {\n\t\tdatabase " + database + "\n\t\ttelephony webhook {\n\t\t\tsecret " + victimSecret + "\n\t\t}\n\t}\n\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n\t}"
	config := strings.NewReplacer("ADDRESS", v.shop, "ORIGIN", origin.Addr().String()).Replace(caddyConfig(global, "frontdesk shop {\n\t\t"+numberDirectives("")+"\n\t}")) +
		"http://" + v.desk + " {\n\tfrontdesk_console\n}\n"
	file := filepath.Join(folder, "victim.conf")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return nil, err
	}
	add := exec.CommandContext(ctx, caddy, "frontdesk", "operator", "add", "vera", "--config", file, "--adapter", "caddyfile")
	add.Stdin = strings.NewReader(livePassword + "\n")
	if output, err := add.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("adding the operator: %w: %s", err, output)
	}
	probe, err := http.NewRequest(http.MethodPost, "http://"+v.shop+"/frontdesk/v1/hit", strings.NewReader(hitBody(0)))
	if err != nil {
		return nil, err
	}
	probe.Header.Set("Content-Type", "application/json")
	command := []string{caddy, "run", "--config", file, "--adapter", "caddyfile"}
	if megabytes > 0 {
		command, v.release = confined(megabytes, command)
	}
	if v.process, err = start(ctx, probe, command[0], command[1:]...); err != nil {
		v.release()
	}
	return v, err
}

// stop ends the server.
func (v *victim) stop() {
	v.process.stop()
	v.release()
}

// openDesk is a console that somebody has open: the lists of leads and visitors with their streams, and lists that are
// opened anew each second.
type openDesk struct {
	stop  context.CancelFunc
	ended sync.WaitGroup
	// bytes are those of all events, and failed counts lists that were not shown.
	bytes, lists, failed atomic.Int64
}

func (v *victim) openConsole(ctx context.Context) (*openDesk, error) {
	o := &openConsoles{base: "http://" + v.desk}
	operator, err := o.signIn(ctx, "vera")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	d := &openDesk{stop: stop}
	for _, page := range []string{"/leads", "/visitors"} {
		d.ended.Go(func() {
			for ctx.Err() == nil {
				events, err := o.stream(ctx, operator, page)
				if err == nil {
					io.Copy(counter{&d.bytes}, events)
					events.Close()
				}
				pause(ctx, time.Second)
			}
		})
	}
	d.ended.Go(func() {
		for ctx.Err() == nil {
			for _, list := range []string{"/leads", "/visitors"} {
				d.lists.Add(1)
				page, err := o.get(ctx, operator, list)
				if err != nil {
					d.failed.Add(1)
					continue
				}
				io.Copy(io.Discard, page)
				page.Close()
			}
			pause(ctx, time.Second)
		}
	})
	return d, nil
}

// counter counts what is written, and keeps none of it.
type counter struct{ sum *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.sum.Add(int64(len(p)))
	return len(p), nil
}

func (d *openDesk) close() {
	d.stop()
	d.ended.Wait()
}

// forgetPeak has the process's most memory counted anew from now on.
func (p *process) forgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0)
}

var peakLine = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// peak is the most memory in bytes that the process has had since.
func (p *process) peak() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	found := peakLine.FindSubmatch(status)
	if found == nil {
		return 0, errors.New("the server has ended")
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	return kilobytes << 10, err
}

// pause returns whether ctx is still there after that time.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
