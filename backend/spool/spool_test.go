package spool

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// small is the size of files whose every bit is looked at.
const small = 32 * blockSize

// open returns the spool of a process that begins.
func open(t testing.TB, path string, size int64) *Spool {
	t.Helper()
	s := New(Settings{File: path, Size: size}, zap.NewNop())
	require.NoError(t, s.Prepare())
	t.Cleanup(func() { s.Close() })
	return s
}

// taken takes everything out, one record after another.
func taken(s *Spool) (records []string) {
	s.Take(context.Background(), 1, func(_ context.Context, body []byte, _ int) Outcome {
		records = append(records, string(body))
		return Done
	})
	return records
}

func requireZeros(t *testing.T, path string, size int) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, content, size)
	require.Equal(t, -1, bytes.IndexFunc(content, func(r rune) bool { return r != 0 }), "what was taken out is not to be found")
}

func TestSpool(t *testing.T) {
	path := filepath.Join(t.TempDir(), "first", "forms") // whose folder is to be made
	s := open(t, path, DefaultSize)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	require.GreaterOrEqual(t, info.Sys().(*syscall.Stat_t).Blocks*512, int64(DefaultSize), "the space is the file's")
	require.Equal(t, State{File: path, Size: DefaultSize, Room: DefaultSize / blockSize * partSize}, s.State())

	long := strings.Repeat("long ", 20_000)
	for _, record := range []string{"one", long, "three"} {
		require.NoError(t, s.Append(0, []byte(record)))
	}
	require.Equal(t, 3, s.State().Waiting)
	require.NoError(t, s.Close())

	// Another process goes on with it. What cannot be taken now stays.
	s = open(t, path, DefaultSize)
	require.Equal(t, 3, s.State().Waiting)
	require.Equal(t, 1, s.Take(t.Context(), 1, func(_ context.Context, body []byte, _ int) Outcome {
		if string(body) == "one" {
			return Done
		}
		return Away
	}))
	require.Equal(t, []string{long, "three"}, taken(s))
	require.Zero(t, s.State().Waiting)
	require.NoError(t, s.Append(0, []byte("four")))
	require.Equal(t, []string{"four"}, taken(s))
	requireZeros(t, path, DefaultSize)
	require.NoError(t, s.Close())
	require.Empty(t, taken(open(t, path, DefaultSize)))

	for _, size := range []int{0, maxRecord + 1} {
		require.ErrorIs(t, s.Append(0, make([]byte, size)), ErrFull)
	}
	require.Error(t, New(Settings{File: filepath.Join(path, "no folder"), Size: small}, zap.NewNop()).Append(0, []byte("one")))
}

func TestFullSpool(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "forms"), small)
	record := bytes.Repeat([]byte("a"), 3*partSize)
	for range 10 { // the free blocks lie scattered after a while
		n := 0
		for err := error(nil); err == nil; n++ {
			err = s.Append(0, record)
		}
		require.Equal(t, 32/3, n-1)
		require.ErrorIs(t, s.Append(0, record), ErrFull)
		require.Less(t, s.State().Room, int64(len(record)))
		turn := 0
		require.Equal(t, 5, s.Take(t.Context(), 1, func(context.Context, []byte, int) Outcome { turn++; return Outcome(turn%2) * Aside }))
		require.NoError(t, s.Append(0, bytes.Repeat([]byte("b"), 10*partSize)))
		left := slices.DeleteFunc(append(append(taken(s), taken(s)...), taken(s)...), func(r string) bool { return r[0] == 'b' })
		require.Equal(t, slices.Repeat([]string{string(record)}, 5), left)
	}
}

// Records of one key come in their order, also behind one that fails. What fails again and again does not hold up the
// others of its key for ever, and rests more and more.
func TestOrder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "forms"), DefaultSize)
	const keys, each = 7, 30
	for i := range each {
		for key := range keys {
			require.NoError(t, s.Append(uint64(key), fmt.Append(nil, key, " ", i)))
		}
	}
	require.True(t, s.Holds(3))
	require.False(t, s.Holds(keys))

	var mu sync.Mutex
	next := make(map[int]int)
	failed := make(map[string]bool)
	for calls := 0; s.State().Waiting > 0; calls++ {
		require.Less(t, calls, 1000)
		s.Take(t.Context(), 4, func(_ context.Context, body []byte, tries int) Outcome {
			var key, i int
			fmt.Sscan(string(body), &key, &i)
			mu.Lock()
			defer mu.Unlock()
			if i%10 == 3 && !failed[string(body)] {
				failed[string(body)] = true
				return Later
			}
			require.Equal(t, i%10 == 3, tries == 1)
			if key != 0 {
				require.Equal(t, next[key], i, "of key %d", key)
			}
			next[key]++
			return Done
		})
	}
	require.Len(t, next, keys)
	require.False(t, s.Holds(3))

	require.NoError(t, s.Append(1, []byte("bad")))
	require.NoError(t, s.Append(1, []byte("good")))
	handed := make(map[string]int)
	for range 100 {
		s.Take(t.Context(), 4, func(_ context.Context, body []byte, tries int) Outcome {
			mu.Lock()
			defer mu.Unlock()
			if handed[string(body)]++; string(body) == "good" {
				return Done
			}
			require.Zero(t, handed["good"]*(3-min(3, tries)), "it waits at first")
			if tries < 2 {
				return Later
			}
			return Aside
		})
	}
	require.Equal(t, 1, handed["good"])
	require.Less(t, handed["bad"], 12)
	require.Greater(t, handed["bad"], 5)
	require.Equal(t, 1, s.State().Waiting)
}

// Processes that share a folder have files of their own, and a later one takes in what one has left that ended.
func TestSpoolsOfManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop [1].forms")
	first, second, third := open(t, path, small), open(t, path, small), open(t, path, small)
	require.FileExists(t, path+".2")
	for i, s := range []*Spool{first, second, third} {
		require.NoError(t, s.Append(1, fmt.Append(nil, i)))
	}
	require.NoError(t, third.Prepare())
	require.Equal(t, []string{"2"}, taken(third), "the others are alive")
	require.NoError(t, third.Append(1, []byte("3")))
	require.NoError(t, first.Close()) // as the system does with a process that ends
	require.NoError(t, second.Close())
	require.NoError(t, third.Prepare())
	require.NoError(t, third.Prepare())
	require.Equal(t, []string{"0", "1", "3"}, taken(third), "what came first is first")
	for _, name := range []string{path, path + ".1", path + ".2"} {
		requireZeros(t, name, small)
	}
	require.Equal(t, path, open(t, path, small).State().File, "the space stays reserved for the next")
}

// What waits where the settings said before is moved, whether the process has been stopped meanwhile or not.
func TestAnotherFile(t *testing.T) {
	old, path := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "new")
	s := open(t, old, small)
	require.NoError(t, s.Append(1, []byte("one")))
	s.Use(Settings{File: path, Size: 2 * small})
	require.NoError(t, s.Append(1, []byte("two")))
	require.NoError(t, s.Prepare())
	require.NoFileExists(t, old)
	require.Equal(t, 2, s.State().Waiting)
	require.NoError(t, s.Close())

	s = New(Settings{File: old, Size: small, Former: path}, zap.NewNop())
	defer s.Close()
	require.NoError(t, s.Prepare())
	require.NoFileExists(t, path)
	require.Equal(t, []string{"one", "two"}, taken(s))
	require.False(t, s.Holds(1))
	require.Zero(t, s.State().Waiting)
}

// No record is acknowledged into a file that is gone.
func TestRemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forms")
	s := open(t, path, small)
	require.NoError(t, s.Append(0, []byte("one")))
	require.NoError(t, os.Remove(path))
	require.NoError(t, s.Append(0, []byte("two")))
	require.NoError(t, s.Prepare())
	require.NoError(t, s.Close())
	s = open(t, path, small)
	require.Equal(t, []string{"one", "two"}, taken(s))
}

// What an earlier program has left is taken over.
func TestFileOfAnEarlierProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forms")
	var content []byte
	for _, record := range []string{"one", "two"} {
		content = binary.BigEndian.AppendUint32(content, uint32(len(record)))
		content = binary.BigEndian.AppendUint32(content, crc32.Checksum([]byte(record), castagnoli))
		content = append(content, record...)
	}
	require.NoError(t, os.WriteFile(path, append(content, "torn"...), 0o600))
	s := open(t, path, small)
	require.NoFileExists(t, path+oldEnding)
	require.Equal(t, []string{"one", "two"}, taken(s))
}

// A wrong bit anywhere costs the record that it is in, and is told.
func TestWrongBit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forms")
	s := open(t, path, small)
	var all []string
	for i, parts := range []int{1, 3, 1, 2} {
		all = append(all, strings.Repeat(fmt.Sprint(i), parts*partSize-7))
		require.NoError(t, s.Append(0, []byte(all[i])))
	}
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	in := []int{0, 1, 1, 1, 2, 3, 3} // the record of each block
	for at := 0; at < len(in)*blockSize; at += 37 {
		for _, opened := range []bool{false, true} { // the bit is wrong before the file is opened, or while it is open
			core, logs := observer.New(zapcore.ErrorLevel)
			s := New(Settings{File: path, Size: small}, zap.New(core))
			wrong := slices.Clone(whole)
			wrong[at] ^= 1 << (at % 8)
			if opened {
				require.NoError(t, os.WriteFile(path, whole, 0o600))
				require.NoError(t, s.Prepare())
				file, err := os.OpenFile(path, os.O_WRONLY, 0)
				require.NoError(t, err)
				_, err = file.WriteAt(wrong[at:at+1], int64(at))
				require.NoError(t, err)
				require.NoError(t, file.Close())
			} else {
				require.NoError(t, os.WriteFile(path, wrong, 0o600))
				require.NoError(t, s.Prepare())
			}
			lost := in[at/blockSize]
			require.Equal(t, slices.Concat(all[:lost], all[lost+1:]), taken(s), at)
			require.Equal(t, 1, logs.Len(), at)
			require.Contains(t, logs.All()[0].Message, "what the disk gives back is not what was written")
			requireZeros(t, path, small)
			require.NoError(t, s.Close())
		}
	}
}

// Forms come while others are taken out: each is taken once.
func TestSpoolInUse(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "forms"), DefaultSize)
	var coming sync.WaitGroup
	for i := range 8 {
		coming.Go(func() {
			for k := range 50 {
				if err := s.Append(uint64(i), fmt.Appendf(nil, "%d-%d", i, k)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var mu sync.Mutex
	seen := make(map[string]int)
	done := make(chan struct{})
	go func() { coming.Wait(); close(done) }()
	for more := true; more || s.State().Waiting > 0; {
		select {
		case <-done:
			more = false
		default:
		}
		s.Take(t.Context(), 4, func(_ context.Context, body []byte, _ int) Outcome {
			mu.Lock()
			defer mu.Unlock()
			seen[string(body)]++
			return Done
		})
		require.NoError(t, s.Prepare())
	}
	require.Len(t, seen, 400)
	for record, times := range seen {
		require.Equal(t, 1, times, record)
	}
}

// A disk that cannot reserve the space is told of, and takes records as long as it can.
func TestNothingIsReserved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forms")
	s := New(Settings{File: path, Size: 1 << 60}, zap.NewNop())
	s.settings.Size = small
	require.NoError(t, s.open())
	s.own.limit = 1 << 50 / blockSize
	err := s.own.reserve()
	require.Error(t, err)
	s.own.limit = small / blockSize
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Zero(t, info.Size(), "nobody is to want for what does not suffice")
	require.NoError(t, s.Append(0, []byte("one")))
	require.NoError(t, s.Prepare(), "there is room later")
	require.Equal(t, []string{"one"}, taken(s))
	require.NoError(t, s.Close())
}
