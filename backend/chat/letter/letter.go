// Package letter writes letters to visitors: a conversation that they ask for, and answers that have come after they left.
// The requests of browsers and the conversations ask it.
package letter

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/locales"
)

// Letter is a mail to a visitor.
type Letter struct {
	SiteID                int64
	To, Subject, Text, ID string
	At                    time.Time
	Language              string
	// Link is the address on a line of the text that is a link; empty for none.
	Link string
	// Stop is the address at which no more letters are asked for; empty for none.
	Stop string
}

// Letters sends them.
type Letters struct {
	// Check returns an error for anything but the address of a mailbox.
	Check func(address string) error
	// Can reports whether mails can be sent at all.
	Can func() bool
	// Send sends a letter. never is true if another attempt would fail too.
	Send func(ctx context.Context, l Letter) (never bool, err error)
	// Site is the name by which visitors know the site.
	Site func(ctx context.Context, siteID int64) (string, error)
	// Name is the operator's name for visitors.
	Name func(ctx context.Context, operatorID int64) (string, error)
}

// siteOf is the name of the conversation's site: the host of the page, which the visitor has seen.
func (l Letters) siteOf(ctx context.Context, of chat.Conversation) (string, error) {
	page, err := url.Parse(of.URL)
	if err != nil || page.Hostname() == "" {
		return l.Site(ctx, of.SiteID)
	}
	site := page.Hostname()
	if strings.Contains(site, "xn--") {
		site, _ = idna.Display.ToUnicode(site)
	}
	return site, nil
}

// names are the operators' names, each asked for once.
type names struct {
	letters Letters
	words   map[string]string
	known   map[int64]string
}

func (l Letters) names(words map[string]string) names {
	return names{l, words, make(map[int64]string)}
}

func (n names) of(ctx context.Context, operatorID int64) (string, error) {
	if name, known := n.known[operatorID]; known {
		return name, nil
	}
	name, err := n.letters.Name(ctx, operatorID)
	if err != nil {
		return "", err
	}
	n.known[operatorID] = cmp.Or(name, n.words["transcript.operator"])
	return n.known[operatorID], nil
}

// wordsOf are the words of letters in the language that suits the tag best.
func wordsOf(tag string) (words map[string]string, language string) {
	language = locales.Language(tag)
	return mailTexts[language], language
}

// mailTexts has the words of letters, by language.
var mailTexts = locales.Read("mails")
