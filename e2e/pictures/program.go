package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// start builds the program and runs it with the repository's Caddyfile.example, on free ports and on the database of the
// folder, with the form that orders a call. It returns the addresses of the console and of the shop.
func start(ctx context.Context, home string) (console, site string, stop func(), err error) {
	program := filepath.Join(home, "caddy")
	if said, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/caddy").CombinedOutput(); err != nil {
		return "", "", nil, fmt.Errorf("building ./cmd/caddy: %w: %s", err, said)
	}
	config, err := os.ReadFile("Caddyfile.example")
	if err != nil {
		return "", "", nil, err
	}
	text := string(config)
	shop, err := os.ReadFile("examples/shop/Caddyfile")
	if err != nil {
		return "", "", nil, err
	}
	text = strings.Replace(text, "import examples/shop/Caddyfile", string(shop), 1)
	text = strings.Replace(text, "{\n\tfrontdesk {\n", fmt.Sprintf("{\n\tadmin off\n\tpersist_config off\n\tfrontdesk {\n\t\tdatabase sqlite %s\n", settingsIn(home).Source), 1)
	// Links for passwords may be mailed; nobody takes a mail while pictures are taken.
	text = strings.Replace(text, "{\n\tadmin off\n\tpersist_config off\n\tfrontdesk {\n", "{\n\tadmin off\n\tpersist_config off\n\tfrontdesk {\n\t\tmail smtp://localhost:9 {\n\t\t\tfrom desk@shop.example\n\t\t}\n", 1)
	// Callbacks are possible; nobody takes an order while pictures are taken.
	text = strings.Replace(text, "telephony webhook {", "telephony webhook http://localhost:9/ {", 1)
	text = strings.Replace(text, "\t\tprerender static\n", "\t\tprerender static\n\t\tcallback {\n\t\t\tphone 74951234567\n\t\t}\n", 1)
	for _, port := range []string{"8080", "8081", "8090"} {
		free, err := dbtest.FreePort()
		if err != nil {
			return "", "", nil, err
		}
		text = strings.ReplaceAll(text, ":"+port, fmt.Sprint(":", free))
		console = fmt.Sprint("http://", net.JoinHostPort("localhost", fmt.Sprint(free)))
		if port == "8080" {
			site = console
		}
	}
	file := filepath.Join(home, "Caddyfile")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", "", nil, err
	}
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		return "", "", nil, err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, program, "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return "", "", nil, err
	}
	stop = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	for range 600 {
		if answer, err := http.Get(console + "/sign-in"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return console, site, stop, nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	said, _ := os.ReadFile(log.Name())
	return "", "", nil, errors.New("the console does not answer: " + string(said))
}
