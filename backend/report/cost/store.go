package cost

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Kinds of the journal's entries about costs.
const (
	Stored = "site.costs_stored"
	Undone = "site.costs_undone"
)

// Errors of those who keep costs.
var (
	ErrUnknown  = errors.New("there are no such costs")
	ErrTwice    = errors.New("these costs are stored already")
	ErrEmpty    = errors.New("the file has no costs")
	ErrSum      = errors.New("the costs add up to more than a trillion")
	ErrSource   = errors.New("costs have a source of 1 to 200 bytes, and a medium of at most 200")
	ErrCampaign = errors.New("a campaign's name has at most 200 bytes")
	ErrAmount   = errors.New("a cost is an amount above zero")
	ErrPeriod   = errors.New("costs are of a day or of the days of at most a year")
)

const (
	// maxSum is what the costs of an import add up to at most.
	maxSum = 1_000_000_000_000 * Unit
	// maxName is how many bytes are kept of the name of a file, or of a campaign.
	maxName = 200
	// maxDays is of how many days an entry by hand may be.
	maxDays = 366
	// draftLife is how long a file that nobody has confirmed is kept.
	draftLife = 24 * time.Hour
	// rowsAtOnce are those of one transaction: others write, too.
	rowsAtOnce = 2048
)

// Costs keeps the costs of all sites. It is safe for concurrent use.
type Costs struct {
	db  *db.DB
	ids *db.Sequence
	now func() time.Time
}

// New returns the costs of the database.
func New(d *db.DB, now func() time.Time) *Costs {
	return &Costs{db: d, ids: d.Sequence("cost_imports", 1), now: now}
}

// Currency is the currency that the files in effect at the site tell; empty if none does.
func (c *Costs) Currency(ctx context.Context, siteID int64) (string, error) {
	code, _, err := db.One(ctx, c.db.Read(), db.Only[string], `SELECT currency FROM cost_imports WHERE site_id = $1 AND state = 'effect' AND currency <> '' LIMIT 1`, siteID)
	return code, err
}

// Keep keeps what was read of a file as a draft, which counts once [Costs.Confirm] has confirmed it. The content's digest
// tells whether the same file is in effect already: then the error is [ErrTwice]. It may be [ErrEmpty] or [ErrSum].
func (c *Costs) Keep(ctx context.Context, siteID int64, by, name, digest string, f File) (Import, error) {
	i := Import{SiteID: siteID, State: Draft, Name: clip.Text(name, maxName), Platform: f.Platform, Currency: f.Currency, Left: f.Left, LeftOut: int64(f.LeftOut), MadeBy: by, digest: digest}
	i.Source, i.Medium = f.Platform.Marks()
	return i, c.add(ctx, &i, f.Rows)
}

// Entry is what somebody enters by hand: what a campaign has cost from a day to a day.
type Entry struct {
	Source, Medium, Campaign string
	First, Last              period.Date
	Amount                   int64 // of all days, in millionths
}

// Enter keeps the entry, spread evenly over its days. The error may be one of this package's.
func (c *Costs) Enter(ctx context.Context, siteID int64, by string, e Entry) error {
	var err error
	if e.Source, e.Medium, err = marks(e.Source, e.Medium); err != nil {
		return err
	}
	days := int64(e.Last-e.First) + 1
	switch {
	case e.Campaign != clip.Text(e.Campaign, source.MaxText):
		return ErrCampaign
	case days < 1 || days > maxDays:
		return ErrPeriod
	case e.Amount <= 0:
		return ErrAmount
	case e.Amount > maxAmount:
		return ErrSum
	}
	var rows []Row
	for n := range days { // the first days have a millionth more, so that none is lost
		amount := e.Amount / days
		if n < e.Amount%days {
			amount++
		}
		rows = append(rows, Row{Day: e.First + period.Date(n), Campaign: e.Campaign, Amount: amount})
	}
	i := Import{SiteID: siteID, Name: clip.Text(e.Campaign, maxName), Source: e.Source, Medium: e.Medium, MadeBy: by}
	i.digest = fmt.Sprintf("%q", []string{e.Source, e.Medium, e.Campaign, e.First.String(), e.Last.String(), fmt.Sprint(e.Amount)})
	if err := c.add(ctx, &i, rows); err != nil {
		return err
	}
	return c.Confirm(ctx, siteID, i.ID, by, "", e.Source, e.Medium)
}

// marks are a source and a medium as visits have them.
func marks(name, medium string) (string, string, error) {
	name, medium = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(medium))
	if name == "" || name != clip.Text(name, source.MaxText) || medium != clip.Text(medium, source.MaxText) {
		return "", "", ErrSource
	}
	return name, medium, nil
}

// add stores the import as a draft with its rows, which come in several transactions.
func (c *Costs) add(ctx context.Context, i *Import, rows []Row) (err error) {
	if len(rows) == 0 {
		return ErrEmpty
	}
	i.First, i.Last, i.Rows = rows[0].Day, rows[len(rows)-1].Day, int64(len(rows))
	for _, r := range rows {
		if i.Amount += r.Amount; i.Amount > maxSum {
			return ErrSum
		}
	}
	if i.ID, err = c.ids.Next(ctx); err != nil {
		return err
	}
	left, err := json.Marshal(i.Left)
	if err != nil {
		return err
	}
	if err := c.dropDrafts(ctx, i.SiteID, i.MadeBy); err != nil {
		return err
	}
	err = c.db.Attempt(ctx, i.SiteID, func(ctx context.Context, tx db.Tx) error {
		if err := twice(ctx, tx, i.SiteID, i.digest); err != nil {
			return err
		}
		return tx.Send(ctx, `INSERT INTO cost_imports (`+importColumns+`) VALUES ($1, $2, 'loading', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, '', 0, $16)`,
			i.SiteID, i.ID, i.Name, string(i.Platform), i.Source, i.Medium, i.Currency, int64(i.First), int64(i.Last), i.Rows, i.Amount, string(left), i.LeftOut, i.MadeBy, db.Millis(c.now()), i.digest)
	})
	n := int64(0)
	for some := range slices.Chunk(rows, rowsAtOnce) {
		if err != nil {
			break
		}
		first := n
		err = c.db.Write(ctx, i.SiteID, func(ctx context.Context, tx db.Tx) error { return insert(ctx, tx, i, first, some) })
		n += int64(len(some))
	}
	if err == nil {
		err = c.db.Write(ctx, i.SiteID, func(ctx context.Context, tx db.Tx) error {
			return tx.Send(ctx, `UPDATE cost_imports SET state = 'draft' WHERE site_id = $1 AND id = $2`, i.SiteID, i.ID)
		})
	}
	if err != nil && !errors.Is(err, ErrTwice) {
		return fmt.Errorf("keeping costs: %w", err)
	}
	return err
}

func insert(ctx context.Context, tx db.Tx, i *Import, first int64, rows []Row) error {
	n := first
	for some := range db.Parts(rows) {
		values, args := db.Values(some, func(r *Row) []any {
			n++
			return []any{i.SiteID, i.ID, n - 1, int64(r.Day), r.Campaign, r.Amount, r.Clicks, r.Impressions}
		})
		if err := tx.Send(ctx, `INSERT INTO costs (site_id, import_id, n, day, campaign, amount, clicks, impressions) `+values, args...); err != nil {
			return err
		}
	}
	return nil
}

// twice returns [ErrTwice] if the same costs are in effect.
func twice(ctx context.Context, from db.Queries, siteID int64, digest string) error {
	_, found, err := db.One(ctx, from, db.Only[int64], `SELECT id FROM cost_imports WHERE site_id = $1 AND digest = $2 AND state = 'effect'`, siteID, digest)
	if err == nil && found {
		return ErrTwice
	}
	return err
}

// Confirm puts a draft into effect, as costs of the platform, the source and the medium. The error may be [ErrUnknown], also for what
// is no draft, [ErrTwice] or [ErrSource].
func (c *Costs) Confirm(ctx context.Context, siteID, id int64, by string, p Platform, name, medium string) (err error) {
	if name, medium, err = marks(name, medium); err != nil {
		return err
	}
	if p != "" && !slices.Contains(Platforms, p) {
		return ErrUnknown
	}
	i, err := c.Get(ctx, siteID, id)
	if err != nil {
		return err
	}
	if i.State == Effect {
		return ErrTwice
	}
	i.Source, i.Medium = name, medium
	told, err := c.told(i, Stored, by)
	if err != nil {
		return err
	}
	return c.db.Attempt(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		if err := twice(ctx, tx, siteID, i.digest); err != nil {
			return err
		}
		changed, err := tx.Exec(ctx, `UPDATE cost_imports SET state = 'effect', stored_at = $3, platform = $4, source = $5, medium = $6 WHERE site_id = $1 AND id = $2 AND state = 'draft'`,
			siteID, id, db.Millis(c.now()), string(p), name, medium)
		if err == nil && changed == 0 {
			err = ErrUnknown
		}
		if err != nil {
			return err
		}
		return journal.Append(ctx, tx, told)
	})
}

// told is the journal's entry of what was done.
func (c *Costs) told(i Import, kind, by string) (journal.Entry, error) {
	data, err := json.Marshal(map[string]string{"by": by, "name": cmp.Or(i.Name, i.Source+" / "+i.Medium) + ", " + i.First.String() + " – " + i.Last.String()})
	return journal.Entry{SiteID: i.SiteID, At: c.now(), Kind: kind, SubjectID: i.ID, Data: data}, err
}
