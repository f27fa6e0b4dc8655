package dbtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Server is a PostgreSQL server of a test's own.
type Server struct {
	// Address is its host and port.
	Address string

	folder   string
	settings []string
	cmd      *exec.Cmd
	output   bytes.Buffer
}

// unflushed has PostgreSQL leave it to the system when files reach the disk. What it has acknowledged outlives its own
// end, though not that of the machine, which no test ends.
const unflushed = "fsync=off"

// startPostgres runs a PostgreSQL server on a free port of the loopback
// address, with its data in a temporary folder.
func startPostgres() (address string, stop func(), err error) {
	// Databases live for seconds: whoever cleaned them up would only take a processor.
	settings := append(citusSettings(), unflushed, "full_page_writes=off", "autovacuum=off")
	if server.counted {
		settings = append(settings, statisticsSettings()...)
	}
	s, err := StartServer("", settings...)
	if err != nil {
		return "", nil, err
	}
	return s.Address, s.Remove, nil
}

// StartServer makes a database cluster in a temporary folder within that one, or
// where such folders usually are, and serves it on a free loopback port with the
// settings ("name=value"). End it with Remove.
func StartServer(within string, settings ...string) (*Server, error) {
	folder, err := os.MkdirTemp(within, "frontdesk-postgres-")
	if err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	s := &Server{Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), folder: folder, settings: settings}
	if err := s.initialise(); err != nil {
		s.Remove()
		return nil, err
	}
	if err := s.Start(); err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// OwnServer serves a new cluster until the test ends.
func OwnServer(t testing.TB) *Server {
	t.Helper()
	s, err := StartServer("", unflushed)
	require.NoError(t, err)
	t.Cleanup(s.Remove)
	return s
}

// Source names the database that every cluster has.
func (s *Server) Source() string {
	return "postgres://postgres@" + s.Address + "/postgres?sslmode=disable"
}

func (s *Server) initialise() error {
	if owner := servant(); owner != nil {
		if err := os.Chown(s.folder, int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	initdb, err := program("initdb", "--pgdata", filepath.Join(s.folder, "data"), "--username=postgres", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	if err != nil {
		return err
	}
	initdb.Dir = s.folder
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("running initdb: %w: %s", err, output)
	}
	return nil
}

// Start serves the cluster and returns when it accepts connections.
func (s *Server) Start() error {
	_, port, _ := net.SplitHostPort(s.Address)
	args := []string{"-D", filepath.Join(s.folder, "data"), "-k", s.folder, "-h", "127.0.0.1", "-p", port}
	for _, setting := range append([]string{"max_connections=300", "shared_buffers=64MB"}, s.settings...) {
		args = append(args, "-c", setting)
	}
	cmd, err := program("postgres", args...)
	if err != nil {
		return err
	}
	cmd.Dir = s.folder
	s.output.Reset()
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting postgres: %w", err)
	}
	s.cmd = cmd
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := sql.Open("pgx", s.Source())
	if err != nil {
		return err
	}
	defer conn.Close()
	for conn.PingContext(ctx) != nil {
		if ctx.Err() != nil {
			s.Stop()
			return fmt.Errorf("postgres did not come up: %s", s.output.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// PID is the process of the running server.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Pause stops all processes of the server where they are, as on a machine that is paused: its
// connections stay, and nobody answers. The server goes on by Resume.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume has a paused server go on.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

// signal sends the signal to the server, and then to those whom it has begun. The kernel's list of these may leave some out
// while others end, so it is read until it has nobody new.
func (s *Server) signal(signal syscall.Signal) error {
	if err := s.cmd.Process.Signal(signal); err != nil {
		return err
	}
	told := make(map[int]bool)
	for before := -1; before < len(told); {
		before = len(told)
		begun, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.PID()))
		if err != nil {
			return err
		}
		for child := range strings.FieldsSeq(string(begun)) {
			pid, err := strconv.Atoi(child)
			if err != nil {
				return err
			}
			if told[pid] {
				continue
			}
			told[pid] = true
			if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
		}
	}
	return nil
}

// Stop ends the server, which may be paused; its data stays for another Start.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	s.cmd.Process.Signal(syscall.SIGINT) // a fast shutdown
	_ = s.Resume()
	s.cmd.Wait()
	s.cmd = nil
}

// Remove ends the server and removes its data.
func (s *Server) Remove() {
	s.Stop()
	os.RemoveAll(s.folder)
}

// program is a command of PostgreSQL's, which Debian keeps off the PATH. As
// these refuse to run as root, root runs them as another user. They end with
// the test even when it is killed.
func program(name string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath(name)
	if versions, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name); len(versions) > 0 {
		path, err = slices.Max(versions), nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("PostgreSQL is not installed (Debian: apt-get install postgresql)"), err)
	}
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT, Credential: servant()}
	return cmd, nil
}

// servant is the user that root runs PostgreSQL as; nil for all others, who run
// it themselves.
func servant() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.ParseUint(u.Uid, 10, 32)
			gid, _ := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return nil
}

// given are the ports that this process has been told of, whose servers may not listen yet. A socket of that name keeps
// each from other packages that are tested at once, until the process ends (Linux's abstract names).
var given sync.Map

// FreePort is a port on which nobody listens, and another one each time. It is below those that the system gives to
// outgoing connections, so that none of these takes it before its server does. Browsers open it: they do not open 10080
// (the Fetch Standard, "bad port").
func FreePort() (int, error) {
	var err error
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		var mine, listener net.Listener
		if mine, err = net.Listen("unix", fmt.Sprint("@frontdesk-port-", port)); err != nil || port == 10_080 {
			continue
		}
		given.Store(port, mine)
		if listener, err = net.Listen("tcp", ":"+strconv.Itoa(port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, fmt.Errorf("looking for a free port: %w", err)
}
