// Package post keeps the forms that pass on their way to a site. It stores a form that a rule matches before the site's
// answer goes on, or on the disk while the database is away. For other forms, it notes their fields and how the site
// answers. The edge gives it each request whose body may be a form.
package post

import (
	"context"
	"sync/atomic"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// Observer counts forms. Its methods must not block.
type Observer interface {
	// Form is called for each form that a rule matches.
	Form(FormOutcome)
	// Found is called for each form that no rule matches and whose fields are not known.
	Found(FoundOutcome)
}

// Posts keep the forms of all blocks of a configuration. They are safe for concurrent use.
type Posts struct {
	*effect.Shared
	observer Observer
	spool    *spool.Spool // nil keeps none
	intake   *intake.Budget
	statusOf func(error) int
	finding  *finding
	markups  markups

	storing atomic.Int64 // forms that are being stored
	turns   turns        // of visitors whose forms are being stored
	waiting atomic.Bool  // forms wait on the disk, and the log has said so
	sent    sentForms
}

// New returns the posts of a configuration. The spool keeps forms while the database is away, and may be nil. The
// budget bounds the memory of bodies. statusOf returns the status with which the server answers a request whose handler
// has returned the error.
func New(shared *effect.Shared, observer Observer, spool *spool.Spool, budget *intake.Budget, statusOf func(error) int) *Posts {
	p := &Posts{Shared: shared, observer: observer, spool: spool, intake: budget, statusOf: statusOf}
	p.finding = newFinding(p)
	return p
}

// Run stores the forms that wait for the database, and reads those that are found, until ctx is done. It returns at once.
func (p *Posts) Run(ctx context.Context) {
	aside.Go(p.Logger, "storing forms that wait", func() { aside.Keep(ctx, p.Logger, "storing forms that wait", p.takeForms) })
	aside.Go(p.Logger, "reading forms that are found", func() { aside.Keep(ctx, p.Logger, "reading forms that are found", p.finding.run) })
}

// Learn keeps what the forms of a page of the site say of their fields.
func (p *Posts) Learn(ctx context.Context, forms *form.Forms, s site.Site, path string, markup capture.Markup) error {
	return p.markups.store(ctx, forms, s, path, markup)
}
