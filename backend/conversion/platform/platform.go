// Package platform says what a conversion is, and what is asked of a platform to which conversions are sent.
package platform

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Goal is what a visitor has done.
type Goal string

// The goals.
const (
	Lead     Goal = "lead"
	Sale     Goal = "sale"
	Call     Goal = "call"     // a telephone call, answered or not
	Answered Goal = "answered" // a telephone call that somebody has answered
	Chat     Goal = "chat"     // the first message of a conversation
)

// Goals are all of them.
var Goals = []Goal{Lead, Sale, Call, Answered, Chat}

// Destination is where conversions go: an account of a platform.
type Destination struct {
	// Address is the measurement id, the pixel id, the URL of a Matomo, or the login of whoever fetches.
	Address string
	// Credential is the secret of the API, or the hash of the password of whoever fetches.
	Credential string
	Settings
}

// Settings are what an admin has set for a destination.
type Settings struct {
	// Names are what the platform calls the goals: the name of an event, or the number of a goal. What is not named is not
	// sent.
	Names map[Goal]string `json:"names"`
	// Currency is that of sums, in three letters (ISO 4217); empty sends no sums.
	Currency string `json:"currency,omitempty"`
	// Site is the number of the site in Matomo.
	Site string `json:"site,omitempty"`
	// Hashed has hashes of the e-mail and the phone sent to Meta.
	Hashed bool `json:"hashed,omitempty"`
	// TestCode is by which Meta shows test events.
	TestCode string `json:"test_code,omitempty"`
}

// Conversion is what a visitor has done, for one destination.
type Conversion struct {
	Goal Goal
	// Name is what the destination calls the goal.
	Name string
	// ID is the same, however often the conversion is sent, and names nobody.
	ID string
	At time.Time
	// Value is a decimal with a point, such as "1500.50", and Currency its currency; both empty where there is none.
	Value, Currency string

	// IDs are those of the visitor's browser.
	IDs client.IDs
	// Click is what has brought the visitor with a click id, and ClickedAt when; zero where nothing has.
	Click     source.Source
	ClickedAt time.Time
	UserAgent string
	// Page is the address of the page where it happened; of a call, that of the site.
	Page string
	// Email and Phone are the visitor's, the phone as digits in international form. They are empty unless the destination
	// wants their hashes.
	Email, Phone string
	// Talk and Wait are how long a call took, in seconds, -1 where that is not known. First: no earlier call is known.
	Talk, Wait int64
	First      bool
	// Test: it is made up, to try the destination out.
	Test bool
}

// Platform sends conversions. Its errors are an [attempt.Failure] or an [attempt.Skip].
type Platform interface {
	// Check returns the name of the field that is wrong, address, credential, names or site, or the empty string.
	Check(d Destination) (wrong string)
	// Send sends conversions of one subject, all or none.
	Send(ctx context.Context, to Destination, what []Conversion) (status int, err error)
	// TakeBack says that a conversion counts no more. Of it the goal, name, id, value and the ids of the browser are set,
	// and At is now. An [attempt.Skip] says that the platform takes back no such thing.
	TakeBack(ctx context.Context, to Destination, what Conversion) (status int, err error)
}

// maxDetail bounds, in bytes, what is kept of a platform's words.
const maxDetail = 200

// Refused is the failure that the platform has refused what was sent, or the credentials, in its words.
func Refused(status int, words string) error {
	return &attempt.Failure{Reason: attempt.Refused, Status: status, Detail: words[:min(len(words), maxDetail)], Never: true}
}

// Stays is what TakeBack returns where a platform takes nothing back.
var Stays = attempt.Skip{Reason: attempt.Stays}

// IDOf is the id of a conversion of the journal's entry.
func IDOf(entry int64, goal Goal) string { return fmt.Sprintf("fd-%d-%s", entry, goal) }
