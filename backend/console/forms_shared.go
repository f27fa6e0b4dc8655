package console

import "github.com/seed-3405227d/frontdesk/backend/number"

// What a form says of a setting, beside its values.
const (
	asConfigured = ""     // the site has none of its own
	none         = "none" // of masks and consents
	own          = "own"
)

// onOff is whether a setting is on, as forms have it.
func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// attributions are the names of the words for which of a visitor's visits decides.
var attributions = map[number.Attribution]string{
	number.First: "settings.first", number.Last: "settings.last", number.LastNonDirect: "settings.lastNonDirect", "": "settings.lastNonDirect"}
