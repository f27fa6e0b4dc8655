// Package ga4 sends conversions to Google Analytics 4, by the Measurement Protocol
// (https://developers.google.com/analytics/devguides/collection/protocol/ga4/reference).
package ga4

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/notify/webhook"
)

// Base is where Google takes events.
const Base = "https://www.google-analytics.com"

// oldest is how long ago an event may have happened: 72 hours, less what an attempt may take.
const oldest = 72*time.Hour - time.Minute

// Names are what GA4 recommends.
var Names = map[platform.Goal]string{
	platform.Lead: "generate_lead", platform.Sale: "purchase", platform.Call: "phone_call", platform.Answered: "phone_call_answered", platform.Chat: "chat_started",
}

// GA4 is the platform.
type GA4 struct {
	Base   string
	Poster *webhook.Poster
	Now    func() time.Time
}

var (
	measurementID = regexp.MustCompile(`^G-[A-Z0-9]{4,16}$`)
	secret        = regexp.MustCompile(`^[A-Za-z0-9_-]{8,100}$`)
	eventName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)
	// reserved begin names that Google keeps for itself, beside a list of names.
	reserved      = []string{"_", "firebase_", "ga_", "google_", "gtag."}
	reservedNames = map[string]bool{"app_remove": true, "app_store_refund": true, "app_store_subscription_cancel": true, "app_store_subscription_renew": true, "error": true, "first_open": true, "first_visit": true,
		"in_app_purchase": true, "session_start": true, "session_start_with_rollout": true, "user_engagement": true, "refund": true}
)

// Check returns the name of the field that is wrong, or the empty string.
func (g *GA4) Check(d platform.Destination) string {
	switch {
	case !measurementID.MatchString(d.Address):
		return "address"
	case !secret.MatchString(d.Credential):
		return "credential"
	}
	for _, name := range d.Names {
		if !eventName.MatchString(name) || reservedNames[name] {
			return "names"
		}
		for _, begin := range reserved {
			if strings.HasPrefix(name, begin) {
				return "names"
			}
		}
	}
	return ""
}

type message struct {
	ClientID  string  `json:"client_id"`
	Timestamp int64   `json:"timestamp_micros"`
	Events    []event `json:"events"`
}

type event struct {
	Name   string `json:"name"`
	Params params `json:"params"`
}

type params struct {
	// Session and Engagement are needed for an event to be shown in realtime, and with the session in which it happened.
	Session     string      `json:"session_id,omitempty"`
	Engagement  int         `json:"engagement_time_msec"`
	Transaction string      `json:"transaction_id,omitempty"`
	Value       json.Number `json:"value,omitempty"`
	Currency    string      `json:"currency,omitempty"`
	Page        string      `json:"page_location,omitempty"`
	Debug       int         `json:"debug_mode,omitempty"`
}

// maxParam bounds the texts of parameters, in characters. That of page_location may have more.
const maxPage = 1000

// Send sends the conversions in one message.
func (g *GA4) Send(ctx context.Context, to platform.Destination, what []platform.Conversion) (int, error) {
	var m message
	for _, c := range what {
		e := event{Name: c.Name, Params: params{Session: c.IDs.Session(to.Address), Engagement: 1, Page: c.Page}}
		if len(c.Page) > maxPage {
			e.Params.Page = ""
		}
		if c.Goal == platform.Sale {
			e.Params.Transaction = c.ID
		}
		e.Params.Value, e.Params.Currency = json.Number(c.Value), c.Currency
		if c.Test {
			e.Params.Debug = 1
		}
		m.ClientID, m.Timestamp = c.IDs.GA, c.At.UnixMicro()
		m.Events = append(m.Events, e)
	}
	switch {
	case m.ClientID == "":
		return 0, attempt.Skip{Reason: attempt.NoID}
	case g.Now().Sub(what[0].At) > oldest:
		return 0, &attempt.Failure{Reason: attempt.Late, Never: true}
	}
	if what[0].Test {
		if err := g.validate(ctx, to, m); err != nil {
			return 0, err
		}
	}
	status, _, err := g.post(ctx, to, "/mp/collect", m)
	return status, err
}

// TakeBack sends a refund of a sale, which Google finds by the id. Other events stay.
func (g *GA4) TakeBack(ctx context.Context, to platform.Destination, c platform.Conversion) (int, error) {
	switch {
	case c.Goal != platform.Sale:
		return 0, platform.Stays
	case c.IDs.GA == "":
		return 0, attempt.Skip{Reason: attempt.NoID}
	}
	status, _, err := g.post(ctx, to, "/mp/collect", message{ClientID: c.IDs.GA, Timestamp: c.At.UnixMicro(), Events: []event{
		{Name: "refund", Params: params{Session: c.IDs.Session(to.Address), Engagement: 1, Transaction: c.ID, Value: json.Number(c.Value), Currency: c.Currency}},
	}})
	return status, err
}

// validate asks Google what is wrong with the message. Where events are taken, nothing is ever said to be wrong.
func (g *GA4) validate(ctx context.Context, to platform.Destination, m message) error {
	status, answer, err := g.post(ctx, to, "/debug/mp/collect", m)
	if err != nil {
		return err
	}
	var said struct {
		Messages []struct {
			Field       string `json:"fieldPath"`
			Description string `json:"description"`
			Code        string `json:"validationCode"`
		} `json:"validationMessages"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return &attempt.Failure{Reason: attempt.Status, Status: status}
	}
	if len(said.Messages) > 0 {
		first := said.Messages[0]
		return platform.Refused(status, fmt.Sprintf("%s %s: %s", first.Code, first.Field, first.Description))
	}
	return nil
}

func (g *GA4) post(ctx context.Context, to platform.Destination, path string, m message) (int, []byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return 0, nil, err
	}
	address := g.Base + path + "?" + url.Values{"measurement_id": {to.Address}, "api_secret": {to.Credential}}.Encode()
	status, answer, err := g.Poster.Exchange(ctx, address, "application/json", body)
	if status == http.StatusForbidden || status == http.StatusUnauthorized {
		err = platform.Refused(status, "")
	}
	return status, answer, err
}
