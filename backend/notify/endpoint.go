package notify

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/notify/template"
	"github.com/seed-3405227d/frontdesk/backend/notify/webhook"
	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/locales"
)

// Kind is how an endpoint is reached.
type Kind string

// The kinds.
const (
	Webhook Kind = "webhook"
	Mail    Kind = "mail"
)

const (
	// MaxEndpoints bounds the endpoints of a site.
	MaxEndpoints = 20
	// EarlierHolds is how long an earlier secret signs beside the one that has taken its place.
	EarlierHolds = 7 * 24 * time.Hour
)

// Endpoint is where a site's news goes.
type Endpoint struct {
	SiteID, ID int64
	Kind       Kind
	// Address is the URL of a webhook, or an address of mail such as "desk@shop.example".
	Address string
	// Events are those that it is told of; at least one.
	Events []Event
	// Language is that of texts: of mails, and of what templates are filled with.
	Language string
	// Subject is the template of a mail's subject, empty for the usual one; see [template.Check].
	Subject string
	// Template is that of a mail's text, empty for the usual one, or of a webhook's body, empty for the event as JSON.
	Template string
	// ContentType is that of a webhook's own template.
	ContentType string
	// Settings are what an [Outlet] keeps of the endpoint, as JSON; empty for webhooks and mails.
	Settings string
	// Credential is what an outlet proves itself by. It is not shown to anybody. In a change, empty leaves it as it is.
	Credential string

	// Version counts the changes, from 1.
	Version   int64
	CreatedAt time.Time
	// PausedAt is since when nothing is sent; what happens meanwhile waits. Zero while it
	// is sent. Gone: the receiver has answered that it is no more.
	PausedAt time.Time
	Gone     bool
	// EarlierUntil is until when the earlier secret signs beside the secret.
	EarlierUntil time.Time

	secret, earlier string
	begun           bool
}

// Host is where the endpoint is, without what may be a secret: tokens stand in paths.
func (e Endpoint) Host() string {
	if e.Kind == Mail {
		return e.Address
	}
	u, err := url.Parse(e.Address)
	switch {
	case e.IsOut() && (err != nil || u.Host == ""):
		return e.Address // an id
	case err != nil:
		return ""
	}
	return u.Host
}

// Secret is what signs its messages, or what an outlet proves itself by. It is not shown to anybody.
func (e Endpoint) Secret() string { return e.secret }

// IsOut reports whether an [Outlet] sends to the endpoint.
func (e Endpoint) IsOut() bool { return e.Kind.isOut() }

func (k Kind) isOut() bool { return k != Webhook && k != Mail }

// keys are those that sign now.
func (e Endpoint) keys(now time.Time) (signature.Keys, error) {
	if e.earlier != "" && now.Before(e.EarlierUntil) {
		return signature.Parse(e.secret, e.earlier)
	}
	return signature.Parse(e.secret)
}

// Invalid says what is wrong with an endpoint.
type Invalid struct {
	// Field is address, events, subject, template, content_type or language.
	Field string
	// Code is a word for programs, such as "private".
	Code string
	Err  error
}

func (i *Invalid) Error() string { return i.Field + ": " + i.Err.Error() }

// Unwrap is the error without the field's name.
func (i *Invalid) Unwrap() error { return i.Err }

// Check returns an [Invalid] for the first thing that is wrong. allowed are as in [Settings].
func (e Endpoint) Check(allowed []netip.Prefix) error {
	switch e.Kind {
	case Webhook:
		if code, err := webhook.CheckURL(e.Address, allowed); err != nil {
			return &Invalid{"address", code, err}
		}
		if e.Template != "" && !slices.Contains(template.ContentTypes, e.ContentType) {
			return &Invalid{"content_type", "content_type", fmt.Errorf("expected one of %s", strings.Join(template.ContentTypes, ", "))}
		}
		if e.Subject != "" {
			return &Invalid{"subject", "subject", errors.New("a webhook has none")}
		}
	case Mail:
		if err := mail.CheckMailbox(e.Address); err != nil {
			return &Invalid{"address", "mailbox", err}
		}
		if e.ContentType != "" {
			return &Invalid{"content_type", "content_type", errors.New("a mail has none of its own")}
		}
		if err := template.Check(e.Subject, template.Subject); err != nil {
			return &Invalid{"subject", "template", err}
		}
	default:
		return &Invalid{"kind", "kind", fmt.Errorf("expected %s or %s", Webhook, Mail)}
	}
	if err := template.Check(e.Template, e.ContentType); err != nil {
		return &Invalid{"template", "template", err}
	}
	if len(e.Events) == 0 {
		return &Invalid{"events", "events", errors.New("expected one at least")}
	}
	for i, event := range e.Events {
		if !slices.Contains(Events, event) || slices.Contains(e.Events[:i], event) {
			return &Invalid{"events", "events", fmt.Errorf("%q is no event, or stands there twice", event)}
		}
	}
	if !slices.Contains(locales.Languages, e.Language) {
		return &Invalid{"language", "language", fmt.Errorf("expected one of %s", strings.Join(locales.Languages, ", "))}
	}
	return nil
}
