package table_test

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/console/table"
)

// parts are the numbers up to n, and then the error. How many were read is sent to left when nothing more is.
func parts(n int, err error, left chan<- int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		i := 0
		defer func() { left <- i }()
		for ; i < n; i++ {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func TestPartsAreReadAhead(t *testing.T) {
	left := make(chan int, 1)
	address, returned := served(t, 0, func(out *table.Rows) error {
		return table.Each(out, parts(3, nil, left), func(i int) error { return out.Write(table.Text(fmt.Sprint("part ", i))) })
	})
	_, body := get(t, address)
	require.NoError(t, <-returned)
	require.Equal(t, 3, <-left)
	require.Contains(t, string(body), "\"part 0\"\r\n\"part 1\"\r\n\"part 2\"\r\n")
}

// A file ends with what has failed, whether that is reading, writing, or a bug in reading.
func TestPartsThatFail(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		parts func(left chan<- int) iter.Seq2[int, error]
		write func(int) error
		want  string
	}{
		"reading": {func(left chan<- int) iter.Seq2[int, error] { return parts(2, broken, left) }, func(int) error { return nil }, "broken\n"},
		"writing": {func(left chan<- int) iter.Seq2[int, error] { return parts(1<<40, nil, left) }, func(i int) error {
			if i == 5 {
				return broken
			}
			return nil
		}, "broken\n"},
		"a bug": {func(left chan<- int) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				defer func() { left <- 0 }()
				panic("a bug")
			}
		}, func(int) error { return nil }, "reading the rows of a file has panicked\n"},
	} {
		t.Run(name, func(t *testing.T) {
			left := make(chan int, 1)
			address, returned := served(t, 0, func(out *table.Rows) error { return table.Each(out, test.parts(left), test.write) })
			answer, body := get(t, address)
			require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
			require.Equal(t, test.want, string(body))
			require.Error(t, <-returned)
			select {
			case read := <-left:
				require.LessOrEqual(t, read, 7, "what is read ahead is bounded")
			case <-time.After(10 * time.Second):
				require.Fail(t, "it is still read")
			}
		})
	}
}
