package notify

import (
	_ "embed" // the usual text
	"strings"

	"github.com/seed-3405227d/frontdesk/locales"
)

// wording is what mails say in one language, by keys.
type wording map[string]string

// mailTexts are the wordings by the codes of the languages.
var mailTexts = locales.Read("mails")

// usualSubject is the template of the subject of a mail whose endpoint has none of its own.
const usualSubject = "{{.event}}{{if .name}}: {{.name}}{{else}}{{if .caller}}: {{.caller}}{{else}}{{if .about}}: {{.about}}{{end}}{{end}}{{end}} · {{.site}}"

// usualText is the same for the text. The words stand in brackets, by their keys.
//
//go:embed usual.txt
var usualText string

// text is the usual text in the language.
func (w wording) text() string {
	var words []string
	for key, text := range w {
		words = append(words, "["+key+"]", text)
	}
	return strings.NewReplacer(words...).Replace(usualText)
}
