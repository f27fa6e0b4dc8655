package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

const (
	unreadConnections = 1000
	// unreadSize is of a page that CSS selectors still reach: larger ones go
	// without.
	unreadSize = 400 << 10
)

// memory measures what a Caddy holds for connections that ask for a page and do
// not read it, with and without CSS selectors.
func memory(ctx context.Context, folder, caddy string) error {
	body := page.Page{Size: unreadSize, Numbers: numbersOnPage}.Make()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	var asked atomic.Int64
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body)
	}))
	fmt.Printf("Resident memory for %d connections that ask for a page of %d KB and do not read\n", unreadConnections, unreadSize>>10)
	fmt.Printf("%-22s %10s %10s %14s\n", "numbers", "idle, MB", "held, MB", "KB for each")
	n := page.Numbers(1)[0]
	for _, side := range []struct{ name, places string }{
		{"without selectors", ""}, {"with selectors", "selector \"footer a\" \"p b\"\n"},
	} {
		directives := fmt.Sprintf("prerender static\nnumber %s {\n%sstatic %s utm_source=news\n}", n.Digits, side.places, n.Replacement)
		idle, held, err := unread(ctx, folder, caddy, listener.Addr().String(), directives, &asked)
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		fmt.Printf("%-22s %10.0f %10.0f %14.0f\n", side.name, mega(idle), mega(held), float64(held-idle)/1024/unreadConnections)
	}
	return nil
}

func mega(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// unread is the memory of a Caddy before the connections and the most that it had
// for five seconds with them.
func unread(ctx context.Context, folder, caddy, origin, directives string, asked *atomic.Int64) (idle, held int64, err error) {
	address, err := freeAddress()
	if err != nil {
		return 0, 0, err
	}
	config := strings.NewReplacer("ADDRESS", address, "ORIGIN", origin, "FOLDER", folder).Replace(frontdeskConfig("memory", directives))
	file := filepath.Join(folder, "memory.conf")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return 0, 0, err
	}
	probe, err := http.NewRequest(http.MethodGet, "http://"+address+pagePath(unreadSize), nil)
	if err != nil {
		return 0, 0, err
	}
	p, err := start(ctx, probe, caddy, "run", "--config", file, "--adapter", "caddyfile")
	if err != nil {
		return 0, 0, err
	}
	defer p.stop()
	if err := awaitText(ctx, address, "tel:+"+page.Numbers(1)[0].Replacement); err != nil {
		return 0, 0, err
	}
	if idle, err = p.resident(); err != nil {
		return 0, 0, err
	}
	before := asked.Load()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error { // what the kernel holds is little
		var set error
		err := c.Control(func(fd uintptr) { set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
		if err != nil {
			return err
		}
		return set
	}}
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\nSec-Fetch-Dest: document\r\n\r\n", pagePath(unreadSize), address)
	for range unreadConnections {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return 0, 0, err
		}
		defer conn.Close()
		if _, err := conn.Write([]byte(request)); err != nil {
			return 0, 0, err
		}
	}
	settled := time.Now().Add(5 * time.Second)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(settled); time.Sleep(100 * time.Millisecond) {
		now, err := p.resident()
		if err != nil {
			return 0, 0, err
		}
		held = max(held, now)
		if asked.Load() < before+unreadConnections && time.Now().Before(deadline) {
			settled = time.Now().Add(5 * time.Second)
		}
	}
	if got := asked.Load() - before; got < unreadConnections {
		return 0, 0, fmt.Errorf("only %d of %d requests reached the origin", got, unreadConnections)
	}
	return idle, held, nil
}

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// resident is the process's memory in bytes.
func (p *process) resident() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	found := residentLine.FindSubmatch(status)
	if found == nil {
		return 0, fmt.Errorf("process %d has ended", p.cmd.Process.Pid)
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	return kilobytes << 10, err
}
