package report

import (
	"cmp"
	"context"
	"slices"
)

// Behind returns what is counted in a figure of the answer. There are at most limit, the newest first; count is how many there
// are in all. Their amounts together are the figure.
func (r *Reports) Behind(ctx context.Context, q Question, key FigureKey, limit int) (refs []Ref, count int, err error) {
	all, err := r.ask(ctx, q, r.db.Lagging(), func(a *asking) { a.behind = &behind{FigureKey: key, part: slices.Index(a.bounds, minutes(key.Part))} })
	if err != nil {
		return nil, 0, err
	}
	for _, a := range all {
		refs = append(refs, a.behind.refs...)
	}
	refs, count = r.newest(refs, limit)
	return refs, count, nil
}

// newest are at most limit of the refs, the newest first, and how many there are in all. An inquiry that is shared among visits
// is one.
func (r *Reports) newest(refs []Ref, limit int) (_ []Ref, count int) {
	slices.SortFunc(refs, func(x, y Ref) int {
		return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.SiteID, y.SiteID), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.ID, y.ID))
	})
	refs = joined(refs)
	count = len(refs)
	refs = refs[:min(limit, count)]
	for i := range refs {
		if refs[i].Kind == "visit" || refs[i].Kind == "event" {
			refs[i].ID = int64(r.keys.Visits.ID(refs[i].ID))
		}
	}
	return refs, count
}

// joined are the sorted refs, of which those of the same inquiry are one.
func joined(refs []Ref) []Ref {
	kept := refs[:0]
	for _, ref := range refs {
		if n := len(kept) - 1; n >= 0 && ref.Kind != "visit" && ref.Kind != "event" && kept[n].is(ref) {
			kept[n].Share += ref.Share
			kept[n].Amount += ref.Amount
			continue
		}
		kept = append(kept, ref)
	}
	return kept
}

func (r Ref) is(other Ref) bool {
	return r.SiteID == other.SiteID && r.Kind == other.Kind && r.ID == other.ID && r.At.Equal(other.At)
}
