package staff

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// HistoryEntry is something that was changed.
type HistoryEntry struct {
	At        time.Time       `json:"at"`
	Site      string          `json:"site" doc:"The key of the site; empty for all of them."`
	By        string          `json:"by" doc:"The login of who did it, or the name of the program; empty for whoever runs the server."`
	Kind      string          `json:"kind" doc:"What was done, such as site.changed or operator.added."`
	SubjectID int64           `json:"subject_id" doc:"The number of what it was done to."`
	Data      json.RawMessage `json:"data" doc:"What is kept of it."`
}

type historyOutput struct {
	Body struct {
		History []HistoryEntry `json:"history" nullable:"false" doc:"The latest first. What was done at several sites stands there for each."`
		Next    string         `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

func (r *room) mountHistory() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "history", ID: "listHistory", Subject: "History", Opens: token.ReadHistory, Summary: "List what was changed",
		Description: "What operators, programs and whoever runs the server have changed of sites and accounts in the last 30 days at least.",
	}, func(ctx context.Context, in *frame.PageInput) (*historyOutput, error) {
		list := frame.ListOf("history")
		behind, err := list.Read(in.Cursor)
		if err != nil {
			return nil, err
		}
		entries, err := r.Journal.Administration(ctx, frame.Caller(ctx).Sites, journal.Position{Tx: behind[0], Seq: behind[1]}, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := new(historyOutput)
		entries, out.Body.Next = frame.Cut(list, entries, in.Limit, func(e journal.Entry) frame.Place { return frame.Place{e.Tx, e.Seq} })
		out.Body.History = make([]HistoryEntry, len(entries))
		for i, e := range entries {
			var said struct{ By string }
			_ = json.Unmarshal(e.Data, &said)
			done := HistoryEntry{At: e.At.UTC(), By: said.By, Kind: e.Kind, SubjectID: e.SubjectID, Data: e.Data}
			if e.SiteID != 0 {
				if done.Site, err = r.Key(ctx, e.SiteID); err != nil {
					return nil, err
				}
			}
			out.Body.History[i] = done
		}
		return out, nil
	})
}
