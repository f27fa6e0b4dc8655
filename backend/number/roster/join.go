package roster

import (
	"cmp"
	"errors"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Joined is what becomes of a table among a site's own numbers and pools.
type Joined struct {
	Own number.Own
	// Added are the rows that are new there, and Known is how many of the table are not.
	Added []Row
	Known int
	// Made are the names of the pools that are new.
	Made []string

	rows       []Row
	configured func(digits string) (number.Number, bool)
	changed    map[string]bool // the printed numbers that have been added to
	known      map[string]bool // the printed numbers and the pools that have been looked into, and what is there
}

// Join adds the rows to what the site has of its own, which it does not change. configured returns a number of the
// configuration, which becomes the site's own when something is added to it. What is wrong is added to the table's mistakes.
func (t *Table) Join(own number.Own, configured func(digits string) (number.Number, bool)) Joined {
	j := Joined{Own: number.Own{Numbers: slices.Clone(own.Numbers), Pools: make(map[string]number.DeclaredPool, len(own.Pools))}, rows: t.Rows, configured: configured, changed: make(map[string]bool), known: make(map[string]bool)}
	for name, pool := range own.Pools {
		pool.Numbers = slices.Clip(pool.Numbers) // what is added goes elsewhere
		j.Own.Pools[name] = pool
	}
	pools := make(map[string]Row) // by name, the first row that says who sees its numbers
	for _, row := range t.Rows {
		if row.Pool == "" {
			j.show(row)
			continue
		}
		j.pool(row)
		if len(row.When) == 0 || row.Printed == "" {
			continue
		}
		first, known := pools[row.Pool]
		switch {
		case !known:
			pools[row.Pool] = row
			j.use(row)
		case first.Printed != row.Printed || !slices.Equal(first.When, row.When):
			t.refuse(row.Line, number.About("table_pools", "pool %q: expected the same sources in all its lines", row.Titled))
		}
	}
	return j
}

// number is the printed number as it is now: the site's own, or that of the configuration, or a new one. at is where it
// stands among the site's own, or where it would.
func (j *Joined) number(printed string) (n number.Number, at int) {
	at = slices.IndexFunc(j.Own.Numbers, func(n number.Number) bool { return number.Digits(n.Number) == printed })
	if at >= 0 {
		return j.Own.Numbers[at], at
	}
	n, known := j.configured(printed)
	if !known {
		n = number.Number{Number: printed}
	}
	return n, len(j.Own.Numbers)
}

// isNew says whether a printed number or a pool has not got something yet, and notes that it has. all returns what it has
// now.
func (j *Joined) isNew(of, something string, all func(yield func(string) bool)) bool {
	if !j.known[of] {
		j.known[of] = true
		for one := range all {
			j.known[of+" "+one] = true
		}
	}
	was := j.known[of+" "+something]
	j.known[of+" "+something] = true
	return !was
}

// add has visitors see something in place of the printed number, in front of what all visitors see, behind which it would
// not count. It does nothing if they do already.
func (j *Joined) add(printed string, rule number.Tracking) (added bool) {
	n, at := j.number(printed)
	if !j.isNew(printed, cmp.Or(rule.Static, rule.Pool), func(yield func(string) bool) {
		for _, t := range n.Tracking {
			if !yield(cmp.Or(number.Digits(t.Static), t.Pool)) {
				return
			}
		}
	}) {
		return false
	}
	if !j.changed[printed] { // what was given stays as it is
		n.Tracking, j.changed[printed] = slices.Clone(n.Tracking), true
	}
	before := slices.IndexFunc(n.Tracking, func(t number.Tracking) bool { return len(t.When) == 0 })
	if before < 0 {
		before = len(n.Tracking)
	}
	n.Tracking = slices.Insert(n.Tracking, before, rule)
	if at == len(j.Own.Numbers) {
		j.Own.Numbers = append(j.Own.Numbers, n)
	}
	j.Own.Numbers[at] = n
	return true
}

// show has visitors see the row's number.
func (j *Joined) show(row Row) {
	if j.add(row.Printed, number.Tracking{Name: row.Name, Static: row.Number, When: row.When}) {
		j.Added = append(j.Added, row)
	} else {
		j.Known++
	}
}

// pool adds the row's number to its pool.
func (j *Joined) pool(row Row) {
	pool, known := j.Own.Pools[row.Pool]
	if !known {
		j.Made = append(j.Made, row.Pool)
	}
	if !j.isNew("pool "+row.Pool, row.Number, func(yield func(string) bool) {
		for _, written := range pool.Numbers {
			if !yield(number.Digits(written)) {
				return
			}
		}
	}) {
		j.Known++
		return
	}
	pool.Numbers = append(pool.Numbers, row.Number)
	j.Own.Pools[row.Pool] = pool
	j.Added = append(j.Added, row)
}

// use has visitors of the row's sources see the numbers of its pool.
func (j *Joined) use(row Row) {
	j.add(row.Printed, number.Tracking{Name: cmp.Or(row.Name, row.Titled), Pool: row.Pool, When: row.When})
}

// Line returns the line of the table that an error of the site's own numbers is about, or 0.
func (j *Joined) Line(err error) int {
	var wrong *number.FieldError
	if !errors.As(err, &wrong) {
		return 0
	}
	digits := ""
	if pool := j.Own.Pools[wrong.Pool]; wrong.Field == "numbers" && wrong.Index >= 0 && wrong.Index < len(pool.Numbers) {
		digits = number.Digits(pool.Numbers[wrong.Index])
	}
	at := slices.IndexFunc(j.Own.Numbers, func(n number.Number) bool { return number.Digits(n.Number) == number.Digits(wrong.Number) })
	if wrong.Pool == "" && at >= 0 && wrong.Field == "tracking" && wrong.Index >= 0 && wrong.Index < len(j.Own.Numbers[at].Tracking) {
		digits = number.Digits(j.Own.Numbers[at].Tracking[wrong.Index].Static)
	}
	for _, row := range j.rows {
		if row.Number == digits {
			return row.Line
		}
	}
	return 0
}
