// Package submission reads what is sent as a lead: by the browser script, or by a request of the site's server. It
// takes each field for what it can hold, keeps what does not fit as a user field, and says so. Package lead stores the
// result.
package submission

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// What a lead holds at most.
const (
	// MaxShort is the size in bytes of a name, e-mail, phone, form's name, or name of a user field.
	MaxShort = 1024
	// maxText is the size in bytes of all texts of a lead together. Transcripts of whole chats arrive as leads.
	maxText = 1 << 20
	// MaxUserFields is the number of user fields.
	MaxUserFields = 200
	// MaxAddress is the size in bytes to which a page's address is cut.
	MaxAddress = 2048
)

// Submission is a lead on its way in: what the sender said, read by [FromObject] or [FromForm], and who and where it
// comes from, which the receiver fills in.
type Submission struct {
	SiteID int64
	// Ref is the page view of the lead, already found to be the sender's.
	visit.Ref
	// Origin is that of the lead.
	Origin string
	// CallID is the id of the script's call. Coming again from the same visitor
	// within thirty days, it means the same lead.
	CallID string
	// Call is the telephone call that it is, or 0. Nobody has written anything then, and the caller may be withheld.
	Call int64 `json:"-"`
	// Source is what has brought the sender, if no visit tells it.
	Source source.Source `json:"-"`
	// IdempotencyKey is the key that a server chose for its call. Coming again
	// from the same page view within thirty days, it means the same lead.
	//
	// With none of the four, the same content from the same page view within ten minutes means the same lead.
	IdempotencyKey string
	// FormKey names the form. Forms of the same name that come within ten minutes are the same lead. Where another
	// Frontdesk has told it, that holds for the same visitor.
	FormKey string `json:"-"`
	// By is the name of the program that has told of it over the public API; empty for others. Its IdempotencyKey is then
	// bound to the program.
	By string `json:"-"`
	// At is when it came, where it has waited since; zero for now.
	At time.Time `json:"-"`
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

	// Marks are those of the lead, as far as the receiver knows.
	Marks []string `json:"-"`

	// Tags are those of the lead, as operators have set them before it was one.
	Tags []string `json:"-"`

	// SiteError is that of the lead.
	SiteError int `json:"-"`

	// Notes say what could not be used as it was sent.
	Notes []Note `json:"-"`

	content string // the hash of all that was sent, where it is cut; see Shorten
}

// Note says what became of a field that could not be stored as it was sent. It never repeats the field's content.
type Note struct {
	// Field is a documented name, or user_fields for any other.
	Field string `json:"field"`
	// Code is one of those of [Invalid].
	Code string `json:"code"`
	// Note is a sentence for the developer of the site.
	Note string `json:"note"`
}

// Invalid says why a submission is no lead. It is the sender's mistake: the same submission is refused each time.
type Invalid struct {
	// Code is a word for programs: empty, wrong_type, sale_cost_without_sale; in a
	// [Note] too_long, malformed_text and wrong_sale_cost besides.
	Code string
	// Reason is a sentence for the developer of the site. It names fields and never repeats their content.
	Reason string
}

func (i Invalid) Error() string { return i.Reason }

func invalid(code, reason string) Invalid {
	return Invalid{Code: code, Reason: reason}
}

func (s *Submission) note(field, code, format string, args ...any) {
	note := Note{field, code, fmt.Sprintf(format, args...)}
	if !slices.Contains(s.Notes, note) {
		s.Notes = append(s.Notes, note)
	}
}

// Check cuts what is too long, takes away what no database stores, and notes both. It returns an [Invalid] when nothing
// usable is left, and when the sender has broken a duty of the interface.
func (s *Submission) Check() error {
	for _, f := range []struct {
		name string
		text *string
		max  int
	}{
		{"name", &s.Name, MaxShort}, {"email", &s.Email, MaxShort}, {"phone", &s.Phone, MaxShort},
		{"form_name", &s.FormName, MaxShort}, {"message", &s.Message, maxText},
	} {
		*f.text = s.fit(f.name, *f.text, f.max)
	}
	s.fitUserFields()
	s.fitTotal()
	if s.SaleCost != "" && !s.IsSale {
		return invalid("sale_cost_without_sale", "sale_cost is sent without is_sale: only a sale has a cost")
	}
	if s.Name == "" && s.Email == "" && s.Phone == "" && strings.TrimSpace(s.Message) == "" && len(s.UserFields) == 0 && !s.IsSale && s.Call == 0 {
		return invalid("empty", "nothing is filled: a lead needs a name, email, phone, message, user field, or to be a sale")
	}
	return nil
}

// Size is how many bytes of texts it has.
func (s *Submission) Size() int {
	size := s.contacts() + len(s.Message)
	for name, value := range s.UserFields {
		size += len(name) + len(value)
	}
	return size
}

// contacts are how many bytes the texts have that are never cut to make room.
func (s *Submission) contacts() int {
	return len(s.Name) + len(s.Email) + len(s.Phone) + len(s.FormName)
}

// Shorten cuts the message and the user fields to a few lines, of a kilobyte in all, and notes it: for a visitor of
// whom, or a site of which, more was stored today than may be. The lead and its contacts are kept whole.
func (s *Submission) Shorten() (err error) {
	if s.content, err = s.Content(); err != nil {
		return err
	}
	s.Message = quota.Shortened(s.Message)
	for name, value := range s.UserFields {
		s.UserFields[name] = quota.Shortened(value)
	}
	s.cutTo(s.contacts() + quota.UsualText)
	s.note("message", "over_quota", "more was sent today than is stored; the message and the user fields are cut")
	return nil
}

// Content is a hash of all that was sent. It is the same for submissions that say the same.
func (s *Submission) Content() (string, error) {
	if s.content != "" {
		return s.content, nil
	}
	content, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("comparing a lead with earlier ones: %w", err)
	}
	hash := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(hash[:]), nil
}

// fit is the text without NUL, in UTF-8, and cut between characters to limit bytes.
func (s *Submission) fit(field, text string, limit int) string {
	clean := strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\ufffd")
	if clean != text {
		s.note(field, "malformed_text", "%s holds NUL characters, or is not UTF-8; they are taken away, or replaced", field)
	}
	if len(clean) > limit {
		s.note(field, "too_long", "%s is longer than %d bytes; it is cut", field, limit)
		clean = clip.Text(clean, limit)
	}
	return clean
}

func (s *Submission) fitUserFields() {
	if len(s.UserFields) == 0 {
		return
	}
	fitting, tried := make(map[string]string, len(s.UserFields)), make(map[string]int)
	for _, name := range slices.Sorted(maps.Keys(s.UserFields)) {
		value := s.fit("user_fields", s.UserFields[name], maxText)
		if value == "" {
			continue
		}
		if len(fitting) == MaxUserFields {
			s.note("user_fields", "too_long", "a lead holds at most %d user fields; the others are left out", MaxUserFields)
			break
		}
		name = s.fit("user_fields", name, MaxShort)
		free, next := freeFrom(fitting, name, tried[name]) // many long names may be cut to the same
		fitting[free], tried[name] = value, next
	}
	s.UserFields = fitting
}

// fitTotal has all texts together be no longer than a lead may be.
func (s *Submission) fitTotal() {
	for _, field := range s.cutTo(maxText) {
		s.note(field, "too_long", "the lead is longer than %d bytes in all; %s is cut", maxText, field)
	}
}

// cutTo cuts the longest of the message and the user fields until all texts together are no longer than most, which the
// contacts are not. It returns which it has cut.
func (s *Submission) cutTo(most int) (fields []string) {
	for total := s.Size(); total > most; {
		longest, field := len(s.Message), "message"
		of := "" // the user field
		for _, name := range slices.Sorted(maps.Keys(s.UserFields)) {
			if n := len(s.UserFields[name]); n > longest {
				longest, field, of = n, "user_fields", name
			}
		}
		fields = append(fields, field)
		keep := max(0, longest-(total-most))
		if field == "message" {
			s.Message = clip.Text(s.Message, keep)
			total += len(s.Message) - longest
			continue
		}
		value := clip.Text(s.UserFields[of], keep)
		total += len(value) - longest
		if s.UserFields[of] = value; value == "" {
			delete(s.UserFields, of)
			total -= len(of)
		}
	}
	return fields
}
