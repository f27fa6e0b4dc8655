package report

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// ErrPath is the error of paths to what nobody walks to, or by what visits do not have.
var ErrPath = errors.New("expected paths to inquiries or sales, by one dimension of visits")

// Goals are the metrics to which paths lead.
var Goals = []Metric{Sales, Inquiries}

// Step is visits with the same value, one after the other.
type Step struct {
	Value string
	Times int
}

// Path is the visits of the window that stood before some inquiries, the first one first. Inquiries of which no visit is known
// have one step, of the source of the inquiry itself or [Unknown].
type Path struct {
	// ID names the path in every answer to the same question.
	ID    string
	Steps []Step
	// Count is how many inquiries or sales the path led to. Sales and Revenue are what was sold by it, also by leads that
	// were made of inquiries: those are no inquiries themselves, so Count may be 0.
	Count, Sales int
	Revenue      float64
	// Between is the average time from the first visit to the last, and Visits are their average number.
	Between time.Duration
	Visits  float64

	minutes, visits int64 // of all together
}

func (p *Path) add(other *Path) {
	p.Count += other.Count
	p.Sales += other.Sales
	p.Revenue += other.Revenue
	p.minutes += other.minutes
	p.visits += other.visits
	if p.Count > 0 {
		p.Between = time.Duration(p.minutes) * time.Minute / time.Duration(p.Count)
		p.Visits = float64(p.visits) / float64(p.Count)
	}
}

// Paths returns the paths to the goal within the question's period, by its one dimension, the most frequent first. Of the
// question's attribution, only the window counts. A path passes the filters of visits if one of its visits does. All are those of
// all paths together, without steps.
func (r *Reports) Paths(ctx context.Context, q Question, goal Metric) (found []Path, all Path, err error) {
	asked, err := r.follow(ctx, q, goal, "")
	if err != nil {
		return nil, all, err
	}
	places := make(map[string]int)
	for _, a := range asked {
		for _, p := range a.paths.found {
			p.Steps = a.stepsOf(p)
			p.ID = idOf(p.Steps)
			place, known := places[p.ID]
			if !known {
				place = len(found)
				places[p.ID] = place
				found = append(found, Path{ID: p.ID, Steps: p.Steps})
			}
			found[place].add(&p.Path)
			all.add(&p.Path)
		}
	}
	slices.SortFunc(found, func(x, y Path) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(y.Revenue, x.Revenue), cmp.Compare(len(x.Steps), len(y.Steps)), cmp.Compare(x.ID, y.ID))
	})
	return found, all, nil
}

// BehindPath returns the inquiries of the path of the id, as [Reports.Behind] does.
func (r *Reports) BehindPath(ctx context.Context, q Question, goal Metric, id string, limit int) (refs []Ref, count int, err error) {
	asked, err := r.follow(ctx, q, goal, id)
	if err != nil {
		return nil, 0, err
	}
	for _, a := range asked {
		for _, p := range a.paths.found {
			if idOf(a.stepsOf(p)) == id {
				refs = append(refs, p.refs...)
			}
		}
	}
	refs, count = r.newest(refs, limit)
	return refs, count, nil
}

func (r *Reports) follow(ctx context.Context, q Question, goal Metric, id string) ([]*asking, error) {
	if len(q.By) != 1 || !slices.Contains(OfVisits, q.By[0]) || !slices.Contains(Goals, goal) {
		return nil, ErrPath
	}
	return r.ask(ctx, q, r.db.Lagging(), func(a *asking) { a.paths = &paths{goal: goal, collects: id != "", by: make(map[string]*walked)} })
}

// paths collects the paths of a site.
type paths struct {
	goal     Metric
	collects bool // the inquiries of each
	by       map[string]*walked
	found    []*walked
	key      []byte
}

// walked is a path on its way. Its steps are numbers of values.
type walked struct {
	Path
	steps []step
	refs  []Ref
}

type step struct {
	value uint32
	times int
}

// mostSteps is how many steps of a path are told apart: the last ones, for somebody who comes again and again for months.
const mostSteps = 100

// follow finds the paths that led to the inquiries.
func (a *asking) follow(inquiries []inquiry, seen *seen) {
	var steps []step
	for i := range inquiries {
		in := &inquiries[i]
		counts := int(in.figure(a.paths.goal))
		if !in.passes || counts == 0 && !in.counts.has(Sales) {
			continue
		}
		of := a.within(seen.of(in), in.at)
		one := Path{Count: counts, Sales: int(in.figure(Sales)), Revenue: in.figure(Revenue), visits: int64(counts * len(of))}
		steps = steps[:0]
		if len(of) == 0 {
			if !in.known {
				continue
			}
			steps = append(steps, step{in.values[0], 1})
		} else {
			if !slices.ContainsFunc(of, func(t touch) bool { return t.passes }) {
				continue
			}
			one.minutes = int64(counts) * (of[len(of)-1].at - of[0].at)
			steps = stepsThrough(steps, of)
		}
		a.paths.count(steps, &one, in)
	}
}

// within are the visits of the window before the time.
func (a *asking) within(of []touch, at int64) []touch {
	byTime := func(t touch, at int64) int { return cmp.Compare(t.at, at) }
	from, _ := slices.BinarySearchFunc(of, at-int64(a.Credit.Window/time.Minute), byTime)
	to, _ := slices.BinarySearchFunc(of, at+1, byTime)
	return of[from:to]
}

// stepsThrough appends the steps through the visits, the last ones first as long as there is room.
func stepsThrough(steps []step, of []touch) []step {
	for _, t := range slices.Backward(of) {
		switch n := len(steps); {
		case n > 0 && steps[n-1].value == t.values[0]:
			steps[n-1].times++
		case n == mostSteps:
			slices.Reverse(steps)
			return steps
		default:
			steps = append(steps, step{t.values[0], 1})
		}
	}
	slices.Reverse(steps)
	return steps
}

func (p *paths) count(steps []step, one *Path, in *inquiry) {
	p.key = p.key[:0]
	for _, s := range steps {
		p.key = binary.AppendUvarint(binary.AppendUvarint(p.key, uint64(s.value)), uint64(s.times))
	}
	path := p.by[string(p.key)]
	if path == nil {
		path = &walked{steps: slices.Clone(steps)}
		p.by[string(p.key)] = path
		p.found = append(p.found, path)
	}
	path.add(one)
	if p.collects && one.Count > 0 {
		path.refs = append(path.refs, Ref{in.site, in.kind, in.id, time.Unix(in.at*60, 0).UTC(), 1, 1})
	}
}

// stepsOf are the path's steps with their values.
func (a *asking) stepsOf(p *walked) []Step {
	steps := make([]Step, len(p.steps))
	for i, s := range p.steps {
		steps[i] = Step{a.by[0].value(s.value), s.times}
	}
	return steps
}

func idOf(steps []Step) string {
	h := fnv.New128a()
	for _, s := range steps {
		fmt.Fprintf(h, "%q %d ", s.Value, s.Times)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
