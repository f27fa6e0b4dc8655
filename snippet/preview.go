package snippet

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/locales"
)

// Preview is what a page says that is looked at as somebody else would see it.
type Preview struct {
	// Address and Referrer are those by which that somebody comes.
	Address, Referrer string
	// Language is that of the texts, one of [locales.Languages].
	Language string
	// Until is when the preview ends by itself, and End the address that ends it.
	Until time.Time
	End   string
}

// AppendTo writes the block that says so, and the script that marks the numbers, for a page with the code.
func (p *Preview) AppendTo(b []byte, c *Code, f Form, s *Shown) []byte {
	b = append(b, `<script type="application/json" data-svc-preview>{"until":`...)
	b = strconv.AppendInt(b, p.Until.UnixMilli(), 10)
	texts := previewTexts[locales.Language(p.Language)]
	b = append(b, `,"texts":{`...)
	for i, key := range slices.Sorted(maps.Keys(texts)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(append(appendQuoted(b, key), ':'), texts[key])
	}
	b = append(b, '}')
	for _, field := range [...]struct{ name, value string }{{"address", p.Address}, {"referrer", p.Referrer}, {"language", p.Language}, {"end", p.End}} {
		b = appendQuoted(append(append(append(b, `,"`...), field.name...), `":`...), field.value)
	}
	b = append(b, `,"printed":{`...)
	for i, t := range s.numbers {
		if t == nil {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		digits := s.printed.numbers[i].Digits
		b = appendQuoted(append(appendQuoted(b, digits), ':'), FormatNumber(digits))
	}
	b = append(append(append(b, `},"numbers":`...), s.Records()...), "}</script>"...)
	return f.appendScript(b, strings.TrimSuffix(c.path, "svc.js")+"assets/"+previewName, "")
}
