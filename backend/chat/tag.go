package chat

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/tag"
)

// Tags is where the tags of conversations are.
var Tags = tag.Table{Name: "conversation_tags", Of: "conversation_id", Things: "conversations"}

// Tags are the words by which operators sort the conversation, in order. [SetTags] changes them.
func (c Conversation) Tags() []string { return tag.Split(c.tags) }

// SetTags gives the conversation the tags, which are those of [tag.Read], and no others. A note by the operator tells it.
func SetTags(ctx context.Context, c *Chats, of Key, by int64, tags []string) error {
	note := Message{Author: Note, OperatorID: by, Code: CodeTags, Text: tag.Written(tags)}
	known, err := c.Get(ctx, of.SiteID, of.ID)
	if err = cmp.Or(err, note.Check()); err != nil || slices.Equal(known.Tags(), tags) {
		return err
	}
	return c.write(ctx, of.SiteID, of.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if err := Tags.Set(ctx, tx, of.SiteID, of.ID, tags); err != nil {
			return err
		}
		_, err := c.say(ctx, tx, now, note)
		return err
	})
}
