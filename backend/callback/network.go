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

// Of the callbacks of a day, one in networkShare may come from one network, and leastOfNetwork at least. Else a single
// client could use up those of all visitors.
const networkShare, leastOfNetwork = 10, 3

// perNetwork is how many callbacks the visitors of one network may ask for within 24 hours.
func (s Settings) perNetwork() int { return max(leastOfNetwork, s.perDay()/networkShare) }

// network is what is stored of a network: enough to know it again at this site for a day, and nothing for others. It is
// empty where the network is not known.
func (c *Callbacks) network(a Asked) string {
	if a.Network == "" {
		return ""
	}
	mac := hmac.New(sha256.New, c.secret)
	fmt.Fprint(mac, a.SiteID, " ", a.Network)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// usedUp reports whether the network has asked for as many as it may. An empty one never has.
func usedUp(ctx context.Context, tx db.Tx, siteID int64, network string, s Settings, now time.Time) (bool, error) {
	if network == "" {
		return false, nil
	}
	asked, _, err := db.One(ctx, tx, db.Only[int], `SELECT COALESCE(SUM(asked), 0) FROM callback_networks WHERE site_id = $1 AND network = $2 AND at > $3`,
		siteID, network, dayBefore(now))
	return asked >= s.perNetwork(), err
}

// count notes that the network has asked for one more, and deletes what does not count any more.
func count(ctx context.Context, tx db.Tx, siteID int64, network string, now time.Time) error {
	if _, err := tx.Exec(ctx, `DELETE FROM callback_networks WHERE site_id = $1 AND at <= $2`, siteID, dayBefore(now)); err != nil || network == "" {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO callback_networks (site_id, network, at, asked) VALUES ($1, $2, $3, 1)
		ON CONFLICT (site_id, network, at) DO UPDATE SET asked = callback_networks.asked + 1`, siteID, network, now.UnixMilli())
	return err
}

// Prune deletes what of networks does not count any more, of all sites.
func (c *Callbacks) Prune(ctx context.Context) error {
	return c.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM callback_networks WHERE at <= $1`, dayBefore(c.now()))
		return err
	})
}

func dayBefore(now time.Time) int64 { return now.Add(-24 * time.Hour).UnixMilli() }
