package visit

import (
	_ "embed"
	"regexp"
	"regexp/syntax"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

//go:generate go run ./crawlers

// crawlers.txt holds the regular expressions of the maintained list
// crawler-user-agents, one on a line. Most of them are plain texts.
//
//go:embed crawlers.txt
var crawlersTxt string

// bots tells programs from people by the user agent. A client without a user agent is not a bot.
type bots struct {
	texts       []string
	expressions []*regexp.Regexp
	known       *lru.Cache[string, bool]
}

// maxKnownAgents bounds how many user agents are remembered.
const maxKnownAgents = 4096

func newBots() *bots {
	b := new(bots)
	b.known, _ = lru.New[string, bool](maxKnownAgents) // the size is positive
	for pattern := range strings.Lines(crawlersTxt) {
		pattern = strings.TrimSuffix(pattern, "\n")
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			panic("visit: crawlers.txt: " + err.Error()) // the list is part of the program
		}
		if parsed.Op == syntax.OpLiteral && parsed.Flags&syntax.FoldCase == 0 {
			b.texts = append(b.texts, string(parsed.Rune))
		} else {
			b.expressions = append(b.expressions, regexp.MustCompile(pattern))
		}
	}
	return b
}

// IsBot says whether the user agent is that of a known program.
func (v *Visits) IsBot(userAgent string) bool { return v.bots.match(userAgent) }

func (b *bots) match(userAgent string) bool {
	bot, known := b.known.Get(userAgent)
	if !known {
		bot = b.search(userAgent)
		b.known.Add(strings.Clone(userAgent), bot)
	}
	return bot
}

func (b *bots) search(userAgent string) bool {
	for _, text := range b.texts {
		if strings.Contains(userAgent, text) {
			return true
		}
	}
	for _, expression := range b.expressions {
		if expression.MatchString(userAgent) {
			return true
		}
	}
	return false
}
