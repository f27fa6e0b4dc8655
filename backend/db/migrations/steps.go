// Package migrations has the schema: a text of SQL for each step, which both engines are given. It is asked by package db.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed *.sql
var texts embed.FS

// First is the number of the first step, which makes the whole schema of the first release. Numbers are dates.
const First = 20261128

// Steps are those of the engine, "sqlite" or "postgres", in their order. Each text is executed as it is.
func Steps(engine string) (steps []*goose.Migration, err error) {
	files, err := fs.Glob(texts, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		version, err := goose.NumericComponent(file)
		if err != nil {
			return nil, fmt.Errorf("reading the schema: %w", err)
		}
		text, err := texts.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the schema: %w", err)
		}
		script := meant(string(text), engine)
		up := func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, script)
			return err
		}
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{RunTx: up}, nil))
	}
	return steps, nil
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
