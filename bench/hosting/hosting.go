// Package hosting measures an installation of many sites: how long it takes to start and to be reconfigured, how much
// memory it holds, and how soon the first page of each site comes.
package hosting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

// Server is a Caddy under measurement.
type Server interface {
	// CPU is the processor time that it has taken so far.
	CPU() (time.Duration, error)
	// Resident is how much memory it holds, in bytes, with garbage and what has been read of its file.
	Resident() (int64, error)
	Stop()
}

// Tools are what the measurement is made with.
type Tools struct {
	// Start runs the program with the configuration in the file, and returns when the address answers with 200.
	Start func(file, config, address string) (Server, error)
	// Address is a free one of this machine.
	Address func() (string, error)
}

// reloads is how often a configuration takes the place of another.
const reloads = 5

// rest is how long a server is left alone before its memory is read.
const rest = 3 * time.Second

// measurement is of one side.
type measurement struct {
	tools           Tools
	folder          string
	address, origin string // what the sites listen on, and what is behind them
	behind          *httptest.Server
	admin           string
	client          *http.Client
}

// Run measures so many sites in one Caddyfile, each with a block and a number of its own, beside a Caddy with the same
// sites without Frontdesk. Then it measures ten times as many in one block, each with a number set in the console.
func Run(ctx context.Context, folder string, tools Tools, sites int) error {
	shown := page.Page{Size: 10 << 10, Numbers: 3}.Make()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(shown)
	}))
	defer origin.Close()
	m := measurement{tools: tools, folder: folder, origin: origin.Listener.Addr().String(), behind: origin}
	fmt.Printf("%d sites in one Caddyfile, and %d in one block; pages of 10 KB\n", sites, 10*sites)
	fmt.Printf("%-30s | %-17s | %-17s | %-35s | %s\n", "", "start, s", "reload, s", "MB in use", "first page, ms")
	fmt.Printf("%-30s | %8s %8s | %8s %8s | %8s %8s %8s %8s | %8s %8s %8s\n", "", "", "CPU", "median", "CPU", "unseen", "seen", "reloaded", "resident", "median", "99 %", "most")
	for _, side := range []struct {
		name   string
		global string
		block  func(n, change int) string
	}{
		{"plain Caddy", "", func(n, change int) string { return fmt.Sprintf("header Change %d", change) }},
		{"Frontdesk, a block for each", "frontdesk {\n\t\tdatabase sqlite " + filepath.Join(folder, "blocks.db") + "\n\t}", func(n, change int) string {
			return fmt.Sprintf("frontdesk {\n\t\tprerender static\n\t\tnumber %d {\n\t\t\tstatic %d utm_source=news\n\t\t}\n\t}", 74951000000+n, 74961000000+n+change)
		}},
	} {
		config := func(change int) string {
			var b strings.Builder
			b.WriteString(m.global(side.global))
			for n := range sites {
				fmt.Fprintf(&b, "http://%s {\n\tencode\n\t%s\n\treverse_proxy %s\n}\n", m.host(n), side.block(n, change), m.origin)
			}
			return b.String()
		}
		if err := m.measure(ctx, side.name, sites, config); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	return m.oneBlock(ctx, 10*sites)
}

// oneBlock measures sites that the configuration does not name.
func (m *measurement) oneBlock(ctx context.Context, sites int) error {
	if err := fill(ctx, filepath.Join(m.folder, "block.db"), sites); err != nil {
		return err
	}
	if err := m.measure(ctx, "Frontdesk, one block for all", sites, m.blockConfig); err != nil {
		return err
	}
	return m.hot(ctx, sites)
}

// blockConfig has one block for the sites of the database in block.db.
func (m *measurement) blockConfig(change int) string {
	return m.global("frontdesk {\n\t\tdatabase sqlite "+filepath.Join(m.folder, "block.db")+"\n\t}") +
		fmt.Sprintf("http://%s {\n\tencode\n\theader Change %d\n\tfrontdesk {host} {\n\t\tprerender static\n\t}\n\treverse_proxy %s\n}\n", m.port(), change, m.origin)
}

// addresses chooses those of the next Caddy.
func (m *measurement) addresses() (err error) {
	if m.address, err = m.tools.Address(); err != nil {
		return err
	}
	if m.admin, err = m.tools.Address(); err != nil {
		return err
	}
	m.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, m.address)
	}}}
	return nil
}

// global begins a configuration, for addresses of which the last measurement knows nothing.
func (m *measurement) global(options string) string {
	return fmt.Sprintf("{\n\tadmin %s\n\tdefault_bind 127.0.0.1\n\tauto_https off\n\tpersist_config off\n\t%s\n}\n", m.admin, options)
}

func (m *measurement) port() string {
	_, port, _ := strings.Cut(m.address, ":")
	return ":" + port
}

// host is the address of a site, as a configuration has it.
func (m *measurement) host(n int) string { return key(n) + m.port() }

// key is the name of a site.
func key(n int) string { return fmt.Sprintf("site%d.example", n) }

// measure starts a Caddy, reconfigures it, and opens a page of each site.
func (m *measurement) measure(ctx context.Context, name string, sites int, config func(change int) string) (err error) {
	if err := m.addresses(); err != nil {
		return err
	}
	defer m.client.CloseIdleConnections()

	begun := time.Now()
	s, err := m.tools.Start(filepath.Join(m.folder, "hosting.conf"), config(0), "http://"+m.admin+"/config/apps/http/servers")
	if err != nil {
		return err
	}
	defer s.Stop()
	if _, err := m.open(ctx, sites-1); err != nil {
		return err
	}
	started := time.Since(begun)
	startCPU, err := s.CPU()
	if err != nil {
		return err
	}
	unseen, err := m.live(ctx)
	if err != nil {
		return err
	}
	first, err := m.openAll(ctx, sites-1) // that of the last is not its first any more
	if err != nil {
		return err
	}
	seen, err := m.live(ctx)
	if err != nil {
		return err
	}
	var took, cpu []time.Duration
	for change := range reloads {
		t, c, err := m.reload(ctx, s, config(change+1))
		if err != nil {
			return err
		}
		took, cpu = append(took, t), append(cpu, c)
	}
	if _, err := m.openAll(ctx, sites); err != nil {
		return err
	}
	reloaded, err := m.live(ctx)
	if err != nil {
		return err
	}
	resident, err := s.Resident()
	if err != nil {
		return err
	}
	slices.Sort(first)
	slices.Sort(took)
	slices.Sort(cpu)
	fmt.Printf("%-30s | %8.2f %8.2f | %8.2f %8.2f | %8.1f %8.1f %8.1f %8.1f | %8.2f %8.2f %8.2f\n", name, started.Seconds(), startCPU.Seconds(), took[reloads/2].Seconds(), cpu[reloads/2].Seconds(),
		mega(unseen), mega(seen), mega(reloaded), mega(resident), ms(first[len(first)/2]), ms(first[len(first)*99/100]), ms(first[len(first)-1]))
	return nil
}

var heapLine = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)

// live is how much of the server's memory is in use, in bytes, once garbage has been collected and connections that were kept for
// others are closed.
func (m *measurement) live(ctx context.Context) (int64, error) {
	m.client.CloseIdleConnections()
	m.behind.CloseClientConnections()
	time.Sleep(rest)
	var told []byte
	for range 2 { // what is kept to be used again outlives one collection
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.admin+"/debug/pprof/heap?gc=1&debug=1", nil)
		if err != nil {
			return 0, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		told, err = io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return 0, err
		}
	}
	found := heapLine.FindSubmatch(told)
	if found == nil {
		return 0, errors.New("the server does not tell how much memory it uses")
	}
	return strconv.ParseInt(string(found[1]), 10, 64)
}

// reload gives the server another configuration, and tells how long it took by the clock and of the server's processors.
func (m *measurement) reload(ctx context.Context, s Server, config string) (took, cpu time.Duration, err error) {
	before, err := s.CPU()
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.admin+"/load", bytes.NewBufferString(config))
	if err != nil {
		return 0, 0, err
	}
	request.Header.Set("Content-Type", "text/caddyfile")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer answer.Body.Close()
	if said, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		return 0, 0, fmt.Errorf("reloading: %s: %s", answer.Status, said)
	}
	took = time.Since(begun)
	after, err := s.CPU()
	return took, after - before, err
}

// openAll opens a page of each of the first sites, one after the other.
func (m *measurement) openAll(ctx context.Context, sites int) (took []time.Duration, err error) {
	for n := range sites {
		t, err := m.open(ctx, n)
		if err != nil {
			return nil, err
		}
		took = append(took, t)
	}
	return took, nil
}

// open opens a page of the site, and tells how long it took until it was there whole.
func (m *measurement) open(ctx context.Context, n int) (time.Duration, error) {
	begun := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.host(n)+"/?utm_source=news", nil)
	if err != nil {
		return 0, err
	}
	answer, err := m.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0, err
	}
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s answers %s", m.host(n), answer.Status)
	}
	return time.Since(begun), nil
}

func mega(bytes int64) float64 { return float64(bytes) / (1 << 20) }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
