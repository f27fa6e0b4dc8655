package report

import (
	"cmp"
	"context"
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
	touches := make(map[int64][]touch)
	for i := range inquiries {
		if v := inquiries[i].visitor; v != 0 {
			touches[v] = nil
		}
	}
	first := a.start
	if len(touches) > 0 {
		first -= int64(a.Credit.Window / time.Minute)
	}
	visits, err := fact.Load(ctx, from, siteID, &fact.Visits, first/minutesOfDay, a.end/minutesOfDay,
		[]int{fact.ID, fact.Minute, fact.VisitVisitor, fact.VisitViews, fact.VisitFlags}, a.texts())
	if err != nil {
		return err
	}
	seen := newSeen()
	for i := range visits {
		a.visitsOf(siteID, &visits[i], seen, touches)
	}
	for _, of := range touches {
		slices.SortStableFunc(of, func(x, y touch) int { return cmp.Compare(x.at, y.at) })
	}
	if a.paths != nil {
		a.follow(inquiries, touches)
		return nil
	}
	a.credit(inquiries, touches)
	return a.countCosts(ctx, from, siteID)
}

// visitsOf counts the visits of a day, and remembers those of the visitors who got in touch.
func (a *asking) visitsOf(siteID int64, b *fact.Block, seen *seen, touches map[int64][]touch) {
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
		of, asked := touches[visitors[i]]
		if t >= a.end || t < a.start && !asked {
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
		if asked && flags[i]&fact.Bot == 0 {
			touches[visitors[i]] = append(of, touch{t, kinds.Values[kinds.Rows[i]] == "direct", v, passes})
		}
		if t >= a.start && passes && inTime && counted {
			a.countVisit(siteID, id, visitors[i], t, views[i], flags[i], v, seen)
		}
	}
}

func (a *asking) countVisit(siteID, id, visitor, at, views, flags int64, v [2]uint32, seen *seen) {
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
	number, inTotal := seen.visitor(visitor)
	inPart := seen.first(number, uint32(part)<<1)
	inCell := c != nil && seen.first(number, c.number<<1|1)
	if inTotal || inPart || inCell {
		add(Visitors, 1, inTotal, inPart, inCell)
	}
}

// seen knows visitors, and where each of them was counted.
type seen struct {
	numbers map[int64]int32
	heads   []int32 // of chains of tags
	chains  []struct {
		tag  uint32
		next int32
	}
}

func newSeen() *seen { return &seen{numbers: make(map[int64]int32)} }

// visitor is the visitor's number, and whether it is a new one.
func (s *seen) visitor(id int64) (number int32, added bool) {
	number, known := s.numbers[id]
	if !known {
		number = int32(len(s.heads))
		s.numbers[id] = number
		s.heads = append(s.heads, -1)
	}
	return number, !known
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
func (a *asking) credit(inquiries []inquiry, touches map[int64][]touch) {
	for i := range inquiries {
		in := &inquiries[i]
		if !in.passes {
			continue
		}
		of := touches[in.visitor]
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
	if in.figures == (Figures{}) {
		return
	}
	part, c := a.partAt(in.at), a.cellOf(v)
	for m, n := range in.figures {
		if n == 0 {
			continue
		}
		a.total[m] += n * share
		a.parts[part][m] += n * share
		if c != nil {
			c.Figures[m] += n * share
		}
		if a.collects(Metric(m), v, part) {
			a.behind.refs = append(a.behind.refs, Ref{in.site, in.kind, in.id, time.Unix(in.at*60, 0).UTC(), share, n * share})
		}
	}
}
