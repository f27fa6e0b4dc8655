package callback

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// One of networkShare callbacks of a day may come from one network, and at least leastOfNetwork. Otherwise a single
// client could use up the callbacks of all visitors.
const networkShare, leastOfNetwork = 10, 3

// perNetwork returns how many callbacks the visitors of one network may request within 24 hours.
func (s Settings) perNetwork() int { return max(leastOfNetwork, s.perDay()/networkShare) }

// network returns the stored form of a network: enough to recognise it at this site for a day, and of no use to others.
// It is empty if the network is not known.
func (c *Callbacks) network(a Asked) string {
	if a.Network == "" {
		return ""
	}
	mac := hmac.New(sha256.New, c.secret)
	fmt.Fprint(mac, a.SiteID, " ", a.Network)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// usedUp reports whether the network has requested as many callbacks as it may. An empty network never has.
func usedUp(ctx context.Context, tx db.Tx, siteID int64, network string, s Settings, now time.Time) (bool, error) {
	if network == "" {
		return false, nil
	}
	asked, _, err := db.One(ctx, tx, db.Only[int], `SELECT COALESCE(SUM(asked), 0) FROM callback_networks WHERE site_id = $1 AND network = $2 AND at > $3`,
		siteID, network, dayBefore(now))
	return asked >= s.perNetwork(), err
}

// count counts one more request of the network, and deletes requests that are too old.
func count(ctx context.Context, tx db.Tx, siteID int64, network string, now time.Time) error {
	if _, err := tx.Exec(ctx, `DELETE FROM callback_networks WHERE site_id = $1 AND at <= $2`, siteID, dayBefore(now)); err != nil || network == "" {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO callback_networks (site_id, network, at, asked) VALUES ($1, $2, $3, 1)
		ON CONFLICT (site_id, network, at) DO UPDATE SET asked = callback_networks.asked + 1`, siteID, network, now.UnixMilli())
	return err
}

// Prune deletes old requests of networks, of all sites.
func (c *Callbacks) Prune(ctx context.Context) error {
	return c.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM callback_networks WHERE at <= $1`, dayBefore(c.now()))
		return err
	})
}

func dayBefore(now time.Time) int64 { return now.Add(-24 * time.Hour).UnixMilli() }
