// Command crawlers refreshes crawlers.txt from the npm package
// crawler-user-agents: go generate ./backend/visit. It needs npm.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// version is the version of the embedded list.
const version = "1.60.0"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "crawlers:", err)
		os.Exit(1)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "crawlers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	install := exec.Command("npm", "install", "--no-save", "--ignore-scripts", "--silent", "--prefix", folder, "crawler-user-agents@"+version)
	install.Stderr = os.Stderr
	if err := install.Run(); err != nil {
		return fmt.Errorf("fetching the list: %w", err)
	}
	list, err := os.ReadFile(filepath.Join(folder, "node_modules/crawler-user-agents/crawler-user-agents.json"))
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(folder, "node_modules/crawler-user-agents/LICENSE"))
	if err != nil {
		return err
	}
	var crawlers []struct{ Pattern string }
	if err := json.Unmarshal(list, &crawlers); err != nil {
		return fmt.Errorf("reading the list: %w", err)
	}
	var patterns bytes.Buffer
	for _, crawler := range crawlers {
		// The list escapes slashes. Go's regular expressions do not need this.
		fmt.Fprintln(&patterns, strings.ReplaceAll(crawler.Pattern, `\/`, `/`))
	}
	if err := os.WriteFile("crawlers.LICENSE", licence, 0o644); err != nil {
		return err
	}
	return os.WriteFile("crawlers.txt", patterns.Bytes(), 0o644)
}
