package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// slowDisk is a folder whose flushes take time; see bench/slowdisk.
type slowDisk struct {
	folder string
	cmd    *exec.Cmd
	open   io.Closer
}

func mountSlowDisk(ctx context.Context, folder string) (*slowDisk, error) {
	program, err := build(ctx, filepath.Join(folder, "slowdisk"), "bench/slowdisk", ".")
	if err != nil {
		return nil, err
	}
	behind, mounted := filepath.Join(folder, "behind"), filepath.Join(folder, "slow")
	if err := errors.Join(os.Mkdir(behind, 0o755), os.Mkdir(mounted, 0o755)); err != nil {
		return nil, err
	}
	// It ends with its standard input, and so with this process.
	cmd := exec.Command(program, "-flush", attackFlush.String(), behind, mounted)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &slowDisk{folder: mounted, cmd: cmd, open: in}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		d.remove()
		return nil, fmt.Errorf("mounting a slow disk (needs root and /dev/fuse): %w", err)
	}
	return d, nil
}

func (d *slowDisk) remove() {
	d.open.Close()
	d.cmd.Wait()
}
