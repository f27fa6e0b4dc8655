package chat

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Traces are a person's conversations.
func (c *Chats) Traces() trace.Subject {
	const of = `site_id = $1 AND conversation_id = $2`
	return trace.Subject{Find: findTraces, Tables: []trace.Table{
		{Name: "chat_files", By: trace.Conversation, Where: of, Texts: []string{"name"}, Key: []string{"site_id", "id"}, Of: "conversation_id", Clear: true},
		{Name: "chat_inquiries", By: trace.Conversation, Where: of, Key: []string{"site_id", "conversation_id", "at"}, Of: "conversation_id", Clear: true},
		{Name: "chat_inquiries", By: trace.Lead, Where: `site_id = $1 AND lead_id = $2 AND lead_id <> 0`, Set: "lead_id = 0"},
		{Name: "messages", By: trace.Conversation, Where: of, Hidden: []string{"client_id"}, Texts: []string{"text"}, Key: []string{"site_id", "conversation_id", "seq"}, Of: "conversation_id", Clear: true},
		{Name: "chat_letters", By: trace.Conversation, Where: of, Texts: []string{"address"}, Key: []string{"site_id", "conversation_id"}, Of: "conversation_id", Clear: true},
		{Name: "chat_unwanted", Texts: []string{"address"}, Key: []string{"site_id", "address"}},
		{Name: "chat_waits", By: trace.Conversation, Where: of, Key: []string{"site_id", "conversation_id", "seq"}, Of: "conversation_id", Clear: true},
		{Name: "chat_tried", By: trace.Conversation, Where: of, Key: []string{"site_id", "conversation_id", "operator_id"}, Of: "conversation_id", Clear: true},
		Tags.Trace(trace.Conversation),
		{Name: "conversations", By: trace.Conversation, Where: `site_id = $1 AND id = $2`, Texts: []string{"url"}, Key: []string{"site_id", "id"}, Of: "id", Clear: true},
		{Name: "conversations", By: trace.Lead, Where: `site_id = $1 AND lead_id = $2 AND lead_id <> 0`, Set: "lead_id = 0"},
	}}
}

// findTraces finds the conversation of a visitor, and the conversations that became leads.
func findTraces(ctx context.Context, from db.Queries, m trace.Mark) (marks []trace.Mark, err error) {
	var where string
	switch m.Kind {
	case trace.Visitor:
		where = `visitor_id = $2`
	case trace.Lead:
		where = `lead_id = $2 AND lead_id <> 0`
	default:
		return nil, nil
	}
	type row struct{ id, visitor int64 }
	rows, err := db.List(ctx, from, func(r *row) []any { return []any{&r.id, &r.visitor} },
		`SELECT id, visitor_id FROM conversations WHERE site_id = $1 AND `+where, m.SiteID, m.ID)
	if err != nil {
		return nil, fmt.Errorf("finding a person's conversations: %w", err)
	}
	for _, r := range rows {
		marks = append(marks, trace.Mark{Kind: trace.Conversation, SiteID: m.SiteID, ID: r.id}, trace.Mark{Kind: trace.Visitor, SiteID: m.SiteID, ID: r.visitor})
	}
	return marks, nil
}
