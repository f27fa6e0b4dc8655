package outlet

import "github.com/seed-3405227d/frontdesk/snippet/weave"

// Trees are the pages that are parsed at once, and Choices what is remembered of them.
var Trees, Choices = trees, choices

// Spoil has the exchange read nothing more.
func (x *Exchange) Spoil() { x.z = new(weave.Replacer) }
