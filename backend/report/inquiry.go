package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// inquiry is one of the period.
type inquiry struct {
	site, id, at          int64
	visitor, phone, email int64
	flags                 int64
	kind                  string
	figures               Figures
	values                [2]uint32 // as those of one of which no visit is known
	passes                bool      // the filters of its own dimensions
	known                 bool      // it passes all filters, if no visit is known
}

// inquiryTexts are the columns of inquiries that the dimensions need.
func (a *asking) inquiryTexts() []int {
	needed := []int{fact.InquiryKind, fact.InquirySourceKind}
	for _, v := range a.all() {
		needed = append(needed, sourceTexts[v.dimension]...)
		if own, is := ownTexts[v.dimension]; is {
			needed = append(needed, own)
		}
	}
	slices.Sort(needed)
	return slices.Compact(needed)
}

// inquiriesOf are the inquiries of the period in the order of their times, with what each counts for.
func (a *asking) inquiriesOf(siteID int64, blocks []fact.Block) (all []inquiry) {
	reached := make(map[int64]int64) // when each telephone number was last talked to
	for i := range blocks {
		b := &blocks[i]
		var by, filters []reading
		for n := range a.By {
			by = append(by, a.by[n].ofInquiries(b, &a.clock))
		}
		for n := range a.filters {
			filters = append(filters, a.filters[n].ofInquiries(b, &a.clock))
		}
		for row, id := range b.Numbers[fact.ID] {
			at, flags, phone := b.Day*minutesOfDay+b.Numbers[fact.Minute][row], b.Numbers[fact.InquiryFlags][row], b.Numbers[fact.InquiryPhone][row]
			if flags&fact.Reached != 0 && phone != 0 {
				reached[phone] = max(reached[phone], at)
			}
			if at < a.start || at >= a.end {
				continue
			}
			_, number := fact.OfInquiry(id)
			in := inquiry{site: siteID, id: number, at: at, phone: phone, email: b.Numbers[fact.InquiryEmail][row], visitor: b.Numbers[fact.InquiryVisitor][row],
				flags: flags, kind: b.Texts[fact.InquiryKind].Values[b.Texts[fact.InquiryKind].Rows[row]], passes: true, known: true}
			in.figures = figuresOf(&in, b.Numbers[fact.InquirySum][row])
			for n := range by {
				in.values[n] = by[n](row)
			}
			for n := range filters {
				f := &a.filters[n]
				passes := f.pass(filters[n](row))
				in.known = in.known && passes
				if len(visitTexts[f.dimension]) == 0 {
					in.passes = in.passes && passes
				}
			}
			all = append(all, in)
		}
	}
	slices.SortStableFunc(all, func(x, y inquiry) int { return cmp.Compare(x.at, y.at) })
	for i := range all {
		in := &all[i]
		if in.flags&(fact.Missed|fact.Failed) != 0 && in.flags&fact.Spam == 0 && (in.phone == 0 || reached[in.phone] <= in.at) {
			in.figures[Unanswered] = 1
		}
	}
	countPersons(all, a.PersonWindow)
	return all
}

// figuresOf is what an inquiry counts for by itself.
func figuresOf(in *inquiry, sum int64) (f Figures) {
	if in.flags&fact.Spam != 0 {
		if in.flags&fact.Part == 0 {
			f[Spam] = 1
		}
		return f
	}
	if in.flags&fact.Sale != 0 {
		f[Sales], f[Revenue] = 1, float64(sum)/1e6
	}
	if in.flags&fact.Part != 0 {
		return f
	}
	f[Inquiries] = 1
	switch in.kind {
	case Call:
		f[Calls] = 1
	case Request:
		f[Requests] = 1
	case Chat:
		f[Chats] = 1
	case Callback:
		f[Callbacks] = 1
	}
	if in.flags&fact.Missed != 0 {
		f[Missed] = 1
	}
	return f
}

// countPersons counts a person with the first of the inquiries that are that person's, of which each is within a time of
// another.
func countPersons(all []inquiry, within time.Duration) {
	window := int64(within / time.Minute)
	of := make([]int, len(all)) // the inquiry that each is joined to, or itself
	root := func(i int) int {
		for of[i] != i {
			of[i] = of[of[i]]
			i = of[i]
		}
		return i
	}
	type mark struct {
		column int
		value  int64
	}
	last := make(map[mark]int)
	for i := range all {
		of[i] = i
		in := &all[i]
		if in.figures[Inquiries] == 0 || !in.passes {
			continue
		}
		for column, value := range [...]int64{in.visitor, in.phone, in.email} {
			if value == 0 {
				continue
			}
			m := mark{column, value}
			if before, is := last[m]; is && in.at-all[before].at <= window {
				x, y := root(before), root(i)
				of[max(x, y)] = min(x, y)
			}
			last[m] = i
		}
	}
	for i := range all {
		if all[i].figures[Inquiries] > 0 && all[i].passes && root(i) == i {
			all[i].figures[Persons] = 1
		}
	}
}

// ofInquiries reads the dimension of a day's inquiries: their own, or that of their own source where it is known.
func (v *values) ofInquiries(b *fact.Block, c *clock) reading {
	if v.dimension.ofTime() {
		return v.ofTime(b, c)
	}
	if own, is := ownTexts[v.dimension]; is {
		return func(row int) uint32 { return v.number(text(b, own, row)) }
	}
	columns := sourceTexts[v.dimension]
	return func(row int) uint32 {
		kind := text(b, fact.InquirySourceKind, row)
		if kind == "" || columns == nil {
			return v.number(Unknown)
		}
		if v.dimension == Channel {
			return v.channel(kind, text(b, columns[1], row), text(b, columns[2], row))
		}
		return v.number(text(b, columns[0], row))
	}
}

func text(b *fact.Block, column, row int) string {
	return b.Texts[column].Values[b.Texts[column].Rows[row]]
}
