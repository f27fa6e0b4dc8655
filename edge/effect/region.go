package effect

import (
	"cmp"
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/edge/region"
)

// regionTime is how long a form waits for the region of the numbers on the site's pages.
const regionTime = 50 * time.Millisecond

// RegionFor returns the country by whose rules the numbers in forms to the host are read: the site's, or else that of the
// host's domain. It is empty if there is none.
func (f *effect) RegionFor(ctx context.Context, host string) string {
	of := cmp.Or(f.region, f.maskRegion)
	if desk, done, err := f.Of.Service.Use(); err == nil {
		ctx, cancel := context.WithTimeout(ctx, regionTime)
		if f.id != 0 { // the site has been found
			of = f.RegionNow(ctx, desk.Numbers)
		}
		cancel()
		done()
	}
	return cmp.Or(of, region.OfHost(host))
}
