package backend

import (
	"context"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// declare makes the database know what the configuration declares, all of it or
// nothing.
func (d *Desk) declare(ctx context.Context, configuration Configuration, logger *zap.Logger) error {
	d.declaring.Lock()
	defer d.declaring.Unlock()
	return d.declareLocked(ctx, configuration, logger)
}

// keepDeclaring declares the same again now and then, until ctx ends.
func (d *Desk) keepDeclaring(ctx context.Context, logger *zap.Logger) {
	for sleep(ctx, declarer.ShowEvery) {
		if err := d.declareAgain(ctx, logger); err != nil && ctx.Err() == nil {
			logger.Warn("declaring the configuration again failed", zap.Error(err))
		}
	}
}

// declareAgain shows that this node is there. It also mends what has been taken back
// in between, such as by an earlier program.
func (d *Desk) declareAgain(ctx context.Context, logger *zap.Logger) error {
	d.declaring.Lock()
	defer d.declaring.Unlock()
	if d.declared == nil {
		return nil
	}
	return d.declareLocked(ctx, *d.declared, logger)
}

func (d *Desk) declareLocked(ctx context.Context, configuration Configuration, logger *zap.Logger) error {
	var gone []string
	err := d.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		gone, err = d.write(ctx, tx, configuration)
		return err
	})
	if err != nil {
		return err
	}
	configuration.Numbers = maps.Clone(configuration.Numbers)
	d.declared = &configuration
	if len(gone) > 0 {
		logger.Info("what has been declared by nodes that were not seen for long is retired", zap.Strings("names", gone))
	}
	return d.Sites.Refresh(ctx)
}

// write is the transaction of declare. It returns the declarers that are gone.
func (d *Desk) write(ctx context.Context, tx db.Tx, configuration Configuration) (gone []string, err error) {
	if err := declarer.Show(ctx, tx, configuration.Name); err != nil {
		return nil, err
	}
	adopted, err := d.Operators.Adopt(ctx, tx)
	if err != nil {
		return nil, err
	}
	if adopted {
		if err := declarer.Show(ctx, tx, operator.Nameless); err != nil {
			return nil, err
		}
	}
	ids, err := d.Sites.ProvisionAll(ctx, tx, configuration.Sites)
	if err != nil {
		return nil, err
	}
	numbers := make(map[int64][]number.Declared)
	for key, list := range configuration.Numbers {
		if id, known := ids[key]; known {
			numbers[id] = list
		}
	}
	if err := d.Numbers.Declare(ctx, tx, configuration.Name, numbers); err != nil {
		return nil, err
	}
	var accounts []operator.Declared
	for _, o := range configuration.Operators {
		accounts = append(accounts, operator.Declared(o))
	}
	if err := d.Operators.Declare(ctx, tx, configuration.Name, accounts); err != nil {
		return nil, err
	}
	gone, err = declarer.Gone(ctx, tx)
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

// DeclareNumbers adds the numbers that the configuration has for a site that it does
// not name, unless it has some for the site already. Only then is the database asked.
func (d *Desk) DeclareNumbers(ctx context.Context, known site.Site, numbers []number.Declared) error {
	d.declaring.Lock()
	defer d.declaring.Unlock()
	if d.declared == nil || len(numbers) == 0 {
		return nil
	}
	if _, has := d.declared.Numbers[known.Key]; has {
		return nil
	}
	err := d.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := declarer.Show(ctx, tx, d.declared.Name); err != nil {
			return err
		}
		return d.Numbers.DeclareSite(ctx, tx, d.declared.Name, known.ID, numbers)
	})
	if err != nil {
		return err
	}
	d.declared.Sites = append(slices.Clone(d.declared.Sites), known.Key)
	if d.declared.Numbers == nil {
		d.declared.Numbers = make(map[string][]number.Declared)
	}
	d.declared.Numbers[known.Key] = numbers
	return nil
}
