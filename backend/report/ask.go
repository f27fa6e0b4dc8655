package report

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
	"github.com/seed-3405227d/frontdesk/backend/report/kept"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Reports answers questions. It is safe for concurrent use.
type Reports struct {
	db   *db.DB
	keys *key.Keys
	now  func() time.Time
	kept kept.Answers[Answer]
}

// New returns the reports of the database, which has to be migrated.
func New(d *db.DB, keys *key.Keys, now func() time.Time) *Reports {
	return &Reports{db: d, keys: keys, now: now}
}

// manySites is over how many sites a question is answered anew each time, and mostRows how many rows an answer has that is
// kept. Over more sites a page that is opened again is there at once, and its figures are two minutes old at most.
const manySites, mostRows = 50, 5000

// Ask answers the question. The error may be one of [Question.Check].
func (r *Reports) Ask(ctx context.Context, q Question) (Answer, error) {
	if len(q.SiteIDs) <= manySites {
		return r.make(ctx, q)
	}
	begun, question := time.Now(), fmt.Sprintf("%v %q", q, q.Filters)
	answer, known := r.kept.Of(question)
	if !known {
		var err error
		if answer, err = r.make(ctx, q); err != nil || len(answer.Rows) > mostRows {
			return answer, err
		}
		r.kept.Keep(question, answer, time.Since(begun))
	}
	answer.Rows = slices.Clone(answer.Rows) // who asks may sort them
	return answer, nil
}

// make makes an answer.
func (r *Reports) make(ctx context.Context, q Question) (Answer, error) {
	from := r.db.Lagging()
	until, err := fact.Until(ctx, from)
	if err != nil {
		return Answer{}, err
	}
	all, err := r.ask(ctx, q, from, nil)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Until: until, Parts: make([]Figures, len(q.Period.Parts()))}
	places := make(map[[2]string]int)
	for _, a := range all {
		answer.Total.add(&a.total)
		answer.Costs = answer.Costs || a.costly
		for i := range a.parts {
			answer.Parts[i].add(&a.parts[i])
		}
		for _, c := range a.cells {
			var values [2]string
			for n := range q.By {
				values[n] = a.by[n].value(c.values[n])
			}
			place, known := places[values]
			if !known {
				place = len(answer.Rows)
				places[values] = place
				answer.Rows = append(answer.Rows, Row{Values: slices.Clone(values[:len(q.By)])})
			}
			answer.Rows[place].add(&c.Figures)
		}
	}
	return answer, nil
}

func (f *Figures) add(other *Figures) {
	for m, n := range other {
		f[m] += n
	}
}

// errPanic is the error of a question that has panicked, which the log tells.
var errPanic = errors.New("the report could not be made")

// ask asks of each site by itself: visitors and persons are those of one.
func (r *Reports) ask(ctx context.Context, q Question, from db.Queries, prepare func(*asking)) ([]*asking, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	all := make([]*asking, len(q.SiteIDs))
	sites, ctx := errgroup.WithContext(ctx)
	sites.SetLimit(runtime.GOMAXPROCS(0))
	for i, site := range q.SiteIDs {
		sites.Go(func() error {
			err := errPanic
			aside.Do(r.db.Logger(), "answering a question of reports", func() {
				all[i] = newAsking(q, r.now())
				if prepare != nil {
					prepare(all[i])
				}
				if err = all[i].askSite(ctx, from, site); err == nil {
					err = all[i].countCosts(ctx, r.db.Read(), site) // somebody may just have entered them
				}
			})
			return err
		})
	}
	return all, sites.Wait()
}

// behind collects what is behind a figure.
type behind struct {
	FigureKey
	part int // its number; -1 where it is none of the period
	refs []Ref
}

// asking is a question of one site on its way. Times are minutes since 1970.
type asking struct {
	Question
	behind     *behind // nil if nothing is collected
	paths      *paths  // nil if none are asked for
	start, end int64
	today      int64 // a day since 1970
	bounds     []int64
	costly     bool // the site has costs
	part       int  // the part of the last time
	by         [2]*values
	filters    []filtered
	clock      clock

	total Figures
	parts []Figures
	cells []*cell
	at    places[[2]uint32] // of cells, by their two values
}

// cell is the figures of the values together.
type cell struct {
	Figures
	values [2]uint32
	number uint32
}

// filtered is a filter with the values of its dimension.
type filtered struct {
	*values
	wanted []string
	passes []bool // by the numbers of values, as far as they are known
}

func newAsking(q Question, now time.Time) *asking {
	a := &asking{Question: q, start: minutes(q.Period.Start()), end: minutes(q.Period.End()), today: db.Day(now), at: make(places[[2]uint32])}
	a.clock.zone = q.Period.Zone
	parts := q.Period.Parts()
	a.parts = make([]Figures, len(parts))
	for _, p := range parts {
		a.bounds = append(a.bounds, minutes(p.Start))
	}
	for n, d := range q.By {
		a.by[n] = newValues(d)
	}
	for _, f := range q.Filters {
		a.filters = append(a.filters, filtered{values: newValues(f.Dimension), wanted: f.Values})
	}
	return a
}

func minutes(t time.Time) int64 { return t.Unix() / 60 }

// partAt is the number of the period's part at the time, which is within the period.
func (a *asking) partAt(at int64) int {
	if at < a.bounds[a.part] || a.part+1 < len(a.bounds) && at >= a.bounds[a.part+1] {
		n, found := slices.BinarySearch(a.bounds, at)
		if !found {
			n--
		}
		a.part = n
	}
	return a.part
}

// cellOf is the cell of the values; nil if the question is by no dimension.
func (a *asking) cellOf(v [2]uint32) *cell {
	if len(a.By) == 0 {
		return nil
	}
	n, added := a.at.of(v)
	if added {
		a.cells = append(a.cells, &cell{values: v, number: uint32(n)})
	}
	return a.cells[n]
}

// collects says whether what has the values, in the part, is behind the figure that is looked into.
func (a *asking) collects(m Metric, v [2]uint32, part int) bool {
	if a.behind == nil || a.behind.Metric != m || !a.behind.Part.IsZero() && a.behind.part != part {
		return false
	}
	for n, wanted := range a.behind.Values {
		if n < len(a.By) && a.by[n].value(v[n]) != wanted {
			return false
		}
	}
	return true
}

// has says whether one of the dimensions is the question's or one of its filters'. What has no such dimension does not count then.
func (a *asking) has(dimensions []Dimension) bool {
	is := func(d Dimension) bool { return slices.Contains(dimensions, d) }
	return slices.ContainsFunc(a.By, is) || slices.ContainsFunc(a.Filters, func(f Filter) bool { return is(f.Dimension) })
}

func (f *filtered) pass(value uint32) bool {
	for n := len(f.passes); n <= int(value); n++ {
		f.passes = append(f.passes, slices.Contains(f.wanted, f.value(uint32(n))))
	}
	return f.passes[value]
}

// texts are the columns of visits that the dimensions need.
func (a *asking) texts() []int {
	needed := []int{fact.VisitKind}
	for _, v := range a.all() {
		needed = append(needed, visitTexts[v.dimension]...)
	}
	slices.Sort(needed)
	return slices.Compact(needed)
}

// all are the dimensions of the question and of its filters.
func (a *asking) all() (all []*values) {
	for n := range a.By {
		all = append(all, a.by[n])
	}
	for i := range a.filters {
		all = append(all, a.filters[i].values)
	}
	return all
}
