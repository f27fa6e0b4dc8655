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
	// unreadSize is of a page that CSS selectors of whole pages still reach: larger ones go
	// without.
	unreadSize = 400 << 10
)

// memory measures what a Caddy holds for connections that ask for a page and do
// not read it, without CSS selectors, with one that is found in the stream, and with one that needs the page whole.
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
	fmt.Printf("%-22s %10s %10s %14s %10s\n", "numbers", "idle, MB", "held, MB", "KB for each", "passed on")
	n := page.Numbers(1)[0]
	for _, side := range []struct{ name, places string }{
		{"without selectors", ""}, {"in the stream", "selector \"" + page.Selector + "\"\n"}, {"of whole pages", "selector \".contact a:nth-child(1)\"\n"},
	} {
		directives := fmt.Sprintf("prerender static\nnumber %s {\n%sstatic %s utm_source=news\n}", n.Digits, side.places, n.Replacement)
		u, err := unread(ctx, folder, caddy, listener.Addr().String(), directives, &asked)
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		fmt.Printf("%-22s %10.0f %10.0f %14.0f %10d\n", side.name, mega(u.idle), mega(u.held), float64(u.held-u.idle)/1024/unreadConnections, u.asked)
	}
	return nil
}

func mega(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// unreadPages are the memory of a Caddy before the connections, the most that it
// had with them, both in bytes, and how many of their requests it passed on.
type unreadPages struct{ idle, held, asked int64 }

func unread(ctx context.Context, folder, caddy, origin, directives string, asked *atomic.Int64) (u unreadPages, err error) {
	address, err := freeAddress()
	if err != nil {
		return u, err
	}
	config := strings.NewReplacer("ADDRESS", address, "ORIGIN", origin, "FOLDER", folder).Replace(frontdeskConfig("memory", directives))
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "memory.conf"), config, "http://"+address+pagePath(unreadSize))
	if err != nil {
		return u, err
	}
	defer p.stop()
	if err := awaitText(ctx, address, "tel:+"+page.Numbers(1)[0].Replacement); err != nil {
		return u, err
	}
	if u.idle, err = p.resident(); err != nil {
		return u, err
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
			return u, err
		}
		defer conn.Close()
		if _, err := conn.Write([]byte(request)); err != nil {
			return u, err
		}
	}
	// Until nothing has happened for five seconds.
	last := time.Now()
	for deadline := last.Add(2 * time.Minute); time.Since(last) < 5*time.Second && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		now, err := p.resident()
		if err != nil {
			return u, err
		}
		if got := asked.Load() - before; now > u.held || got > u.asked {
			u.held, u.asked, last = max(u.held, now), got, time.Now()
		}
	}
	return u, nil
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
