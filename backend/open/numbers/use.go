package numbers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// PooledNumber is a number of a pool, and who has it.
type PooledNumber struct {
	Digits     string     `json:"digits" doc:"In international form."`
	IsTaken    bool       `json:"is_taken" doc:"A visitor has it now, perhaps of another site with the same pool."`
	Replaces   string     `json:"replaces" doc:"The printed number for which it stands, or stood last; empty where that is nobody's of this site."`
	VisitorID  string     `json:"visitor_id" doc:"Who has it, or had it last, as in the browser interface; empty for nobody of this site."`
	VisitID    string     `json:"visit_id"`
	BegunAt    *time.Time `json:"begun_at" doc:"Since when; null for nobody of this site."`
	RestsUntil *time.Time `json:"rests_until" doc:"Until when no other visitor gets it; null where it does not rest."`
}

type poolUseOutput struct {
	Body struct {
		Name        string         `json:"name"`
		Numbers     []PooledNumber `json:"numbers" nullable:"false"`
		Begun       int64          `json:"begun" doc:"How often a visitor got a number in the last 28 days."`
		Lost        int64          `json:"lost" doc:"How many visits found none."`
		Busiest     int64          `json:"busiest" doc:"How many visitors wanted one in the busiest hour."`
		MeanSeconds int64          `json:"mean_seconds" doc:"How long a visitor has one, with the hold; 0 where that is not known."`
	}
}

type releaseInput struct {
	frame.SiteInput
	Pool string `path:"pool" minLength:"1" maxLength:"100" doc:"The pool's name at the site."`
	Body struct {
		Numbers []string `json:"numbers" nullable:"false" minItems:"1" maxItems:"500" doc:"In any writing, with the country code."`
	}
}

var (
	errNoPool   = errors.New("the site has no pool of this name")
	errNotInUse = errors.New("expected numbers of the pool that rest")
)

func (r *room) mountUse() {
	mistakes := frame.Mistakes{errNoPool: http.StatusNotFound}
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/pools/{pool}", ID: "getPool", Subject: "Numbers", Opens: token.ReadNumbers, Mistakes: mistakes,
		Summary: "Get the use of a pool", Description: "Who has which number of a pool now, and how the pool was used.",
	}, func(ctx context.Context, in *poolInput) (*poolUseOutput, error) { return r.use(ctx, in.Site, in.Pool) })
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites/{site}/pools/{pool}/release", ID: "releaseNumbers", Subject: "Numbers", Opens: token.WriteNumbers, Mistakes: mistakes, Does: true,
		Summary: "Release numbers", Description: "Numbers that rest, because somebody has just had them, are given to visitors again at once.",
	}, r.release)
}

// pool is the pool of the name in effect for the site.
func (r *room) pool(ctx context.Context, key, name string) (siteID int64, pool *number.Pool, err error) {
	s, err := r.Site(ctx, key)
	if err != nil {
		return 0, nil, err
	}
	n, err := r.numbering(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	if pool = n.PoolOf(name); pool == nil {
		err = errNoPool
	}
	return s.ID, pool, err
}

func (r *room) use(ctx context.Context, key, name string) (*poolUseOutput, error) {
	siteID, pool, err := r.pool(ctx, key, name)
	if err != nil {
		return nil, err
	}
	uses, err := r.Leases.Uses(ctx, siteID)
	if err != nil {
		return nil, err
	}
	held, err := r.Leases.Held(ctx, pool.Digits)
	if err != nil {
		return nil, err
	}
	resting, err := r.Leases.Resting(ctx, pool)
	if err != nil {
		return nil, err
	}
	out := new(poolUseOutput)
	out.Body.Name, out.Body.Numbers = name, make([]PooledNumber, len(pool.Digits))
	if at := slices.IndexFunc(uses, func(u lease.Use) bool { return u.Pool == pool.Name }); at >= 0 {
		u := uses[at]
		out.Body.Begun, out.Body.Lost, out.Body.Busiest, out.Body.MeanSeconds = u.Begun, u.Lost, u.Busiest, int64(u.Mean/time.Second)
	}
	for i, digits := range pool.Digits {
		told := PooledNumber{Digits: digits}
		l, known := held[digits]
		told.IsTaken = known && l.Visitor != 0 && !l.Until.Before(r.Now())
		if known && l.Site == siteID && l.Visitor != 0 { // another site's visitors are nobody's business here
			told.Replaces, told.VisitorID, told.VisitID, told.BegunAt = l.Replaces, strconv.FormatInt(int64(l.Visitor), 10), strconv.FormatInt(int64(l.Visit), 10), new(l.Begun.UTC())
		}
		if until := resting[digits]; !until.IsZero() {
			told.RestsUntil = new(until.UTC())
		}
		out.Body.Numbers[i] = told
	}
	return out, nil
}

func (r *room) release(ctx context.Context, in *releaseInput) (*poolUseOutput, error) {
	_, pool, err := r.pool(ctx, in.Site, in.Pool)
	if err != nil {
		return nil, err
	}
	resting, err := r.Leases.Resting(ctx, pool)
	if err != nil {
		return nil, err
	}
	var released []string
	for _, written := range in.Body.Numbers {
		digits := number.Digits(written)
		if resting[digits].IsZero() {
			return nil, frame.Wrong("body.numbers", errNotInUse, written)
		}
		released = append(released, digits)
	}
	if err := r.Leases.Release(ctx, pool, released); err != nil {
		return nil, err
	}
	return r.use(ctx, in.Site, in.Pool)
}
