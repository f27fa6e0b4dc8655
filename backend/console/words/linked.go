package words

import (
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strings"
)

// link finds addresses of the web in what somebody wrote.
var link = regexp.MustCompile(`https?://[^\s<>"'\x60{}|\\^\x{2028}\x{2029}]+`)

// remarkSize is how many bytes of HTML the text of a message takes at most, so that it fits into an event: 4,000 letters of two
// bytes do, and of three.
const remarkSize = 12 << 10

// Linked is a message with links. Where they lead to is what they say. cut tells whether there is more of it.
func Linked(text string) (html template.HTML, cut bool) {
	s := excerpt{signs: remarkSize, size: remarkSize, mark: marked}
	from := 0
	for _, at := range link.FindAllStringIndex(text, -1) {
		address := strings.TrimRight(text[at[0]:at[1]], ".,;:!?)]»")
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil || strings.ContainsFunc(address, func(r rune) bool { return unseen(r, 0) }) {
			continue
		}
		opening := fmt.Sprintf(`<a href="%s" target="_blank" rel="noopener noreferrer nofollow">`, template.HTMLEscapeString(u.String()))
		if len(opening) > s.size {
			break
		}
		if at[0] > from {
			s.isolate(text[from:at[0]])
		}
		if from = at[0]; s.cut || len(opening) > s.size {
			break
		}
		s.put(opening)
		s.isolate(address)
		s.put("</a>")
		if from += len(address); s.cut {
			break
		}
	}
	if from < len(text) && !s.cut {
		s.isolate(text[from:])
	}
	return template.HTML(s.out), s.cut
}
