package rows

import (
	"context"
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// CallsBack tells whether somebody of the site can be called back now.
func CallsBack(ctx context.Context, f *frame.Frame, p frame.Page, callbacks *callback.Callbacks, siteID int64) (bool, error) {
	s, _ := p.Site(siteID)
	return callbacks.Possible(ctx, siteID, CallbackSettings(f, s))
}

// CallbackSettings are those in effect for the site.
func CallbackSettings(f *frame.Frame, s site.Site) callback.Settings {
	if set := f.Effective(s).Callback; set != nil {
		return *set
	}
	return callback.Settings{}
}

// Reach are the numbers and addresses behind the buttons that call and write.
type Reach struct {
	PhoneDigits, Email string
	Back               string // where the number can be called by the telephone platform; empty where it cannot
}

// GroupName is the name of a group of the site; empty for 0, and for one that there is not.
func GroupName(ctx context.Context, f *frame.Frame, siteID, id int64) (string, error) {
	if id == 0 {
		return "", nil
	}
	g, err := f.Groups.Get(ctx, siteID, id)
	if errors.Is(err, group.ErrUnknown) {
		return "", nil
	}
	return g.Name, err
}

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
