// Command build refreshes passwords.txt from the npm package
// @zxcvbn-ts/language-common: go generate ./backend/operator/passwords. It needs npm.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// version is the version of the embedded list.
const version = "4.1.3"

// The bounds of package passwords: Min, and FewSigns.
const (
	minPassword = 10
	fewSigns    = 4
)

// most is how many of the list are taken, the most common first. Longer ones are taken to its end.
const most = 10_000

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "passwords:", err)
		os.Exit(1)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "passwords-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	install := exec.Command("npm", "install", "--no-save", "--ignore-scripts", "--silent", "--prefix", folder, "@zxcvbn-ts/language-common@"+version)
	install.Stderr = os.Stderr
	if err := install.Run(); err != nil {
		return fmt.Errorf("fetching the list: %w", err)
	}
	read := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(folder, "node_modules/@zxcvbn-ts/language-common", name))
	}
	list, err := read("src/passwords.json")
	if err != nil {
		return err
	}
	licence, err := read("LICENSE.txt")
	if err != nil {
		return err
	}
	var ranked, kept []string
	if err := json.Unmarshal(list, &ranked); err != nil {
		return fmt.Errorf("reading the list: %w", err)
	}
	for rank, password := range ranked {
		length := utf8.RuneCountInString(password)
		// A shorter one is a password that is accepted with too few signs around it.
		if length >= minPassword || rank < most && length >= minPassword-fewSigns {
			kept = append(kept, strings.ToLower(password))
		}
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	if err := os.WriteFile("passwords.LICENSE", licence, 0o644); err != nil {
		return err
	}
	return os.WriteFile("passwords.txt", []byte(strings.Join(kept, "\n")+"\n"), 0o644)
}
