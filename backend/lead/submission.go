package lead

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// What a lead holds at most.
const (
	// maxShort is the size in bytes of a name, e-mail, phone, form's name, or
	// name of a user field.
	maxShort = 1024
	// maxText is the size in bytes of all texts of a lead together. Transcripts
	// of whole chats arrive as leads.
	maxText = 1 << 20
	// maxUserFields is the number of user fields.
	maxUserFields = 200
	// maxAddress is the size in bytes to which a page's address is cut.
	maxAddress = 2048
	// maxDelivery is the size in bytes of a delivery's name.
	maxDelivery = 255
)

// Submission is a lead on its way in: what the sender said, read by
// [FromObject] or [FromForm], and who and where it comes from, which the
// receiver fills in.
type Submission struct {
	SiteID int64
	// Ref is the page view of the lead, already found to be the sender's.
	visit.Ref
	// Origin is Script, Server or Form.
	Origin string
	// CallID is the id of the script's call. Coming again from the same visitor
	// within DeliveryMemory, it means the same lead.
	CallID string
	// IdempotencyKey is the key that a server chose for its call. Coming again
	// from the same page view within DeliveryMemory, it means the same lead.
	//
	// With neither of the two, the same content from the same page view within
	// RepeatWindow means the same lead.
	IdempotencyKey string
	// URL is the address of the page.
	URL string
	// Region is the country by which phones without a country code are read,
	// in two letters (ISO 3166-1); empty for none.
	Region string

	Name, Email, Phone, Message string
	IsSale                      bool
	SaleCost                    string
	GroupID                     int64
	FormName                    string
	UserFields                  map[string]string
}

// Check returns an [Invalid] when the submission cannot be stored as a lead.
func (s *Submission) Check() error {
	total := 0
	for _, f := range []struct {
		name, text string
		max        int
	}{
		{"name", s.Name, maxShort}, {"email", s.Email, maxShort}, {"phone", s.Phone, maxShort},
		{"form_name", s.FormName, maxShort}, {"message", s.Message, maxText},
		{"Idempotency-Key", s.IdempotencyKey, maxDelivery}, {"id", s.CallID, maxDelivery},
	} {
		if err := checkText(f.name, f.text, f.max); err != nil {
			return err
		}
		total += len(f.text)
	}
	if len(s.UserFields) > maxUserFields {
		return invalid("too_long", "a lead holds at most %d user fields", maxUserFields)
	}
	for name, value := range s.UserFields {
		if err := checkText("the name of a user field", name, maxShort); err != nil {
			return err
		}
		if err := checkText("a user field", value, maxText); err != nil {
			return err
		}
		total += len(name) + len(value)
	}
	if total > maxText {
		return invalid("too_long", "the lead is longer than %d bytes in all", maxText)
	}
	if s.SaleCost != "" && !s.IsSale {
		return invalid("sale_cost_without_sale", "sale_cost is sent without is_sale: only a sale has a cost")
	}
	if s.Name == "" && s.Email == "" && s.Phone == "" && strings.TrimSpace(s.Message) == "" && len(s.UserFields) == 0 && !s.IsSale {
		return invalid("empty", "nothing is filled: a lead needs a name, email, phone, message, user field, or to be a sale")
	}
	return nil
}

func checkText(name, text string, limit int) error {
	switch {
	case len(text) > limit:
		return invalid("too_long", "%s is longer than %d bytes", name, limit)
	case !utf8.ValidString(text):
		return invalid("malformed_text", "%s is not valid UTF-8", name)
	case strings.IndexByte(text, 0) >= 0:
		return invalid("malformed_text", "%s holds a NUL character", name)
	}
	return nil
}
