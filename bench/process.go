package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// process is a server under measurement.
type process struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	admin  string // address of Caddy's admin endpoint, where it has one
}

// start runs a server and returns when its address answers with the status.
func start(ctx context.Context, probe *http.Request, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...)}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		again := probe.Clone(ctx)
		if probe.GetBody != nil {
			again.Body, _ = probe.GetBody()
		}
		response, err := http.DefaultClient.Do(again)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return p, nil
			}
		}
		select {
		case <-ctx.Done():
			p.stop()
			return nil, fmt.Errorf("%s does not answer: %s", name, p.output.String())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// startCaddy runs Caddy with the configuration, which is kept in the file, and returns when the
// address answers.
func startCaddy(ctx context.Context, caddy, file, config, address string) (*process, error) {
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return nil, err
	}
	probe, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return start(ctx, probe, caddy, "run", "--config", file, "--adapter", "caddyfile")
}

func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	ended := time.AfterFunc(5*time.Second, func() { p.cmd.Process.Kill() })
	defer ended.Stop()
	p.cmd.Wait()
}

// profile leaves a CPU profile of the next seconds in the file.
func (p *process) profile(ctx context.Context, file string, duration time.Duration) error {
	return download(ctx, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", p.admin, max(1, int(duration.Seconds()))), file)
}

// download leaves in the file what the address answers.
func download(ctx context.Context, address, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// cpu is the time that the process and its children have spent on a processor.
func (p *process) cpu() (time.Duration, error) {
	return cpuOf(p.cmd.Process.Pid)
}

func cpuOf(pid int) (time.Duration, error) {
	var total time.Duration
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) == 0 {
		return 0, fmt.Errorf("process %d has ended", pid)
	}
	for _, task := range tasks {
		stat, err := os.ReadFile(filepath.Join(task, "schedstat"))
		if err != nil {
			continue // the thread has just ended
		}
		onCPU, _, _ := strings.Cut(string(stat), " ")
		ns, err := strconv.ParseInt(onCPU, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("reading %s/schedstat: %w", task, err)
		}
		total += time.Duration(ns)
		children, _ := os.ReadFile(filepath.Join(task, "children"))
		for child := range strings.FieldsSeq(string(children)) {
			childPID, _ := strconv.Atoi(child)
			spent, err := cpuOf(childPID)
			if err != nil {
				return 0, err
			}
			total += spent
		}
	}
	return total, nil
}

func freeAddress() (string, error) {
	port, err := dbtest.FreePort()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}
