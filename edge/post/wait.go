package post

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/spool"
)

const (
	// spoolPause is the time between two looks at the spool. spoolCare is the time between two attempts to reserve its
	// space, and between two lines of the log while forms wait.
	spoolPause, spoolCare = 2 * time.Second, time.Minute
	// formsAtOnce is how many forms are taken from the spool at once. The database commits them in groups, and on PostgreSQL a
	// group shares its round trips.
	formsAtOnce = 512
	// patientTries is how often a form is tried while the database works. After that, later forms of its visitor may
	// overtake it.
	patientTries = 5
)

// visitor returns a number for the visitor of the form, by the cookie or else by the credentials in the form. It
// returns 0 if neither exists.
func (k *keptForm) visitor() uint64 {
	whose := k.Said.Credentials["visitor_id"]
	for value := range view.VisitorCookie.Values(k.request().Header, false) {
		whose = value
		break
	}
	if whose == "" {
		return 0
	}
	hash := fnv.New64a()
	hash.Write([]byte(k.Site + "\n" + whose))
	return max(1, hash.Sum64())
}

// turns makes work for one visitor happen one after another.
type turns struct {
	mu   sync.Mutex
	busy map[uint64]chan struct{} // closed when the turn is over
}

// wait waits for the visitor's turn, until late. If it is ours, the caller calls done. Visitor 0 never waits.
func (t *turns) wait(visitor uint64, late <-chan time.Time) (done func(), ours bool) {
	if visitor == 0 {
		return func() {}, true
	}
	for {
		t.mu.Lock()
		before := t.busy[visitor]
		if before == nil {
			break
		}
		t.mu.Unlock()
		select {
		case <-before:
		case <-late:
			return nil, false
		}
	}
	defer t.mu.Unlock()
	if t.busy == nil {
		t.busy = make(map[uint64]chan struct{})
	}
	over := make(chan struct{})
	t.busy[visitor] = over
	return func() {
		t.mu.Lock()
		delete(t.busy, visitor)
		t.mu.Unlock()
		close(over)
	}, true
}

// keep keeps a form on the disk that could not be stored. why is the reason.
func (e *Posts) keep(k *keptForm, why error) FormOutcome {
	onDisk := *k
	if !e.WholeAddresses {
		onDisk.Client = gate.TruncatedClient(k.Client)
	}
	record, err := json.Marshal(onDisk)
	if err == nil && e.spool != nil {
		err = e.spool.Append(k.visitor(), record)
	}
	if err != nil || e.spool == nil {
		e.Logger.Error("a form is lost: it could neither be stored nor kept on the disk", zap.String("site", k.Site), zap.NamedError("database", why), zap.NamedError("disk", err))
		return FormLost
	}
	if e.waiting.CompareAndSwap(false, true) {
		state := e.spool.State()
		e.Logger.Warn("forms wait on the disk for the database", zap.String("site", k.Site), zap.String("file", state.File), zap.Int64("room", state.Room), zap.Error(why))
	}
	return FormWaits
}

// takeForms stores the forms on the disk, until ctx is done.
func (e *Posts) takeForms(ctx context.Context) {
	if e.spool == nil {
		return
	}
	ticker := time.NewTicker(spoolPause)
	defer ticker.Stop()
	cared, told := time.Time{}, time.Now()
	var before error
	for stored := 0; ; {
		if time.Since(cared) > spoolCare || before == nil {
			cared = time.Now()
			err := e.spool.Prepare()
			if err != nil && (before == nil || before.Error() != err.Error()) {
				e.Logger.Error("forms may be lost when the disk is full", zap.Error(err))
			}
			before = err
		}
		if e.spool.State().Waiting > 0 {
			stored += e.takeSome(ctx)
		}
		switch state := e.spool.State(); {
		case state.Waiting == 0 && e.waiting.CompareAndSwap(true, false):
			e.Logger.Info("all forms that waited on the disk are stored", zap.Int("forms", stored))
			stored, told = 0, time.Now()
		case state.Waiting > 0 && time.Since(told) > spoolCare:
			e.waiting.Store(true)
			e.Logger.Warn("forms go on waiting on the disk", zap.Int("forms", state.Waiting), zap.Int64("room", state.Room), zap.NamedError("database", e.away()))
			told = time.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// takeSome stores forms from the disk as long as the database accepts some, and returns how many.
func (e *Posts) takeSome(ctx context.Context) (stored int) {
	for ctx.Err() == nil && e.away() == nil {
		n := e.spool.Take(ctx, formsAtOnce, e.takeForm)
		if stored += n; n == 0 || e.spool.State().Waiting == 0 {
			break
		}
	}
	return stored
}

// takeForm stores a form from the disk. tries is how often that has failed. It gives up a form that cannot be read, and
// one whose site is gone. Any other stays until it is stored, if need be by a later version of the program.
func (e *Posts) takeForm(ctx context.Context, record []byte, tries int) spool.Outcome {
	k := &keptForm{waited: true}
	err := json.Unmarshal(record, k)
	if err == nil {
		err = k.Rule.Complete()
	}
	if err == nil {
		_, err = e.storeForm(ctx, k)
		switch {
		case err == nil:
			return spool.Done
		case ctx.Err() != nil || e.away() != nil:
			return spool.Away
		case !errors.Is(err, site.ErrUnknown):
			if tries+1 < patientTries {
				return spool.Later
			}
			if tries+1 == patientTries {
				e.Logger.Error("a form on the disk cannot be stored; it is tried again", zap.String("site", k.Site), zap.Error(err))
			}
			return spool.Aside
		}
	}
	e.Logger.Error("a form that waited on the disk is given up", zap.String("site", k.Site), zap.Error(err))
	return spool.Done
}
