// Package migrations has the schema: a text of SQL for each step, which both engines are given, and takes the steps. It is
// asked by package db.
//
// A node of one release works with the schema of the release before it and of the release behind it. So a step says what
// it does to the nodes of the release before, in its first line:
//
//   - Nothing there: it expands the schema, and they go on.
//   - "-- outside of a transaction" expands it, too. On PostgreSQL each statement is executed by itself.
//   - "-- in pieces of TABLE by COLUMN, COLUMN" changes rows of the table, some at a time, while all go on. The columns are
//     whole numbers and the beginning of a unique key. The text is one statement for the rows with $1, $2 < key <= $3, $4.
//     Whatever nodes of the release before write meanwhile is gone through once more when they are gone.
//   - "-- contracts": they do not go on. It is taken when none has been seen for a day.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed *.sql
var texts embed.FS

// First is the number of the first step, which makes the whole schema of the first release. Numbers are dates.
const First = 20261129

// released are the numbers of the last steps of all releases so far, in their order.
var released []int64

// sources are where the texts are.
var sources = []fs.FS{texts}

// kind is what a step does to the nodes of the release before.
type kind int

const (
	expanding kind = iota
	outside        // expanding, outside of a transaction
	piecewise
	contracting
)

// step is one of the schema's.
type step struct {
	version int64
	kind    kind
	text    string
	table   string   // that is gone through in pieces
	key     []string // the columns by which
}

var headline = regexp.MustCompile(`^-- (outside of a transaction|in pieces of (\w+) by (\w+(?:, \w+)*)|contracts)\n`)

// stepsOf are the steps for the engine, "sqlite" or "postgres", in their order.
func stepsOf(engine string) (steps []step, err error) {
	for _, source := range sources {
		files, err := fs.Glob(source, "*.sql")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			version, err := goose.NumericComponent(file)
			if err != nil {
				return nil, fmt.Errorf("reading the schema: %w", err)
			}
			text, err := fs.ReadFile(source, file)
			if err != nil {
				return nil, fmt.Errorf("reading the schema: %w", err)
			}
			steps = append(steps, read(version, string(text), engine))
		}
	}
	return steps, nil
}

func read(version int64, text, engine string) step {
	s := step{version: version, text: meant(text, engine)}
	if head := headline.FindStringSubmatch(text); head != nil {
		switch {
		case head[2] != "":
			s.kind, s.table, s.key = piecewise, head[2], strings.Split(head[3], ", ")
		case head[1] == "contracts":
			s.kind = contracting
		default:
			s.kind = outside
		}
	}
	return s
}

// statements are the statements of the text, each of which ends with its line.
func (s step) statements() (all []string) {
	for one := range strings.SplitSeq(s.text, ";\n") {
		if strings.TrimSpace(one) != "" {
			all = append(all, one)
		}
	}
	return all
}

// Newest is the number of the last step that this program knows.
func Newest() int64 {
	steps, err := stepsOf(sqlite)
	if err != nil {
		panic(err) // the texts are part of the program
	}
	return steps[len(steps)-1].version
}

// before is the last step of the release before this program's; 0 if there is none.
func before() (last int64) {
	newest := Newest()
	for _, r := range released {
		if r < newest {
			last = r
		}
	}
	return last
}

// meant is the text without the lines of the other engine: those behind "-- sqlite:" or "-- postgres:", up to "-- both:".
func meant(text, engine string) string {
	var kept strings.Builder
	mine := true
	for line := range strings.Lines(text) {
		switch line {
		case "-- sqlite:\n", "-- postgres:\n":
			mine = line == "-- "+engine+":\n"
		case "-- both:\n":
			mine = true
		default:
			if mine {
				kept.WriteString(line)
			}
		}
	}
	return kept.String()
}
