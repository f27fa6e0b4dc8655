package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func taken(t *testing.T, s *Spool) (records []string) {
	t.Helper()
	require.NoError(t, s.Take(func(record []byte) error { records = append(records, string(record)); return nil }))
	return records
}

func TestSpool(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forms")
	s := New(path)
	require.True(t, s.Empty())
	require.Empty(t, taken(t, s))
	for _, record := range []string{"one", "two", "three"} {
		require.NoError(t, s.Append([]byte(record)))
	}
	require.False(t, s.Empty())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	// Another process goes on with it. What cannot be taken now stays.
	require.NoError(t, s.Close())
	s = New(path)
	require.False(t, s.Empty())
	away := errors.New("away")
	tries := 0
	require.ErrorIs(t, s.Take(func([]byte) error {
		if tries++; tries == 2 {
			return away
		}
		return nil
	}), away)
	require.Equal(t, []string{"one", "two", "three"}, taken(t, s))
	require.True(t, s.Empty())
	require.NoFileExists(t, path)
	require.NoError(t, s.Append([]byte("four")))
	require.Equal(t, []string{"four"}, taken(t, s))
}

// Processes that share a folder have files of their own, and a later one takes in what one has left that ended.
func TestSpoolsOfManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop [1].forms")
	first, second, third := New(path), New(path), New(path)
	require.NoError(t, first.Append([]byte("one")))
	require.NoError(t, second.Append([]byte("two")))
	require.FileExists(t, path+".1")
	require.False(t, third.Empty())
	require.Empty(t, taken(t, third), "both are alive")
	require.NoError(t, third.Append([]byte("three")))
	require.Equal(t, []string{"two"}, taken(t, second))
	require.NoFileExists(t, path+".1")

	require.NoError(t, first.Close()) // as the system does with a process that ends
	require.NoError(t, second.Append([]byte("four")), "behind what the first has left")
	require.Equal(t, []string{"one", "four"}, taken(t, second))
	require.NoError(t, third.Close())
	fourth := New(path)
	require.Equal(t, []string{"three"}, taken(t, fourth))
	require.True(t, fourth.Empty())
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A disk that is full keeps what stands in the file, and nothing half.
func TestSpoolOnAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no device that is full")
	}
	path := filepath.Join(t.TempDir(), "forms")
	s := New(path)
	require.NoError(t, s.Append([]byte("one")))
	file, size := s.file, s.size
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	require.NoError(t, err)
	s.file = full
	require.ErrorIs(t, s.Append([]byte("two")), syscall.ENOSPC)
	require.NoError(t, full.Close())
	s.file = file
	require.Equal(t, size, s.size)
	require.NoError(t, s.Append([]byte("three")))
	require.Equal(t, []string{"one", "three"}, taken(t, s))
}

// A machine that stops while it writes leaves a part of a record, or of what was there before.
func TestTornSpool(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forms")
	s := New(path)
	require.NoError(t, s.Append([]byte("one")))
	require.NoError(t, s.Append([]byte("two")))
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := range whole {
		for _, behind := range []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff"} {
			require.NoError(t, os.WriteFile(path, append(append([]byte{}, whole[:cut]...), behind...), 0o600))
			s := New(path)
			require.NoError(t, s.Append([]byte("three")))
			want := []string{"three"}
			if cut >= frame+3 {
				want = []string{"one", "three"}
			}
			got := taken(t, s)
			require.Equal(t, want, got, "%d %q", cut, behind)
		}
	}
}

func TestFullSpool(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "forms"))
	require.ErrorIs(t, s.Append(make([]byte, maxRecord+1)), ErrFull)
	for range maxSpool / (maxRecord + frame) {
		require.NoError(t, s.Append(make([]byte, maxRecord)))
	}
	require.ErrorIs(t, s.Append(make([]byte, maxRecord)), ErrFull)
	require.Error(t, New(filepath.Join(t.TempDir(), "none", "forms")).Append([]byte("one")))
}

// Forms come while others are taken out: each is taken once.
func TestSpoolInUse(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "forms"))
	var coming sync.WaitGroup
	for i := range 8 {
		coming.Go(func() {
			for k := range 20 {
				if err := s.Append(fmt.Appendf(nil, "%d-%d", i, k)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	seen := make(map[string]int)
	done := make(chan struct{})
	go func() { coming.Wait(); close(done) }()
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		for _, record := range taken(t, s) {
			seen[record]++
		}
	}
	require.Len(t, seen, 160)
	for record, times := range seen {
		require.Equal(t, 1, times, record)
	}
}
