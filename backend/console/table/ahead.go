package table

import (
	"errors"
	"iter"
	"sync"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// errReading is the error of a file whose rows could not be read because of a bug. The log has its stack.
var errReading = errors.New("reading the rows of a file has panicked")

// Each writes the parts, one after the other, and ends with the first error. The next part is read while one is written, in a
// goroutine of its own, so two are in memory at once. It has ended when Each returns.
func Each[T any](out *Rows, parts iter.Seq2[T, error], write func(T) error) error {
	type part struct {
		of  T
		err error
	}
	ahead, left := make(chan part), make(chan struct{})
	hand := func(p part) bool {
		select {
		case ahead <- p:
			return true
		case <-left:
			return false
		}
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(ahead)
		if !aside.Do(out.logger, "reading the rows of a file", func() {
			parts(func(of T, err error) bool { return hand(part{of, err}) })
		}) {
			hand(part{err: errReading})
		}
	})
	defer reading.Wait()
	defer close(left)
	for p := range ahead {
		if p.err != nil {
			return p.err
		}
		if err := write(p.of); err != nil {
			return err
		}
	}
	return nil
}
