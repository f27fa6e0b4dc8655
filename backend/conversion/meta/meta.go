// Package meta sends conversions to Meta, by the Conversions API
// (https://developers.facebook.com/docs/marketing-api/conversions-api/parameters).
package meta

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/notify/webhook"
)

// Base is where Meta takes events. A version of the Graph API is good for two years at least.
const Base = "https://graph.facebook.com/v24.0"

// oldest is how long ago an event may have happened: seven days, less what an attempt may take.
const oldest = 7*24*time.Hour - time.Minute

// Names are Meta's own names of such events. An answered call has none.
var Names = map[platform.Goal]string{platform.Lead: "Lead", platform.Sale: purchase, platform.Call: "Contact", platform.Chat: "Contact"}

// purchase is an event that has to have a value.
const purchase = "Purchase"

// Meta is the platform.
type Meta struct {
	Base   string
	Poster *webhook.Poster
	Now    func() time.Time
}

var (
	pixel     = regexp.MustCompile(`^[0-9]{5,20}$`)
	token     = regexp.MustCompile(`^[A-Za-z0-9_|.-]{20,500}$`)
	eventName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_ ]{0,49}$`)
	testCode  = regexp.MustCompile(`^[A-Za-z0-9_]{0,40}$`)
)

// Check returns the name of the field that is wrong, or the empty string.
func (m *Meta) Check(d platform.Destination) string {
	switch {
	case !pixel.MatchString(d.Address):
		return "address"
	case !token.MatchString(d.Credential):
		return "credential"
	case !testCode.MatchString(d.TestCode):
		return "test_code"
	}
	for _, name := range d.Names {
		if !eventName.MatchString(name) {
			return "names"
		}
		if name == purchase && d.Currency == "" {
			return "currency"
		}
	}
	return ""
}

type message struct {
	Data  []event `json:"data"`
	Token string  `json:"access_token"`
	Test  string  `json:"test_event_code,omitempty"`
}

type event struct {
	Name   string  `json:"event_name"`
	Time   int64   `json:"event_time"`
	ID     string  `json:"event_id"`
	Source string  `json:"action_source"`
	URL    string  `json:"event_source_url,omitempty"`
	User   user    `json:"user_data"`
	Custom *custom `json:"custom_data,omitempty"`
}

type user struct {
	Emails []string `json:"em,omitempty"`
	Phones []string `json:"ph,omitempty"`
	Agent  string   `json:"client_user_agent,omitempty"`
	Click  string   `json:"fbc,omitempty"`
	Pixel  string   `json:"fbp,omitempty"`
}

type custom struct {
	Value    json.Number `json:"value"`
	Currency string      `json:"currency"`
}

// sources say where a goal was met.
var sources = map[platform.Goal]string{platform.Lead: "website", platform.Sale: "website", platform.Call: "phone_call", platform.Answered: "phone_call", platform.Chat: "chat"}

// Send sends the conversions in one message.
func (m *Meta) Send(ctx context.Context, to platform.Destination, what []platform.Conversion) (int, error) {
	first := what[0]
	if first.Test && to.TestCode == "" { // it would count
		return 0, platform.Refused(0, "test_event_code is missing")
	}
	u := userOf(first)
	switch {
	case len(u.Emails)+len(u.Phones) == 0 && u.Click == "" && u.Pixel == "":
		return 0, attempt.Skip{Reason: attempt.NoID}
	case m.Now().Sub(first.At) > oldest:
		return 0, &attempt.Failure{Reason: attempt.Late, Never: true}
	}
	sent := message{Token: to.Credential}
	if first.Test {
		sent.Test = to.TestCode
	}
	for _, c := range what {
		e := event{Name: c.Name, Time: c.At.Unix(), ID: c.ID, Source: sources[c.Goal], User: u}
		if e.Source == "website" {
			e.URL = c.Page
		}
		if c.Currency != "" || c.Name == purchase {
			e.Custom = &custom{json.Number(cmp.Or(c.Value, "0")), cmp.Or(c.Currency, to.Currency)}
		}
		sent.Data = append(sent.Data, e)
	}
	body, err := json.Marshal(sent)
	if err != nil {
		return 0, err
	}
	status, answer, err := m.Poster.Exchange(ctx, m.Base+"/"+to.Address+"/events", "application/json", body)
	var f *attempt.Failure
	if errors.As(err, &f) && f.Status != 0 {
		err = refusal(f, answer, to.Credential)
	}
	return status, err
}

// refusal is what Meta says of a failure, which is for good unless it says otherwise
// (https://developers.facebook.com/docs/graph-api/guides/error-handling).
func refusal(f *attempt.Failure, answer []byte, token string) error {
	var said struct {
		Error struct {
			Message   string `json:"message"`
			Code      int    `json:"code"`
			Transient bool   `json:"is_transient"`
		} `json:"error"`
	}
	if f.Status >= 500 || json.Unmarshal(answer, &said) != nil || said.Error.Message == "" {
		return f
	}
	switch said.Error.Code {
	case 1, 2, 4, 17, 341, 613: // it has a trouble of its own, or there were too many
		said.Error.Transient = true
	}
	if said.Error.Transient {
		f.Away = true
		return f
	}
	return platform.Refused(f.Status, strings.ReplaceAll(fmt.Sprintf("%d %s", said.Error.Code, said.Error.Message), token, "…"))
}

// TakeBack is nothing that Meta has.
func (m *Meta) TakeBack(context.Context, platform.Destination, platform.Conversion) (int, error) {
	return 0, platform.Stays
}

func userOf(c platform.Conversion) user {
	u := user{Agent: c.UserAgent, Click: c.IDs.FBC, Pixel: c.IDs.FBP}
	if u.Click == "" && c.Click.ClickID != "" {
		u.Click = fmt.Sprintf("fb.1.%d.%s", c.ClickedAt.UnixMilli(), c.Click.ClickID)
	}
	if email := strings.ToLower(strings.TrimSpace(c.Email)); email != "" {
		u.Emails = []string{hash(email)}
	}
	if c.Phone != "" {
		u.Phones = []string{hash(c.Phone)}
	}
	return u
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
