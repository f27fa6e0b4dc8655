package fact

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/report/column"
)

// Of is what a number of the figures is the number of.
type Of string

// What figures have numbers of. OfInquiry has the place of the inquiry's kind behind it, such as "inquiry 0".
const (
	OfVisit    Of = "visit" // or of a visitor
	OfEvent    Of = "event"
	OfOperator Of = "operator"
	OfGroup    Of = "group"
	ofInquiry  Of = "inquiry "
)

// OfInquiries are the kinds of inquiries by their places.
func OfInquiries(place int64) Of { return ofInquiry + Of(strconv.FormatInt(place, 10)) }

// numbered says which numbers of a family are those of something else, by the names of their columns.
var numbered = map[string]map[string]Of{
	Visits.Name:    {"id": OfVisit, "visitor": OfVisit},
	Events.Name:    {"id": OfEvent, "visit": OfVisit},
	Inquiries.Name: {"id": ofInquiry, "visitor": OfVisit, "operator": OfOperator, "group": OfGroup},
}

// Renumber returns a stored column, of the name, with other numbers: to is called for each that is not 0, and its error is
// returned. Whatever is no column of this program is an error. rows is how many the column has, and -1 for the empty mark
// of a day that is kept by column.
func Renumber(name string, content []byte, to func(of Of, number int64) (int64, error)) (renumbered []byte, rows int, err error) {
	of, part, _ := strings.Cut(name, ".")
	for _, f := range []*Family{&Visits, &Events, &Inquiries} {
		switch {
		case f.Name != of:
			continue
		case part != whole:
			return f.renumber(part, content, to)
		case len(content) == 0:
			return content, -1, nil
		}
		rows = -1
		seen := make(map[string]bool)
		err = divide(content, func(name string, content []byte) error {
			changed, n, err := f.renumber(name, content, to)
			if err != nil {
				return err
			}
			if rows >= 0 && n != rows || seen[name] {
				return fmt.Errorf("%w: %s.%s", column.ErrBroken, f.Name, name)
			}
			rows, seen[name] = n, true
			renumbered = append(binary.AppendUvarint(renumbered, uint64(len(name))), name...)
			renumbered = append(binary.AppendUvarint(renumbered, uint64(len(changed))), changed...)
			return nil
		})
		if err == nil && !seen[f.Numbers[ID]] {
			err = fmt.Errorf("%w: the numbers of the rows are missing", column.ErrBroken)
		}
		return renumbered, rows, err
	}
	return nil, 0, fmt.Errorf("%w: there is no column %.40q", column.ErrBroken, name)
}

// renumber is Renumber for a column of the family.
func (f *Family) renumber(name string, content []byte, to func(of Of, number int64) (int64, error)) ([]byte, int, error) {
	what := numbered[f.Name][name]
	for _, known := range f.Numbers {
		if known != name {
			continue
		}
		if len(content) > binary.MaxVarintLen64*(column.MaxRows+1) { // before there are numbers, which take more room
			return nil, 0, column.ErrBroken
		}
		numbers, err := column.ReadNumbers(content)
		for i, n := range numbers {
			if err != nil {
				break
			}
			switch {
			case n == 0 || what == "":
			case what == ofInquiry:
				place, id := OfInquiry(n)
				id, err = to(OfInquiries(place), id)
				numbers[i] = InquiryID(place, id)
			default:
				numbers[i], err = to(what, n)
			}
		}
		if err != nil || len(numbers) > column.MaxRows {
			return nil, 0, brokenBy(err)
		}
		return column.AppendNumbers(nil, numbers), len(numbers), nil
	}
	for _, known := range f.Texts {
		if known != name {
			continue
		}
		texts, err := column.ReadTexts(content)
		if err != nil {
			return nil, 0, err
		}
		if what != "" {
			texts, err = renumberTexts(texts, what, to)
		}
		return texts.Append(nil), len(texts.Rows), err
	}
	return nil, 0, fmt.Errorf("%w: there is no column %.40q", column.ErrBroken, f.Name+"."+name)
}

func brokenBy(err error) error {
	if err == nil {
		err = column.ErrBroken
	}
	return err
}

// renumberTexts is for columns whose texts are numbers.
func renumberTexts(texts column.Texts, what Of, to func(of Of, number int64) (int64, error)) (column.Texts, error) {
	values := make([]string, len(texts.Values))
	for i, text := range texts.Values {
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			n, err = to(what, n)
		}
		if err != nil {
			return column.Texts{}, err
		}
		if n != 0 {
			values[i] = strconv.FormatInt(n, 10)
		}
	}
	var changed column.Texts
	places := make(map[string]uint32)
	for _, place := range texts.Rows {
		changed.Add(values[place], places) // two may have become the same
	}
	return changed, nil
}

// FamilyOf returns the family of a stored column, and whether it has a day in one piece.
func FamilyOf(name string) (family string, piece bool) {
	family, part, _ := strings.Cut(name, ".")
	return family, part == whole
}
