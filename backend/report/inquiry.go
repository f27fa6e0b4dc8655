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
	counts                counts
	revenue               float64
	number                int32     // of the visitor among those who are seen
	values                [2]uint32 // as those of one of which no visit is known
	passes                bool      // the filters of its own dimensions
	known                 bool      // it passes all filters, if no visit is known
}

// counts are the metrics for which an inquiry counts, a bit for each.
type counts uint32

func (c counts) has(m Metric) bool { return c>>m&1 != 0 }

func (c *counts) add(m Metric) { *c |= 1 << m }

// figure is for how much of the metric the inquiry counts.
func (in *inquiry) figure(m Metric) float64 {
	switch {
	case !in.counts.has(m):
		return 0
	case m == Revenue:
		return in.revenue
	}
	return 1
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
	room := 0
	for i := range blocks {
		room += blocks[i].Len()
	}
	all = make([]inquiry, 0, room)
	for i := range blocks {
		b, begin := &blocks[i], len(all)
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
			in.count(b.Numbers[fact.InquirySum][row])
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
		slices.SortStableFunc(all[begin:], func(x, y inquiry) int { return cmp.Compare(x.at, y.at) })
	}
	for i := range all {
		in := &all[i]
		if in.flags&(fact.Missed|fact.Failed) != 0 && in.flags&fact.Spam == 0 && (in.phone == 0 || reached[in.phone] <= in.at) {
			in.counts.add(Unanswered)
		}
	}
	countPersons(all, a.PersonWindow)
	return all
}

// count sets what the inquiry counts for by itself.
func (in *inquiry) count(sum int64) {
	if in.flags&fact.Spam != 0 {
		if in.flags&fact.Part == 0 {
			in.counts.add(Spam)
		}
		return
	}
	if in.flags&fact.Sale != 0 {
		in.counts.add(Sales)
		if sum != 0 {
			in.counts.add(Revenue)
			in.revenue = float64(sum) / 1e6
		}
	}
	if in.flags&fact.Part != 0 {
		return
	}
	in.counts.add(Inquiries)
	switch in.kind {
	case Call:
		in.counts.add(Calls)
	case Request:
		in.counts.add(Requests)
	case Chat:
		in.counts.add(Chats)
	case Callback:
		in.counts.add(Callbacks)
	}
	if in.flags&fact.Missed != 0 {
		in.counts.add(Missed)
	}
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
	var known [3]places[int64] // visitors, telephone numbers and addresses
	var last [3][]int          // the last inquiry of each
	for column := range known {
		known[column] = make(places[int64])
	}
	for i := range all {
		of[i] = i
		in := &all[i]
		if !in.counts.has(Inquiries) || !in.passes {
			continue
		}
		for column, value := range [...]int64{in.visitor, in.phone, in.email} {
			if value == 0 {
				continue
			}
			n, added := known[column].of(value)
			if added {
				last[column] = append(last[column], i)
			} else if before := last[column][n]; in.at-all[before].at <= window {
				x, y := root(before), root(i)
				of[max(x, y)] = min(x, y)
			}
			last[column][n] = i
		}
	}
	for i := range all {
		if all[i].counts.has(Inquiries) && all[i].passes && root(i) == i {
			all[i].counts.add(Persons)
		}
	}
}

// ofInquiries reads the dimension of a day's inquiries: their own, or that of their own source where it is known.
func (v *values) ofInquiries(b *fact.Block, c *clock) reading {
	if v.dimension.ofTime() {
		return v.ofTime(b, c)
	}
	if own, is := ownTexts[v.dimension]; is {
		return v.ofTexts(&b.Texts[own])
	}
	columns := sourceTexts[v.dimension]
	if columns == nil {
		return func(int) uint32 { return v.number(Unknown) }
	}
	known := v.ofTexts(&b.Texts[columns[0]])
	return func(row int) uint32 {
		kind := text(b, fact.InquirySourceKind, row)
		if kind == "" {
			return v.number(Unknown)
		}
		if v.dimension == Channel {
			return v.channel(kind, text(b, columns[1], row), text(b, columns[2], row))
		}
		return known(row)
	}
}

func text(b *fact.Block, column, row int) string {
	return b.Texts[column].Values[b.Texts[column].Rows[row]]
}
