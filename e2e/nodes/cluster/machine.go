package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Machine is a network namespace with an address on the bridge, a disk of its own, and programs.
type Machine struct {
	Name    string
	Address string
	// Disk is the folder on which its small disk is mounted.
	Disk string

	cluster  *Cluster
	mu       sync.Mutex // held while programs are begun and ended
	programs []*Program
	off      bool
}

// Program is what a machine runs. It is begun again when it ends, as systemd does, until the machine is off.
type Program struct {
	name    string
	user    string // the user that it runs as; empty for the program's own
	env     []string
	command []string

	machine *Machine
	cmd     *exec.Cmd
	wanted  bool
	held    bool // it is not begun again by itself
}

// again is how long a program that has ended rests before it is begun anew: systemd's RestartSec, by default.
const again = 100 * time.Millisecond

// machine makes a machine with a disk of that size.
func (c *Cluster) machine(name string, host int, disk int64) (*Machine, error) {
	m := &Machine{Name: name, Address: fmt.Sprintf("%s%d", network, host), Disk: filepath.Join(c.folder, name), cluster: c}
	if err := os.MkdirAll(m.Disk, 0o755); err != nil {
		return nil, err
	}
	if err := syscall.Mount("frontdesk", m.Disk, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0777", disk)); err != nil {
		return nil, fmt.Errorf("mounting the disk of %s: %w", name, err)
	}
	if err := plug(name, m.Address); err != nil {
		return nil, err
	}
	c.Machines = append(c.Machines, m)
	return m, nil
}

// add has the machine run the command, from now on if it is on.
func (m *Machine) add(name, user string, env []string, command ...string) (*Program, error) {
	p := &Program{name: name, user: user, env: env, command: command, machine: m}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.programs = append(m.programs, p)
	return p, p.begin()
}

// begin runs the program. The machine's lock is held.
func (p *Program) begin() error {
	log, err := os.OpenFile(filepath.Join(p.machine.cluster.logs, p.machine.Name+"-"+p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"--net=/run/netns/" + p.machine.Name}
	if p.user != "" {
		args = append(args, "setpriv", "--reuid="+p.user, "--regid="+p.user, "--init-groups")
	}
	cmd := exec.Command("nsenter", append(args, p.command...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.machine.Disk, log, log
	cmd.Env = append(os.Environ(), p.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt is for this program alone
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s of %s: %w", p.name, p.machine.Name, err)
	}
	p.cmd, p.wanted = cmd, true
	go p.await(cmd)
	return nil
}

// await begins the program anew when it has ended by itself.
func (p *Program) await(cmd *exec.Cmd) {
	cmd.Wait()
	time.Sleep(again)
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	if p.wanted && p.cmd == cmd && !p.held && !p.machine.off {
		p.begin()
	}
}

// Kill ends the program at once. It is begun again after a second.
func (p *Program) Kill() error {
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	return p.cmd.Process.Kill()
}

// Hold ends the program at once, and keeps it from running until Release.
func (p *Program) Hold() error {
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	p.held = true
	return p.cmd.Process.Kill()
}

// Release has a held program run.
func (p *Program) Release() error {
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	p.held = false
	return p.begin()
}

// PID is the process of the running program.
func (p *Program) PID() int {
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	return p.cmd.Process.Pid
}

// PowerOff ends all that runs on the machine, without a word. Its disk stays.
func (m *Machine) PowerOff() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = true
	return m.signal(syscall.SIGKILL)
}

// PowerOn runs the programs of a machine that is off.
func (m *Machine) PowerOn() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = false
	for _, p := range m.programs {
		if p.held {
			continue
		}
		if err := p.begin(); err != nil {
			return err
		}
	}
	return nil
}

// Pause stops all that runs on the machine where it is, as on a machine that is paused.
func (m *Machine) Pause() error { return m.signal(syscall.SIGSTOP) }

// Resume has a paused machine go on.
func (m *Machine) Resume() error { return m.signal(syscall.SIGCONT) }

// signal sends the signal to each process in the machine's network, until there is no new one.
func (m *Machine) signal(signal syscall.Signal) error {
	told := make(map[int]bool)
	for more := true; more; {
		more = false
		pids, err := m.processes()
		if err != nil {
			return err
		}
		for _, pid := range pids {
			if told[pid] {
				continue
			}
			more, told[pid] = true, true
			if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
		}
	}
	return nil
}

// processes are those in the machine's network.
func (m *Machine) processes() (pids []int, err error) {
	listed, err := exec.Command("ip", "netns", "pids", m.Name).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the processes of %s: %w", m.Name, err)
	}
	for field := range strings.FieldsSeq(string(listed)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// CPU is what the processes that run on the machine have taken of processors until now.
func (m *Machine) CPU() (spent time.Duration, err error) {
	pids, err := m.processes()
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(content), ") ")
		fields := strings.Fields(rest)
		for _, n := range []int{11, 12, 13, 14} { // own and that of children that have ended, in hundredths (proc(5))
			ticks, err := strconv.ParseInt(fields[n], 10, 64)
			if err != nil {
				return 0, err
			}
			spent += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return spent, nil
}

func (m *Machine) ballast() string { return filepath.Join(m.Disk, "ballast") }

// FillDisk leaves no room on the machine's disk.
func (m *Machine) FillDisk() error {
	f, err := os.Create(m.ballast())
	if err != nil {
		return err
	}
	defer f.Close()
	var room syscall.Statfs_t
	if err := syscall.Statfs(m.Disk, &room); err != nil {
		return err
	}
	if n := int64(room.Bavail)*room.Bsize - 1<<20; n > 0 {
		_ = syscall.Fallocate(int(f.Fd()), 0, 0, n) // others may have taken some meanwhile: the rest is written below
		if _, err := f.Seek(0, io.SeekEnd); err != nil {
			return err
		}
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

// EmptyDisk takes away what FillDisk has put there.
func (m *Machine) EmptyDisk() error { return os.Remove(m.ballast()) }
