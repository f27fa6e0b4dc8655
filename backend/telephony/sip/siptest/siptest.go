// Package siptest runs other people's SIP programs for tests: Kamailio as the trunk, baresip as phones,
// and SIPp as phones that behave in every way. All of it is on loopback, and ends with the test.
package siptest

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long something may take that takes no time.
const patience = 30 * time.Second

// find looks for the program. Without it the test cannot run, which is a failure where it could have
// been installed.
func find(t testing.TB, program, ofPackage string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		for _, folder := range []string{"/usr/sbin/", "/usr/local/sbin/"} {
			if _, err := os.Stat(folder + program); err == nil {
				return folder + program
			}
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed: .ci/tools installs it (Debian's package %s)", program, ofPackage)
		}
		t.Skipf("NOT TESTED: SIP against %s, which is not installed (Debian's package %s; .ci/tools installs it)", program, ofPackage)
	}
	return path
}

// handedOut are the ports that tests have, some of which nobody listens at yet. A socket of that name keeps each from
// other packages that are tested at once, until the process ends (Linux's abstract names).
var handedOut sync.Map

// Port is a port of loopback at which nobody listens, by UDP or TCP, and neither at the three above, which are no other test's:
// RTCP is one above RTP, and SIPp takes the second above its sound for pictures.
func Port(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 30_000 + 4*rand.IntN(690) // below those that the system gives to outgoing connections
		mine, err := net.Listen("unix", "@frontdesk-port-"+strconv.Itoa(port))
		if err != nil {
			continue
		}
		handedOut.Store(port, mine)
		if free(port) && free(port+1) && free(port+2) {
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

func free(port int) bool {
	at := "127.0.0.1:" + strconv.Itoa(port)
	u, err := net.ListenPacket("udp4", at)
	if err != nil {
		return false
	}
	defer u.Close()
	l, err := net.Listen("tcp4", at)
	if err != nil {
		return false
	}
	l.Close()
	return true
}

// program is one that runs until the test ends.
type program struct {
	command *exec.Cmd
	said    *said
	done    chan struct{}
	err     error
}

// said is what a program writes.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// start runs the program in the folder. What it says is logged when the test fails.
func start(t testing.TB, folder, path string, arguments ...string) *program {
	t.Helper()
	p := &program{command: exec.Command(path, arguments...), said: new(said), done: make(chan struct{})}
	p.command.Dir, p.command.Stdout, p.command.Stderr = folder, p.said, p.said
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	require.NoError(t, p.command.Start())
	go func() {
		defer close(p.done)
		p.err = p.command.Wait()
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			text := p.said.String()
			t.Logf("%s said:\n%s", path, text[max(0, len(text)-6000):])
		}
	})
	return p
}

// stop ends the program and those that it has started.
func (p *program) stop() {
	group := -p.command.Process.Pid
	syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
	}
	syscall.Kill(group, syscall.SIGKILL)
	<-p.done
}

// over tells whether the program has ended.
func (p *program) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
