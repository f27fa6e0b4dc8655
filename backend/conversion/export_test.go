package conversion

import (
	"github.com/seed-3405227d/frontdesk/backend/conversion/ga4"
	"github.com/seed-3405227d/frontdesk/backend/conversion/meta"
)

// At has the platforms sought at the address.
func (c *Conversions) At(address string) {
	c.platforms[GA4].(*ga4.GA4).Base = address
	c.platforms[Meta].(*meta.Meta).Base = address + "/v24.0"
}
