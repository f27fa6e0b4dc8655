package cost

import (
	"fmt"
	"slices"
)

// summary is what the lines of a table tell together, which is how each of them is read.
type summary struct {
	// layouts are the writings of its days.
	layouts []string
	// currency is that of all costs.
	currency string
	// point is the decimal sign of the amounts: the sign that stands before another number of digits than three, or after
	// another sign. It is 0 if no amount tells, or amounts tell different signs.
	point byte

	lines              int
	slashed            bool // there are days such as 3/4/2026
	byDay, byMonth     int  // how many of these there are by each order
	currencies, points bool // there are several
}

// summary reads all lines once, and checks them.
func (t *table) summary(order Order) (summary, error) {
	s := summary{currency: t.said}
	err := t.each(func(l line) bool {
		if order == Unsaid {
			s.day(l.day)
		}
		s.cost(l)
		s.lines++
		return s.lines <= MaxLines
	})
	switch {
	case err != nil:
		return s, fmt.Errorf("%w: %w", ErrTable, err)
	case s.lines > MaxLines:
		return s, ErrLines
	case s.slashed && s.byDay == s.byMonth:
		return s, ErrDayOrder
	case s.currencies:
		return s, ErrCurrency
	case s.points:
		s.point = 0
	}
	if order == Unsaid {
		order = DayFirst
		if s.byMonth > s.byDay {
			order = MonthFirst
		}
	}
	s.layouts = slices.Concat(layouts, layoutsOf[order])
	return s, nil
}

func (s *summary) day(cell string) {
	_, byDay := dayBy(cell, layoutsOf[DayFirst])
	_, byMonth := dayBy(cell, layoutsOf[MonthFirst])
	if byDay {
		s.byDay++
	}
	if byMonth {
		s.byMonth++
	}
	s.slashed = s.slashed || byDay || byMonth
}

func (s *summary) cost(l line) {
	if found := currencyIn(l.currency); found != "" {
		s.currencies = s.currencies || s.currency != "" && found != s.currency
		s.currency = found
	}
	if digits, ok := bare(l.amount); ok {
		if found := pointOf(digits); found != 0 {
			s.points = s.points || s.point != 0 && found != s.point
			s.point = found
		}
	}
}
