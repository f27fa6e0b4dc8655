package sites

import (
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// There says what there is of a site beside its pages.
type There struct {
	Number   bool // another is shown in place of a printed one
	Call     bool // a telephone platform has reported one
	Receiver bool // of what happens
}

// guideStep is something that makes a site more useful once it has visitors. Nothing has to be done, in no order.
type guideStep struct {
	Name, Hint string // of the words
	Link       string
	Done       bool
}

// guide are the steps for a site that has visitors; none if all are done, or if somebody has sent them away.
func (c *room) guide(r *http.Request, s siteRow) ([]guideStep, error) {
	hidden := s.Settings.GuideHidden
	if c.There == nil || !s.Seen() || s.State == siteRetired || s.State == siteHalted || hidden != nil && *hidden {
		return nil, nil
	}
	there, err := c.There(r.Context(), s.ID)
	if err != nil {
		return nil, err
	}
	page, of := frame.SiteLink(s.ID), "?site="+strconv.FormatInt(s.ID, 10)
	steps := []guideStep{
		{"guide.button", "guide.buttonHint", page + "/widget", c.Effective(s.Site).Widget.HasLauncher()},
		{"guide.number", "guide.numberHint", "/numbers" + of, there.Number},
		{"guide.platform", "guide.platformHint", "/calls" + of, there.Call},
		{"guide.receiver", "guide.receiverHint", page + "/deliveries", there.Receiver},
	}
	for _, step := range steps {
		if !step.Done {
			return steps, nil
		}
	}
	return nil, nil
}

// hideGuide sends the steps away, for everybody.
func (c *room) hideGuide(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	settings := named.Settings
	settings.GuideHidden = new(true)
	if _, err := c.Sites.Change(r.Context(), named.Key, named.Version, settings, f.Operator.Login); err != nil {
		return err
	}
	return c.Back(w, r, frame.SiteLink(named.ID), "")
}
