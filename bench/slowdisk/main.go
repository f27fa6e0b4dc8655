// Command slowdisk serves a folder as a disk whose flushes take time, so that a
// fast machine shows what commits cost on a slow one:
//
//	slowdisk -flush 5ms FOLDER MOUNTPOINT
//
// It needs Linux with FUSE, and root. It prints "mounted" and ends when its
// standard input does. It is a module of its own, because nobody else needs FUSE.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

func main() {
	flush := flag.Duration("flush", 5*time.Millisecond, "how long a flush takes")
	flag.Parse()
	if err := serve(flag.Arg(0), flag.Arg(1), &disk{flush: *flush}); err != nil {
		fmt.Fprintln(os.Stderr, "slowdisk:", err)
		os.Exit(1)
	}
}

func serve(folder, mountpoint string, d *disk) error {
	var st syscall.Stat_t
	if err := syscall.Stat(folder, &st); err != nil {
		return fmt.Errorf("looking at %s: %w", folder, err)
	}
	root := &fs.LoopbackRoot{Path: folder, Dev: uint64(st.Dev)}
	root.NewNode = func(root *fs.LoopbackRoot, _ *fs.Inode, _ string, _ *syscall.Stat_t) fs.InodeEmbedder {
		return &node{LoopbackNode: fs.LoopbackNode{RootData: root}, disk: d}
	}
	top := root.NewNode(root, nil, "", &st)
	root.RootNode = top
	second := time.Second
	server, err := fs.Mount(mountpoint, top, &fs.Options{
		AttrTimeout: &second, EntryTimeout: &second,
		MountOptions: fuse.MountOptions{AllowOther: true, DirectMountStrict: true, FsName: "slowdisk", MaxWrite: 1 << 20},
	})
	if err != nil {
		return fmt.Errorf("mounting: %w", err)
	}
	fmt.Println("mounted")
	io.Copy(io.Discard, os.Stdin)
	return server.Unmount()
}

// disk flushes one thing at a time, as a disk with one head does.
type disk struct {
	flush time.Duration
	busy  sync.Mutex
}

func (d *disk) wait() {
	d.busy.Lock()
	defer d.busy.Unlock()
	time.Sleep(d.flush)
}

type node struct {
	fs.LoopbackNode
	disk *disk
}

// Fsync is asked for files and for folders.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	n.disk.wait()
	return 0
}

var _ fs.NodeFsyncer = (*node)(nil)
