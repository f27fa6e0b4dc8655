package lead

import (
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/tag"
)

// Tags is where the tags of leads are.
var Tags = tag.Table{Name: "lead_tags", Of: "lead_id", Things: "leads"}

// SetTags gives the lead the tags, which are those of [tag.Read], and no others. The error may be that of SetState.
func (l *Leads) SetTags(ctx context.Context, by By, n Key, tags []string) error {
	told := deed{kind: deedTags, said: tag.Written(tags)}
	return l.change(ctx, by, n, func(ctx context.Context, c *changing) error {
		if slices.Equal(c.Tags, tags) {
			return nil
		}
		c.note(c.Lead, told)
		return Tags.Set(ctx, c.tx, n.SiteID, n.ID, tags)
	})
}
