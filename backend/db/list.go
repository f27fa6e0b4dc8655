package db

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// partSize bounds the rows of one statement. SQLite takes longer for each row the more
// there are; PostgreSQL has a round trip for each statement.
const partSize = 128

// Parts cuts the rows into parts for statements of many. The length of each is a power
// of two, 128 at most: so there are a few texts to prepare, however many rows come.
func Parts[T any](rows []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for size := partSize; len(rows) > 0; {
			for size > len(rows) {
				size /= 2
			}
			if !yield(rows[:size:size]) {
				return
			}
			rows = rows[size:]
		}
	}
}

// Padded repeats the last of the values, up to a power of two: what is looked for may
// be there twice, and a query has few texts.
func Padded[T any](values []T) []T {
	size := 1
	for size < len(values) {
		size *= 2
	}
	padded := append(make([]T, 0, size), values...)
	for len(padded) > 0 && len(padded) < size {
		padded = append(padded, values[len(values)-1])
	}
	return padded
}

// Values returns the rows for a VALUES of a query, such as "VALUES ($1, $2), ($3, $4)",
// and the query's arguments: those before, then the rows' values. fields are where the
// columns of a row are, as for [List].
func Values[T any](rows []T, fields func(*T) []any, before ...any) (values string, args []any) {
	var text strings.Builder
	text.WriteString("VALUES ")
	args = slices.Clip(before)
	for i := range rows {
		if i > 0 {
			text.WriteString(", ")
		}
		for column, field := range fields(&rows[i]) {
			args = append(args, field)
			if column == 0 {
				text.WriteByte('(')
			} else {
				text.WriteString(", ")
			}
			mark := "$" + strconv.Itoa(len(args))
			if _, number := field.(*int64); number { // PostgreSQL would take it for text
				mark = "CAST(" + mark + " AS BIGINT)"
			}
			text.WriteString(mark)
		}
		text.WriteByte(')')
	}
	return text.String(), args
}

// Among is [Values] for an IN of several columns, "(site_id, id) IN (…)". SQLite uses an index for that only where a
// query of its own has the rows, and goes through the whole table otherwise.
func Among[T any](rows []T, fields func(*T) []any, before ...any) (set string, args []any) {
	values, args := Values(rows, fields, before...)
	return `SELECT * FROM (` + values + `) AS among`, args
}
