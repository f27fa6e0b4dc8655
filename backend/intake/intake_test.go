package intake_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/intake"
)

const (
	whole = 1 << 20
	part  = whole / 8
	free  = intake.Free
)

func TestBudget(t *testing.T) {
	b := intake.New(whole)
	first := b.Share("192.0.2.1:80")
	require.True(t, first.Take(free), "what a connection takes anyway")
	require.Zero(t, b.Held())
	require.True(t, first.Take(part))
	require.Equal(t, part, b.Held())

	neighbour := b.Share("192.0.2.200:80")
	require.True(t, neighbour.Take(free), "a short message is never kept out")
	require.False(t, neighbour.Take(1), "it is of the same network")
	require.False(t, neighbour.Take(1))
	require.Equal(t, 1, b.Refused(), "one body")
	require.Equal(t, part, b.Held())

	var others []*intake.Share
	for i := range 7 {
		other := b.Share(fmt.Sprintf("[2001:db8:%d::1]:443", i))
		require.True(t, other.Take(free+part))
		others = append(others, other)
	}
	require.Equal(t, whole, b.Held())
	late := b.Share("198.51.100.1:80")
	require.True(t, late.Take(free))
	require.False(t, late.Take(1), "all is taken")

	others[0].Close()
	others[0].Close()
	require.Equal(t, whole-part, b.Held())
	require.False(t, others[0].Take(1), "it is closed")
	require.True(t, b.Share("198.51.100.1:80").Take(free+part))
	first.Close()
	neighbour.Close()
	require.True(t, b.Share("192.0.2.1:80").Take(free+part))
}

// However many take and give back at once, nothing is left over.
func TestBudgetIsGivenBack(t *testing.T) {
	b := intake.New(whole)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 1000 {
				s := b.Share(fmt.Sprintf("192.0.%d.1:80", i%3))
				for s.Take(n) && n%7 > 0 {
					n += 5000
				}
				s.Close()
			}
		})
	}
	all.Wait()
	require.Zero(t, b.Held())
}

func TestBody(t *testing.T) {
	b := intake.New(whole)
	read := func(size int) (n int, err error) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size)))
		r, done := b.Admit(r)
		defer done()
		content, err := intake.ReadAll(intake.Body(r), r.ContentLength)
		require.Equal(t, max(0, len(content)-free), b.Held())
		return len(content), err
	}
	n, err := read(part)
	require.NoError(t, err)
	require.Equal(t, part, n)
	require.Zero(t, b.Held())
	n, err = read(2 * part)
	require.ErrorIs(t, err, intake.ErrFull)
	require.LessOrEqual(t, n, free+part)
	require.Zero(t, b.Held())

	short := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("as over HTTP/3"))
	short.ContentLength++
	short, given := b.Admit(short)
	_, err = io.ReadAll(intake.Body(short))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	given()

	plain := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x"))
	require.Equal(t, plain.Body, intake.Body(plain), "nobody has admitted it")
}

// announcing announces more than it sends, and remembers how much room it was given to read into.
type announcing struct {
	left, room int
}

func (a *announcing) Read(p []byte) (int, error) {
	a.room = max(a.room, len(p))
	n := min(len(p), a.left)
	if a.left -= n; n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}

func TestReadAll(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513, 1 << 20} {
		sent := bytes.Repeat([]byte("abc"), size)[:size]
		for _, length := range []int64{-1, 0, int64(size) - 1, int64(size), int64(size) + 1, 1 << 40} {
			for _, r := range []io.Reader{bytes.NewReader(sent), iotest.DataErrReader(bytes.NewReader(sent)), iotest.HalfReader(bytes.NewReader(sent))} {
				content, err := intake.ReadAll(r, length)
				require.NoError(t, err)
				require.True(t, bytes.Equal(sent, content))
				require.LessOrEqual(t, cap(content), 2*size+512)
			}
		}
	}
	// What is only announced takes nothing.
	a := &announcing{left: 10_000}
	content, err := intake.ReadAll(a, 1<<20)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Len(t, content, 10_000)
	require.LessOrEqual(t, a.room, 10_512)

	broken := errors.New("broken")
	_, err = intake.ReadAll(iotest.ErrReader(broken), 5)
	require.ErrorIs(t, err, broken)
}
