package letter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// addressee is the address that the visitor has given last; empty if there is none, or it wants no letters.
func (a *Answers) addressee(ctx context.Context, of chat.Conversation, wanted bool) (string, error) {
	if !wanted || !a.Letters.Can() {
		return "", nil
	}
	known, err := a.Cards.Card(ctx, of.SiteID, of.Visitor)
	if errors.Is(err, visit.ErrUnknown) || err == nil && len(known.Emails) == 0 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	to := known.Emails[0].Value
	if a.Letters.Check(to) != nil {
		return "", nil
	}
	_, unwanted, err := db.One(ctx, a.DB.Read(), db.Only[int64], `SELECT at FROM chat_unwanted WHERE site_id = $1 AND address = $2`, of.SiteID, strings.ToLower(to))
	if err != nil {
		return "", fmt.Errorf("looking for an address that wants no letters: %w", err)
	}
	if unwanted {
		return "", nil
	}
	return to, nil
}

// Stop has the address to which the conversation's last letter went get no more of the site. The error is
// [chat.ErrUnknown] if none was sent.
func (a *Answers) Stop(ctx context.Context, siteID, conversation int64) error {
	s, err := a.sent(ctx, chat.Conversation{SiteID: siteID, ID: conversation})
	if err != nil {
		return err
	}
	if s.address == "" {
		return chat.ErrUnknown
	}
	unwanted := strings.ToLower(s.address)
	err = a.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO chat_unwanted (site_id, address, at) VALUES ($1, $2, $3) ON CONFLICT (site_id, address) DO NOTHING`,
			siteID, unwanted, a.now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("noting an address that wants no letters: %w", err)
	}
	return nil
}
