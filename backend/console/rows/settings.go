package rows

import (
	"github.com/seed-3405227d/frontdesk/backend/attribution"
)

// What a form says of a setting, beside its values.
const (
	AsConfigured = ""     // the site has none of its own
	None         = "none" // of masks and consents
	Own          = "own"
)

// OnOff is whether a setting is on, as forms have it.
func OnOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Attributions are the names of the words for which of a visitor's visits decides.
var Attributions = map[attribution.Model]string{
	attribution.First: "settings.first", attribution.Last: "settings.last", attribution.LastNonDirect: "settings.lastNonDirect", "": "settings.lastNonDirect"}
