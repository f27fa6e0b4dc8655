package spool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// steps reads what is to be done, byte by byte; zeros when there is no more.
type steps []byte

func (s *steps) next() int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b)
}

// FuzzPowerLoss appends records and takes them out, and stops the machine in the midst of a step: of the blocks that the
// step has written, any may have reached the disk or not. A bit may be wrong, too. What was acknowledged before is
// there, and nothing else; a wrong bit costs one record.
func FuzzPowerLoss(f *testing.F) {
	f.Add([]byte("\x05\x07\x09\x81\x55\xff\x03\x82\x0f\x00\x10\x20\x30\x40\x50\x60\x70\x80"))
	f.Add([]byte("\x06\x46\xc3\xaa\x12\x34\x02\x02\x02\xc1\x99\x00\x01\x07\x80\x01\x40\x00\x33"))
	f.Add([]byte("\xc0\x00\x00\x3f\xc1\xff\x01\x05\x3e\x81\x03\xc2\x5a\xa5\x00\x77"))
	f.Fuzz(func(t *testing.T, input []byte) {
		todo := steps(input)
		path := filepath.Join(t.TempDir(), "forms")
		image := func() []byte {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			return content
		}
		s := open(t, path, small)
		acknowledged := make(map[string]bool)
		for n := 0; len(todo) > 0 && n < 100; n++ {
			step := todo.next()
			before := image()
			maybe := make(map[string]bool) // what may be there or not if the step has been interrupted
			if step&1 == 0 {
				body := fmt.Sprint(n, " ") + string(bytes.Repeat([]byte{byte(n)}, step>>1*16))
				if s.Append(uint64(step>>3&3), []byte(body)) == nil {
					maybe[body] = true
				}
			} else {
				which := todo.next()
				s.Take(t.Context(), 1, func(_ context.Context, body []byte, _ int) Outcome {
					require.True(t, acknowledged[string(body)], "it was never appended, or is taken out already")
					if which >>= 1; which&1 == 0 {
						return Aside
					}
					maybe[string(body)] = true
					delete(acknowledged, string(body))
					return Done
				})
			}
			if step&0xc0 != 0xc0 {
				if step&1 == 0 {
					for body := range maybe {
						acknowledged[body] = true
					}
				}
				continue
			}
			// The machine stops in the midst of the step.
			require.NoError(t, s.Close())
			mixed := image()
			for at := 0; at < len(mixed); at += blockSize {
				if bytes.Equal(mixed[at:at+blockSize], before[at:at+blockSize]) {
					continue
				}
				if todo.next()&1 == 0 {
					copy(mixed[at:at+blockSize], before[at:at+blockSize])
				}
			}
			wrong := todo.next()
			if wrong&1 == 1 {
				mixed[(wrong*251+todo.next())%len(mixed)] ^= 1 << (wrong >> 1 & 7)
			}
			require.NoError(t, os.WriteFile(path, mixed, 0o600))
			s = open(t, path, small)
			missing := len(acknowledged)
			for range maxRest + 2 { // some rest
				s.Take(t.Context(), 1, func(_ context.Context, body []byte, _ int) Outcome {
					require.True(t, acknowledged[string(body)] || maybe[string(body)])
					if acknowledged[string(body)] {
						missing--
					}
					delete(acknowledged, string(body))
					delete(maybe, string(body))
					return Done
				})
			}
			require.LessOrEqual(t, missing, wrong&1)
			clear(acknowledged)
			require.Equal(t, make([]byte, len(mixed)), image(), "nothing is left of what was taken out")
			require.EqualValues(t, small/blockSize*partSize, s.State().Room)
		}
		require.NoError(t, s.Close())
	})
}

// FuzzFile opens any file: what is handed over has been in it, block by block.
func FuzzFile(f *testing.F) {
	records := encode(encode(nil, 7, 1, []byte("one")), 9, 2, bytes.Repeat([]byte("two "), 300))
	f.Add(records)
	f.Add(records[:len(records)-1])
	f.Add(append(make([]byte, blockSize), records...))
	f.Add(append(records[:blockSize:blockSize], records[2*blockSize:]...))
	f.Add(append(records, records...))
	f.Add([]byte("\x00\x00\x00\x03\xb8\x4a\x2b\x32one"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "forms")
		content = content[:min(len(content), small)]
		require.NoError(t, os.WriteFile(path, content, 0o600))
		s := New(Settings{File: path, Size: small}, zap.NewNop())
		defer s.Close()
		if s.Prepare() != nil {
			return // a file of an earlier program, of more than there is room for
		}
		for _, record := range taken(s) {
			first := record[:min(len(record), partSize)]
			require.True(t, bytes.Contains(content, []byte(first)))
		}
		require.NoError(t, s.Append(0, []byte("after")))
		require.Equal(t, []string{"after"}, taken(s))
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.False(t, slices.ContainsFunc(left, func(b byte) bool { return b != 0 }))
	})
}
