package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// clockEnv names the file that says by how many seconds the clock of a program that [Build] has made is ahead.
const clockEnv = "FRONTDESK_NODES_CLOCK"

// now is where Go's time package has read the clock, and ahead what moves it. The time that only goes on is left alone, as it
// is when somebody sets a machine's clock.
const (
	now   = "sec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	ahead = "sec, nsec, mono := runtimeNow()\n\tsec += Ahead\n\tif mono == 0 {"
)

// follower has the clock of a program follow the file.
const follower = `package main

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

func init() {
	go func() {
		for {
			content, err := os.ReadFile(os.Getenv("` + clockEnv + `"))
			if by, wrong := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64); err == nil && wrong == nil {
				atomic.StoreInt64(&time.Ahead, by)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
}
`

// Build builds Caddy with Frontdesk as the program. Its clock can be set: it is built with a changed copy of Go's package
// time, on which all else stands, so the first time takes minutes.
func Build(ctx context.Context, folder, program string) error {
	var root bytes.Buffer
	asked := exec.CommandContext(ctx, "go", "env", "GOROOT")
	asked.Stdout = &root
	if err := asked.Run(); err != nil {
		return fmt.Errorf("asking where Go is: %w", err)
	}
	original := filepath.Join(strings.TrimSpace(root.String()), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(source), now, ahead, 1) + "\n// Ahead is how many seconds the clock is.\nvar Ahead int64\n"
	if !strings.Contains(changed, ahead) {
		return errors.New("this Go reads the clock in another way than is known here")
	}
	added, err := filepath.Abs("cmd/caddy/clock.go")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	replaced := make(map[string]string)
	for path, content := range map[string]string{original: changed, added: follower} {
		file := filepath.Join(folder, "overlay-"+filepath.Base(path))
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			return err
		}
		replaced[path] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", file, "-o", program, "./cmd/caddy")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building Caddy: %w", err)
	}
	return nil
}
