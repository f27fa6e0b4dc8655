package sqlite

import (
	"errors"
	"fmt"
	"os"
)

// ErrLost means that the file of the database, its log or the log's index was
// removed or replaced while it was open. What is written there would be gone.
var ErrLost = errors.New("a file of the database was removed or replaced while it was open")

// files are those of a SQLite database, as they were when it was opened. A nil
// files has none.
type files struct {
	names []string
	infos []os.FileInfo
}

// filesOf are the file at the path and those beside it, which SQLite has open. They are looked at and
// never opened here: to close one would give up the locks that SQLite holds on it
// (see "How To Corrupt An SQLite Database File", section 2.2).
func filesOf(path string, beside ...string) (*files, error) {
	var f files
	for _, name := range append([]string{path}, beside...) {
		info, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) && name != path {
			continue // a disk that cannot have them
		}
		if err != nil {
			return nil, err
		}
		f.names, f.infos = append(f.names, name), append(f.infos, info)
	}
	return &f, nil
}

// check returns ErrLost unless all are at their places.
func (f *files) check() error {
	if f == nil {
		return nil
	}
	for i, name := range f.names {
		info, err := os.Stat(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("looking for the file of the database: %w", err)
		}
		if err != nil || !os.SameFile(info, f.infos[i]) {
			return fmt.Errorf("%w: %s", ErrLost, name)
		}
	}
	return nil
}
