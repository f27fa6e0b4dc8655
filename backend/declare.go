package backend

import (
	"context"
	"slices"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// declare makes the database know what the configuration declares, all of it or
// nothing.
func (d *Desk) declare(ctx context.Context, configuration Configuration, logger *zap.Logger) error {
	d.declaring.Lock()
	defer d.declaring.Unlock()
	err := d.together(ctx, logger, func(ctx context.Context, tx db.Tx) error {
		if _, err := declarer.Show(ctx, tx, configuration.Name); err != nil {
			return err
		}
		return d.write(ctx, tx, configuration)
	})
	if err != nil {
		return err
	}
	d.declared = &configuration
	d.configured.Store(&configuration)
	d.Networks.Use(configuration.Networks)
	return limitSites(ctx, d)
}

// keepShowing shows now and then that this node is there, until ctx ends.
func (d *Desk) keepShowing(ctx context.Context, logger *zap.Logger) {
	for aside.Sleep(ctx, declarer.ShowEvery) {
		if err := d.show(ctx, logger); err != nil && ctx.Err() == nil {
			logger.Warn("showing that this node is there failed", zap.Error(err))
		}
	}
}

// show shows that this node is there. It declares nothing anew, since another node of
// the same name may have a newer configuration; unless this node was away for so long
// that it has counted as gone.
func (d *Desk) show(ctx context.Context, logger *zap.Logger) error {
	d.declaring.Lock()
	defer d.declaring.Unlock()
	if d.declared == nil {
		return nil
	}
	return d.together(ctx, logger, func(ctx context.Context, tx db.Tx) error {
		known, err := declarer.Show(ctx, tx, d.declared.Name)
		switch {
		case err != nil:
			return err
		case !known:
			return d.write(ctx, tx, *d.declared)
		}
		return d.Operators.Settle(ctx, tx, d.declared.Name)
	})
}

// together does what f does in one transaction with ending what those have declared who
// are gone.
func (d *Desk) together(ctx context.Context, logger *zap.Logger, f func(context.Context, db.Tx) error) error {
	var gone []string
	err := d.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		if err := f(ctx, tx); err != nil {
			return err
		}
		gone, err = d.forget(ctx, tx)
		return err
	})
	if err == nil && len(gone) > 0 {
		logger.Info("what has been declared by nodes that were not seen for long is retired", zap.Strings("names", gone))
	}
	return err
}

// write writes what the configuration declares.
func (d *Desk) write(ctx context.Context, tx db.Tx, configuration Configuration) error {
	keys := slices.Clone(configuration.Sites)
	for _, o := range configuration.Operators {
		keys = append(keys, o.Sites...)
	}
	ids, err := d.Sites.ProvisionAll(ctx, tx, keys)
	if err != nil {
		return err
	}
	numbers := make(map[int64][]number.Declared)
	for key, list := range configuration.Numbers {
		if id, known := ids[key]; known {
			numbers[id] = list
		}
	}
	if err := d.Numbers.Declare(ctx, tx, configuration.Name, numbers); err != nil {
		return err
	}
	var accounts []operator.Declared
	for _, o := range configuration.Operators {
		declared := operator.Declared{Login: o.Login, PasswordHash: o.PasswordHash, Sites: scope.All()}
		if len(o.Sites) > 0 {
			seen := make([]int64, len(o.Sites))
			for i, key := range o.Sites {
				seen[i] = ids[key]
			}
			declared.Sites = scope.Of(seen...)
		}
		accounts = append(accounts, declared)
	}
	return d.Operators.Declare(ctx, tx, configuration.Name, accounts)
}

// forget ends what those have declared who are gone, and returns their names.
func (d *Desk) forget(ctx context.Context, tx db.Tx) ([]string, error) {
	gone, err := declarer.Gone(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, name := range gone {
		if err := d.Numbers.Declare(ctx, tx, name, nil); err != nil {
			return nil, err
		}
		if err := d.Operators.Forget(ctx, tx, name); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// DeclareNumbers declares the numbers that the configuration has for a site that it
// does not name. It writes only when this has not been done.
func (d *Desk) DeclareNumbers(ctx context.Context, known site.Site, numbers []number.Declared) error {
	d.declaring.Lock()
	defer d.declaring.Unlock()
	if d.declared == nil || len(numbers) == 0 {
		return nil
	}
	if _, named := d.declared.Numbers[known.Key]; named {
		return nil
	}
	name := d.declared.Name
	// Another node of the same name, that has just started, may have taken them back.
	if is, err := d.Numbers.IsDeclared(ctx, name, known.ID, numbers); err != nil || is {
		return err
	}
	return d.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := declarer.Show(ctx, tx, name); err != nil {
			return err
		}
		return d.Numbers.DeclareSite(ctx, tx, name, known.ID, numbers)
	})
}
