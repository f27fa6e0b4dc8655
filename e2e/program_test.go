package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// binaryFolder is removed when all tests have run.
var binaryFolder string

// binary builds the program once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "frontdesk-e2e-")
	if err != nil {
		return "", err
	}
	binaryFolder = folder
	if err := os.Chmod(folder, 0o755); err != nil { // other users run it too
		return "", err
	}
	path := filepath.Join(folder, "caddy")
	build := exec.Command("go", "build", "-o", path, "./cmd/caddy")
	build.Dir = ".."
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building ./cmd/caddy: %w: %s", err, output)
	}
	return path, nil
})

// program is Frontdesk as people run it: the built binary and a Caddyfile, on
// free ports, with its data in a temporary folder.
type program struct {
	shop, origin, console, admin string // base addresses without a slash at the end
	folder                       string
	caddyfile                    string
	cmd                          *exec.Cmd
	ended                        chan struct{}
	log                          *syncBuffer
	as                           *syscall.Credential // the user that runs it; nil for the one who runs the tests
}

// runExample starts the program with the repository's Caddyfile.example; see
// runProgram.
func runExample(t *testing.T, database string) *program {
	t.Helper()
	return runProgram(t, example(t), database)
}

// exampleWidget is how the panels of the example look.
var exampleWidget = regexp.MustCompile(`(?m)^\t\twidget \{\n(?:\t\t\t.*\n)+\t\t\}\n`)

// example is the repository's Caddyfile.example with what it imports. It says nothing of panels: tests of them set their own.
func example(t *testing.T) string {
	t.Helper()
	written := wholeExample(t)
	require.Len(t, exampleWidget.FindAllString(written, -1), 1)
	return exampleWidget.ReplaceAllString(written, "")
}

// wholeExample is the repository's Caddyfile.example with what it imports.
func wholeExample(t *testing.T) string {
	t.Helper()
	example, err := os.ReadFile("../Caddyfile.example")
	require.NoError(t, err)
	shop, err := os.ReadFile("../examples/shop/Caddyfile")
	require.NoError(t, err)
	const imported = "import examples/shop/Caddyfile\n"
	require.Contains(t, string(example), imported)
	return strings.Replace(string(example), imported, string(shop), 1)
}

// memory is a new folder, in memory where there is room: no test here is about
// how fast a disk flushes. All users may look into it.
func memory(t *testing.T) string {
	t.Helper()
	const room = 2 << 30
	above := "/dev/shm"
	var of unix.Statfs_t
	if unix.Statfs(above, &of) != nil || of.Bavail*uint64(of.Bsize) < room {
		above = os.TempDir()
	}
	folder, err := os.MkdirTemp(above, "frontdesk-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o755))
	return folder
}

// runProgram starts the program with a Caddyfile in which the shop is at port
// 8080, its origin at 8081 and the console at 8090: each is moved to a free
// port. The database is set in the global options where it is not empty.
func runProgram(t *testing.T, config, database string) *program {
	t.Helper()
	p := &program{folder: memory(t), log: &syncBuffer{}}
	for port, base := range map[string]*string{"8080": &p.shop, "8081": &p.origin, "8090": &p.console} {
		_, free, _ := net.SplitHostPort(freeAddress(t))
		config = strings.ReplaceAll(config, ":"+port, ":"+free)
		*base = "http://localhost:" + free
	}
	admin := freeAddress(t)
	p.admin = "http://" + admin
	global, rest := "", config
	if at := strings.Index("\n"+config, "\n{\n"); at >= 0 {
		rest = config[:at] + config[at+len("{\n"):]
		end := strings.Index(rest[at:], "\n}\n")
		global, rest = rest[at:at+end], rest[:at]+rest[at+end+len("\n}\n"):]
	}
	const block = "\tfrontdesk {\n"
	if database != "" {
		if !strings.Contains(global, block) {
			global = block + "\t}\n" + strings.Replace(global, "\tfrontdesk", "", 1)
		}
		global = strings.Replace(global, block, block+"\t\tdatabase "+database+"\n", 1)
	}
	config = "{\n\tadmin " + admin + "\n\tpersist_config off\n" + global + "\n}\n" + rest
	p.caddyfile = filepath.Join(p.folder, "Caddyfile")
	require.NoError(t, os.WriteFile(p.caddyfile, []byte(config), 0o600))
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the program's log:\n%s", p.log.String())
		}
	})
	p.start(t)
	return p
}

func (p *program) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.Command(path, args...)
	cmd.Dir = ".." // the example's paths are relative to the repository's root
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+p.folder, "XDG_CONFIG_HOME="+p.folder)
	if p.as != nil {
		cmd.Dir = p.folder
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: p.as}
	return cmd
}

// unprivileged has the program run as a user to whom read-only files are
// read-only, which root is not. It gives the program's folder to that user.
func (p *program) unprivileged(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	nobody, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err := strconv.Atoi(nobody.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(nobody.Gid)
	require.NoError(t, err)
	p.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	require.NoError(t, filepath.WalkDir(p.folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, uid, gid)
	}))
}

// start runs the program and returns when it is ready.
func (p *program) start(t *testing.T) {
	t.Helper()
	p.launch(t)
	p.await(t, func() bool {
		response, err := http.Get(p.admin + "/frontdesk/health")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

func (p *program) launch(t *testing.T) {
	t.Helper()
	cmd := p.command(t, "run", "--config", p.caddyfile, "--adapter", "caddyfile")
	cmd.Stdout, cmd.Stderr = p.log, p.log
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	p.cmd, p.ended = cmd, ended
	go func() {
		cmd.Wait()
		close(ended)
	}()
}

// await waits for a condition for as long as the program runs.
func (p *program) await(t *testing.T, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !condition() {
		select {
		case <-p.ended:
			t.Fatal("the program has ended")
		case <-ctx.Done():
			t.Fatal("waited in vain")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// kill ends the program as a power cut would.
func (p *program) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := dbtest.FreePort()
	require.NoError(t, err)
	return "127.0.0.1:" + strconv.Itoa(port)
}

type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
