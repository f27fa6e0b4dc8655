package appearance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Invitation is a rule for inviting a visitor to the chat. All its conditions must be met.
type Invitation struct {
	// For how many seconds the page has been looked at, up to 3600.
	After int `json:"after,omitempty"`

	// The path of the page, with `*` for any text. Empty: any.
	Address string `json:"address,omitempty"`

	// The condition on the visitor's source, written like those of tracking numbers: on utm parameters, a click id,
	// `referrer` or `landing`. Empty: any.
	Source string `json:"source,omitempty"`

	// The text.
	Text Wording `json:"text"`
}

func (w *Widget) checkInvitations() error {
	if len(w.Invitations) > MaxInvitations {
		return fmt.Errorf("invitations: expected at most %d", MaxInvitations)
	}
	for _, invitation := range w.Invitations {
		if err := invitation.Complete(); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error that says what is wrong with what the rule says so far.
func (i Invitation) Check() error {
	switch {
	case i.After < 0 || i.After > MaxAfter:
		return fmt.Errorf("after: expected whole seconds up to %d", MaxAfter)
	case i.Address != "" && (!strings.HasPrefix(i.Address, "/") && !strings.HasPrefix(i.Address, "*") || strings.ContainsAny(i.Address, "?#") || strings.ContainsFunc(i.Address, isControl)):
		return fmt.Errorf("address %.200q: expected a path that begins with a slash or *, without ? and #, such as /cart*", i.Address)
	case len(i.Address) > maxAddress:
		return fmt.Errorf("address: expected at most %d bytes", maxAddress)
	}
	if i.Source != "" {
		if err := checkSource(i.Source); err != nil {
			return err
		}
	}
	return i.Text.Check("text of the invitation", MaxText)
}

// checkSource takes the conditions of tracking numbers that a page itself can tell: by the
// address with which the visit began, and by the page that led there.
func checkSource(condition string) error {
	if _, err := number.ParseConditions([]string{condition}); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	name, _, _ := strings.Cut(strings.ToLower(condition), "=")
	if name == "kind" || name == "click_id" {
		return fmt.Errorf("source %q: expected a condition on utm parameters, a click id such as gclid, referrer or landing", condition)
	}
	if strings.Contains(condition, " ") {
		return fmt.Errorf("source %.200q: expected one condition without spaces; * is any text", condition)
	}
	return nil
}

// Complete returns an error that says what is wrong with the whole rule.
func (i Invitation) Complete() error {
	switch {
	case len(i.Text) == 0:
		return errors.New(`invitation: expected its text, such as text "May we help?"`)
	case i.After == 0 && i.Address == "" && i.Source == "":
		return errors.New("invitation: expected after, address or source, which say when it appears")
	}
	return i.Check()
}
