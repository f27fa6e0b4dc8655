package snippet

import (
	"maps"

	"github.com/seed-3405227d/frontdesk/locales"
)

// panelTexts and previewTexts are what the panels and the bar of a preview say, by language and key.
var panelTexts, previewTexts = locales.Read("panels"), locales.Read("preview")

// Texts are what the panels say in the language that [locales.Language] finds for the tag, by keys such as "chat.title". The
// map is the caller's to change.
func Texts(tag string) map[string]string { return maps.Clone(panelTexts[locales.Language(tag)]) }
