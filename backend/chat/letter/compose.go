package letter

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
)

// What the tokens of a letter's links open, and where: routes under the prefix of the site.
const (
	OpensBack, OpensStop = "back", "stop"
	BackPath, StopPath   = "v1/chat/back", "v1/chat/stop"
)

const (
	// BackTime is how long the link of a letter leads back into the conversation.
	BackTime = 7 * 24 * time.Hour
	// stopTime is how long no more letters can be asked for by a letter's link.
	stopTime = 400 * 24 * time.Hour
	// maxAnswer limits the bytes of the answers in a letter. The rest stands in the conversation.
	maxAnswer = 64 << 10
)

// letter is the letter with the answers. It has no Link where the site's address is not known.
func (a *Answers) letter(ctx context.Context, of chat.Conversation, answers []chat.Message) (l Letter, err error) {
	base, err := a.Service(ctx, of.SiteID, of.URL)
	if err != nil || base == "" {
		return l, err
	}
	site, err := a.Letters.siteOf(ctx, of)
	if err != nil {
		return l, err
	}
	words, language := wordsOf(of.Language)
	names := a.Letters.names(words)
	fill := strings.NewReplacer("{{.site}}", site)
	parts, size := []string{fill.Replace(words["answer.intro"])}, 0
	for _, m := range answers {
		who, err := names.of(ctx, m.OperatorID)
		if err != nil {
			return l, err
		}
		text := m.Text
		if m.File != nil {
			text += "[" + m.File.Name + "]"
		}
		if size += len(text); size > maxAnswer {
			parts = append(parts, words["answer.cut"])
			break
		}
		parts = append(parts, who+":\n"+text)
	}
	link := func(path, opens string, lasting time.Duration) string {
		return base + path + "?" + url.Values{"t": {a.Keys.ConversationToken(of.SiteID, of.ID, opens, lasting)}}.Encode()
	}
	l.Link, l.Stop = link(BackPath, OpensBack, BackTime), link(StopPath, OpensStop, stopTime)
	parts = append(parts, words["answer.back"]+"\n"+l.Link, fill.Replace(words["answer.stop"])+"\n"+l.Stop)
	last := answers[len(answers)-1]
	l.Subject, l.Text, l.Language = fill.Replace(words["answer.subject"]), strings.Join(parts, "\n\n")+"\n", language
	l.ID, l.At = fmt.Sprintf("answer-%d-%d-%d", of.SiteID, of.ID, last.Seq), last.At
	return l, nil
}
