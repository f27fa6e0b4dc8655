package notify

import (
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
const usualText = `{{.event}} · {{.site}}
{{.time}}
{{if .name}}
[label.name]: {{.name}}{{end}}{{if .phone}}{{if .caller}}{{else}}
[label.phone]: {{.phone}}{{end}}{{end}}{{if .email}}
[label.email]: {{.email}}{{end}}{{if .sale}}
[label.sale]: {{.sale}}{{end}}{{if .caller}}
[label.caller]: {{.caller}}{{end}}{{if .called}}
[label.called]: {{.called}}{{end}}{{if .about}}
[label.about]: {{.about}}{{end}}{{if .status}}
[label.status]: {{.status}}{{end}}{{if .talk}}
[label.talk]: {{.talk}}{{end}}{{if .recording}}
[label.recording]: {{.recording}}{{end}}{{if .message}}

{{.message}}
{{end}}{{if .fields}}
{{.fields}}
{{end}}{{if .site_error}}
[site.error]
{{end}}{{if .form}}
[label.form]: {{.form}}{{end}}{{if .page}}
[label.page]: {{.page}}{{end}}{{if .source}}
[label.source]: {{.source}}{{if .campaign}} · {{.campaign}}{{end}}{{end}}{{if .link}}

{{.link}}{{end}}
`

// text is the usual text in the language.
func (w wording) text() string {
	var words []string
	for key, text := range w {
		words = append(words, "["+key+"]", text)
	}
	return strings.NewReplacer(words...).Replace(usualText)
}
