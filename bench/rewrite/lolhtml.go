package rewrite

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

//go:embed lolhtml.js
var lolHTMLProgram []byte

// lolHTML is a Bun that copies pages through its HTMLRewriter.
type lolHTML struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	answers *json.Decoder
	folder  string
}

// startLolHTML starts a Bun for one of the two ways of looking at pages: "head" or
// "text".
func startLolHTML(bun, folder, look string) (*lolHTML, error) {
	program := filepath.Join(folder, "lolhtml.js")
	if err := os.WriteFile(program, lolHTMLProgram, 0o644); err != nil {
		return nil, err
	}
	l := &lolHTML{cmd: exec.Command(bun, program, look), folder: folder}
	l.cmd.Stderr = os.Stderr
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if l.input, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	l.answers = json.NewDecoder(output)
	return l, l.cmd.Start()
}

func (l *lolHTML) stop() {
	l.input.Close()
	l.cmd.Wait()
}

func (l *lolHTML) ask(command map[string]any, answer any) error {
	if err := json.NewEncoder(l.input).Encode(command); err != nil {
		return fmt.Errorf("asking Bun: %w", err)
	}
	if err := l.answers.Decode(answer); err != nil {
		return fmt.Errorf("reading Bun's answer: %w", err)
	}
	return nil
}

func (l *lolHTML) load(made []byte, _ page.Page) (copies, error) {
	file := filepath.Join(l.folder, "page.html")
	if err := os.WriteFile(file, made, 0o644); err != nil {
		return nil, err
	}
	var loaded struct{ Length int }
	if err := l.ask(map[string]any{"page": file}, &loaded); err != nil {
		return nil, err
	}
	if loaded.Length != len(made) {
		return nil, fmt.Errorf("the page of %d bytes came out with %d", len(made), loaded.Length)
	}
	return func(slice time.Duration) (spent, error) {
		var took struct{ Copies, CPU int }
		err := l.ask(map[string]any{"milliseconds": slice.Milliseconds()}, &took)
		return spent{copies: took.Copies, cpu: time.Duration(took.CPU) * time.Microsecond, allocations: unknown}, err
	}, nil
}
