package chats

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// chatRows are the conversations among the entries, as rows: each once, as it is now. news are
// those of which the operator has to hear.
func (c *room) chatRows(ctx context.Context, to *live.Listener, entries []journal.Entry) (rows, news []chatRow, err error) {
	var f frame.Page
	told := make(map[chat.Key]int)
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if e.Kind != chat.Said && e.Kind != chat.Changed {
			continue
		}
		key := chat.Key{SiteID: e.SiteID, ID: e.SubjectID}
		at, found := told[key]
		if !found {
			if f.Words == nil {
				if f, err = to.Page(ctx); err != nil {
					return nil, nil, err
				}
			}
			seen, err := c.toldChats.Get(ctx, e)
			if err == chat.ErrUnknown { // erased since
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			row, err := c.chatRowOf(ctx, f, seen)
			if err != nil {
				return nil, nil, err
			}
			at, told[key] = len(rows), len(rows)
			rows = append(rows, row)
		}
		heard, err := c.newsOf(ctx, to, e, rows[at])
		if err != nil {
			return nil, nil, err
		}
		if heard != nil && !slices.ContainsFunc(news, func(r chatRow) bool { return r.Conversation.Key() == key }) {
			news = append(news, *heard)
		}
	}
	return rows, news, nil
}

// newsOf is the row by which the operator hears of the entry, or nil: the visitor has written and
// nobody has answered yet, or the conversation is the operator's to take or to answer since it
// was offered, handed over or put back by another, or an admin has taken it from the operator.
func (c *room) newsOf(ctx context.Context, to *live.Listener, e journal.Entry, row chatRow) (*chatRow, error) {
	var told struct {
		Author     chat.Author `json:"author"`
		Change     string      `json:"change"`
		OperatorID int64       `json:"operator_id"`
	}
	if err := json.Unmarshal(e.Data, &told); err != nil {
		return nil, fmt.Errorf("reading what a conversation has become: %w", err)
	}
	self := told.OperatorID == to.Operator.ID
	if told.Change == chat.Taken {
		if !self || row.Mine {
			return nil, nil
		}
		row.Digest = to.Words.Text("chat.takenByOther", "name", row.OwnerName)
		return &row, nil
	}
	rung, err := c.rung(ctx, to, row)
	if err != nil || !rung {
		return nil, err
	}
	heard := false
	switch {
	case e.Kind == chat.Said:
		heard = told.Author == chat.Visitor && row.LastFrom == chat.Visitor
	case told.Change == chat.Offered:
		heard = self || told.OperatorID == 0
	case told.Change == chat.Handed, told.Change == chat.Returned:
		heard = !self
	}
	if !heard {
		return nil, nil
	}
	return &row, nil
}

// rung tells whether the conversation calls for the operator aloud. What waits does so for those
// who are there and not away, if anybody is.
func (c *room) rung(ctx context.Context, to *live.Listener, row chatRow) (bool, error) {
	if !row.Due || row.State != chat.Waiting {
		return row.Due, nil
	}
	there, err := c.Presence.Present(ctx, row.SiteID, row.GroupID)
	return len(there) == 0 || slices.Contains(there, to.Operator.ID), err
}
