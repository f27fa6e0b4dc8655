package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// network is what the addresses of all machines begin with. Outside is the address of this program.
const (
	network = "10.77.0."
	Outside = network + "1"
)

// inside tells this program that it runs in namespaces of its own.
const inside = "FRONTDESK_NODES_INSIDE"

// Confine runs the program once more in a network, with mounts and processes of its own, and returns its end. All that
// is made there goes with it, however it ends: machines, disks, processes. In there it returns false at once.
func Confine() (outside bool, err error) {
	if os.Getenv(inside) != "" {
		return false, enter()
	}
	if os.Geteuid() != 0 {
		return true, errors.New("namespaces and disks are root's: run it as root")
	}
	self, err := os.Executable()
	if err != nil {
		return true, err
	}
	// The shell is the first process there, which has to bury those whose parents have ended.
	// What others do on the machine is not to look like a fault.
	args := append([]string{"-n", "-10", "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", `"$0" "$@"; exit $?`, self}, os.Args[1:]...)
	cmd := exec.Command("nice", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), inside+"=yes")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return true, cmd.Run()
}

// enter makes the bridge that connects the machines.
func enter() error {
	if err := syscall.Mount("none", "/run", "tmpfs", 0, "mode=0755"); err != nil { // names of namespaces, and whatever runs
		return fmt.Errorf("mounting /run: %w", err)
	}
	return ip(
		"link set lo up",
		"link add desk type bridge",
		"addr add "+Outside+"/24 dev desk",
		"link set desk up",
	)
}

// plug makes a network namespace that is connected to the bridge by a cable.
func plug(name, address string) error {
	return ip(
		"netns add "+name,
		"link add "+name+" type veth peer name eth0 netns "+name,
		"link set "+name+" master desk up",
		"-n "+name+" link set lo up",
		"-n "+name+" addr add "+address+"/24 dev eth0",
		"-n "+name+" link set eth0 up",
	)
}

// migrate has connections that nobody has accepted yet go to the new listener of a port when the old one is closed, as
// Caddy does when it reads its configuration anew. Linux resets them by default (ip-sysctl, tcp_migrate_req).
func (m *Machine) migrate() error {
	if output, err := exec.Command("nsenter", "--net=/run/netns/"+m.Name, "sysctl", "-q", "-w", "net.ipv4.tcp_migrate_req=1").CombinedOutput(); err != nil {
		return fmt.Errorf("setting tcp_migrate_req: %w: %s", err, output)
	}
	return nil
}

// ip runs the commands of ip(8).
func ip(commands ...string) error {
	for _, command := range commands {
		if output, err := exec.Command("sh", "-c", "ip "+command).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", command, err, output)
		}
	}
	return nil
}

// Unplug pulls the machine's cable.
func (m *Machine) Unplug() error { return ip("link set " + m.Name + " down") }

// Plug puts the cable back.
func (m *Machine) Plug() error { return ip("link set " + m.Name + " up") }

// Block loses what the machine sends to the other.
func (m *Machine) Block(other *Machine) error {
	return ip("-n " + m.Name + " route add blackhole " + other.Address + "/32")
}

// Unblock is the end of Block.
func (m *Machine) Unblock(other *Machine) error {
	return ip("-n " + m.Name + " route del blackhole " + other.Address + "/32")
}
