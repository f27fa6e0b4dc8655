package report

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// touch is a visit of somebody who got in touch.
type touch struct {
	at     int64
	direct bool
	values [2]uint32
	passes bool
}

// askSite counts what is of the site.
func (a *asking) askSite(ctx context.Context, from db.Queries, siteID int64) error {
	if a.end <= a.start {
		return nil
	}
	if !a.has(OfInquiries) && a.paths == nil {
		if err := a.askEvents(ctx, from, siteID); err != nil {
			return err
		}
	}
	if a.has(OfEvents) {
		return nil
	}
	// Whoever was missed may have been talked to later.
	numbers, texts := []int{fact.ID, fact.Minute, fact.InquiryVisitor, fact.InquiryPhone, fact.InquiryEmail, fact.InquiryFlags, fact.InquirySum}, a.inquiryTexts()
	blocks, err := fact.Load(ctx, from, siteID, &fact.Inquiries, a.start/minutesOfDay, max(a.today, a.end/minutesOfDay), numbers, texts)
	if err != nil {
		return err
	}
	inquiries := a.inquiriesOf(siteID, blocks)
	first := a.start
	seen := newSeen(inquiries)
	if len(seen.touches) > 0 {
		first -= int64(a.Credit.Window / time.Minute)
	}
	visits, err := fact.Load(ctx, from, siteID, &fact.Visits, first/minutesOfDay, a.end/minutesOfDay,
		[]int{fact.ID, fact.Minute, fact.VisitVisitor, fact.VisitViews, fact.VisitFlags}, a.texts())
	if err != nil {
		return err
	}
	for i := range visits {
		a.visitsOf(siteID, &visits[i], seen)
	}
	for _, of := range seen.touches {
		slices.SortStableFunc(of, func(x, y touch) int { return cmp.Compare(x.at, y.at) })
	}
	if a.paths != nil {
		a.follow(inquiries, seen)
		return nil
	}
	a.credit(inquiries, seen)
	return nil
}

// visitsOf counts the visits of a day, and remembers those of the visitors who got in touch.
func (a *asking) visitsOf(siteID int64, b *fact.Block, seen *seen) {
	ids, at, visitors := b.Numbers[fact.ID], b.Numbers[fact.Minute], b.Numbers[fact.VisitVisitor]
	views, flags, kinds := b.Numbers[fact.VisitViews], b.Numbers[fact.VisitFlags], b.Texts[fact.VisitKind]
	var by, filters []reading
	for n := range a.By {
		by = append(by, a.by[n].ofVisits(b, &a.clock))
	}
	for i := range a.filters {
		filters = append(filters, a.filters[i].ofVisits(b, &a.clock))
	}
	counted := !a.has(OfInquiries) && a.paths == nil
	for i, id := range ids {
		t := b.Day*minutesOfDay + at[i]
		if t >= a.end {
			continue
		}
		bot, counts := flags[i]&fact.Bot != 0, counted && t >= a.start
		number, asked := seen.number(visitors[i], counts && !bot)
		if !counts && !asked {
			continue
		}
		passes, inTime := true, true
		for n := range filters {
			f := &a.filters[n]
			if len(visitTexts[f.dimension]) > 0 {
				passes = passes && f.pass(filters[n](i))
			} else if f.dimension.ofTime() {
				inTime = inTime && f.pass(filters[n](i))
			}
		}
		var v [2]uint32
		for n := range by {
			v[n] = by[n](i)
		}
		if asked && !bot {
			seen.touches[number] = append(seen.touches[number], touch{t, kinds.Values[kinds.Rows[i]] == "direct", v, passes})
		}
		if counts && passes && inTime {
			a.countVisit(siteID, id, visitors[i], t, views[i], flags[i], v, seen, number)
		}
	}
}

func (a *asking) countVisit(siteID, id, visitor, at, views, flags int64, v [2]uint32, seen *seen, number int32) {
	part, c := a.partAt(at), a.cellOf(v)
	add := func(m Metric, n float64, intoTotal, intoPart, intoCell bool) {
		if intoTotal {
			a.total[m] += n
		}
		if intoPart {
			a.parts[part][m] += n
		}
		if intoCell && c != nil {
			c.Figures[m] += n
		}
		if !a.collects(m, v, part) {
			return
		}
		counts := intoTotal
		switch {
		case len(a.behind.Values) > 0:
			counts = intoCell
		case !a.behind.Part.IsZero():
			counts = intoPart
		}
		if counts {
			a.behind.refs = append(a.behind.refs, Ref{siteID, "visit", id, time.Unix(at*60, 0).UTC(), 1, n})
		}
	}
	if flags&fact.Bot != 0 {
		add(Bots, 1, true, true, true)
		return
	}
	add(Visits, 1, true, true, true)
	add(Views, float64(views), true, true, true)
	if flags&fact.Scriptless != 0 {
		add(Scriptless, 1, true, true, true)
	}
	if flags&fact.Numberless != 0 {
		add(Numberless, 1, true, true, true)
	}
	if id == visitor {
		add(FirstVisits, 1, true, true, true)
	}
	inTotal := seen.nowhere(number)
	inPart := seen.first(number, uint32(part)<<1)
	inCell := c != nil && seen.first(number, c.number<<1|1)
	if inTotal || inPart || inCell {
		add(Visitors, 1, inTotal, inPart, inCell)
	}
}

// seen knows visitors, where each of them was counted, and the visits of those who got in touch, who have the first numbers.
type seen struct {
	visitors places[int64]
	touches  [][]touch
	heads    []int32 // of chains of tags
	chains   []struct {
		tag  uint32
		next int32
	}
}

// newSeen returns one that knows the visitors of the inquiries, and gives these their numbers.
func newSeen(inquiries []inquiry) *seen {
	s := &seen{visitors: make(places[int64], len(inquiries))}
	for i := range inquiries {
		if in := &inquiries[i]; in.visitor != 0 {
			in.number, _ = s.visitors.of(in.visitor)
		}
	}
	s.touches = make([][]touch, len(s.visitors))
	return s
}

// number is the visitor's, and whether that visitor got in touch. A visitor who is not wanted has none as long as nobody wanted it.
func (s *seen) number(visitor int64, wanted bool) (number int32, asked bool) {
	if wanted {
		number, _ = s.visitors.of(visitor)
	} else {
		number = s.visitors.known(visitor)
	}
	return number, number >= 0 && int(number) < len(s.touches)
}

// of are the visits of whoever made the inquiry.
func (s *seen) of(in *inquiry) []touch {
	if in.visitor == 0 {
		return nil
	}
	return s.touches[in.number]
}

// nowhere says whether the visitor was not counted so far.
func (s *seen) nowhere(number int32) bool {
	for len(s.heads) < len(s.visitors) {
		s.heads = append(s.heads, -1)
	}
	return s.heads[number] < 0
}

// first says whether the visitor is there under the tag for the first time.
func (s *seen) first(number int32, tag uint32) bool {
	for at := s.heads[number]; at >= 0; at = s.chains[at].next {
		if s.chains[at].tag == tag {
			return false
		}
	}
	s.chains = append(s.chains, struct {
		tag  uint32
		next int32
	}{tag, s.heads[number]})
	s.heads[number] = int32(len(s.chains) - 1)
	return true
}

// credit counts the inquiries, each for the visits that led to it.
func (a *asking) credit(inquiries []inquiry, seen *seen) {
	for i := range inquiries {
		in := &inquiries[i]
		if !in.passes {
			continue
		}
		of := seen.of(in)
		n, _ := slices.BinarySearchFunc(of, in.at+1, func(t touch, at int64) int { return cmp.Compare(t.at, at) })
		of = of[:n]
		shares := a.shares(of, in.at)
		if shares == nil {
			if in.known {
				a.countInquiry(in, in.values, 1)
			}
			continue
		}
		for n, share := range shares {
			if share > 0 && of[n].passes {
				a.countInquiry(in, a.together(of[n].values, in.values), share)
			}
		}
	}
}

// shares are what the visits have of an inquiry at the time; nil where none has any.
func (a *asking) shares(of []touch, at int64) []float64 {
	if len(of) == 0 {
		return nil
	}
	visits := make([]credit.Visit, len(of))
	for i, t := range of {
		visits[i] = credit.Visit{At: time.Unix(t.at*60, 0), Direct: t.direct}
	}
	shares := a.Credit.Shares(visits, time.Unix(at*60, 0))
	if !slices.ContainsFunc(shares, func(s float64) bool { return s > 0 }) {
		return nil
	}
	return shares
}

// together are the values of a visit and of the inquiry that it led to: each has those of its dimensions.
func (a *asking) together(visit, inquiry [2]uint32) [2]uint32 {
	for n, d := range a.By {
		if len(visitTexts[d]) == 0 {
			visit[n] = inquiry[n]
		}
	}
	return visit
}

func (a *asking) countInquiry(in *inquiry, v [2]uint32, share float64) {
	if in.counts == 0 {
		return
	}
	part, c := a.partAt(in.at), a.cellOf(v)
	for left := in.counts; left != 0; left &= left - 1 {
		m := Metric(bits.TrailingZeros32(uint32(left)))
		n := in.figure(m)
		a.total[m] += n * share
		a.parts[part][m] += n * share
		if c != nil {
			c.Figures[m] += n * share
		}
		if a.collects(m, v, part) {
			a.behind.refs = append(a.behind.refs, Ref{in.site, in.kind, in.id, time.Unix(in.at*60, 0).UTC(), share, n * share})
		}
	}
}
