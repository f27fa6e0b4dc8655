package caddymodule

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

// diallers are the configured platforms that call people, with their placeholders resolved. The
// first is taken where a site names none. A platform that has to tell by itself what becomes of
// an order is given [backend.Service.Progress] when it is made.
func (t *Telephony) diallers(from placeholder.Places) ([]telephony.Dialler, error) {
	var diallers []telephony.Dialler
	if t == nil {
		return nil, nil
	}
	if t.Webhook != nil && t.Webhook.URL != "" {
		webhook, err := t.Webhook.orders(from)
		if err != nil {
			return nil, err
		}
		diallers = append(diallers, webhook)
	}
	if t.Twilio != nil {
		if err := t.Twilio.checkOrders(); err != nil {
			return nil, err
		}
		if t.Twilio.From != "" {
			twilio, err := t.Twilio.orders()
			if err != nil {
				return nil, from.At(t.Twilio.AuthToken, fmt.Errorf("telephony twilio: %w", err))
			}
			diallers = append(diallers, twilio)
		}
	}
	return diallers, nil
}

func (w *TelephonyWebhook) orders(from placeholder.Places) (telephony.Dialler, error) {
	address, err := placeholder.Fill(w.URL)
	if err != nil {
		return nil, from.At(w.URL, fmt.Errorf("telephony webhook: %w", err))
	}
	secrets := make([]string, len(w.Secrets))
	for i, secret := range w.Secrets {
		if secrets[i], err = placeholder.Fill(secret); err != nil {
			return nil, from.At(secret, fmt.Errorf("telephony webhook: secret: %w", err))
		}
	}
	orders, err := telephony.NewWebhookOrders(address, time.Now, secrets...)
	if err != nil {
		return nil, from.At(w.URL, fmt.Errorf("telephony webhook: %w", err))
	}
	return orders, nil
}

// checkOrders refuses half of what orders need.
func (t *TelephonyTwilio) checkOrders() error {
	if (t.From == "") != (t.Address == "") {
		return errors.New("telephony twilio: from and address are needed together, for callbacks")
	}
	return nil
}

func (t *TelephonyTwilio) orders() (telephony.Dialler, error) {
	values := []string{t.Account, t.AuthToken, t.From, t.Address, cmp.Or(t.API, telephony.TwilioAPI)}
	for i, value := range values {
		var err error
		if values[i], err = placeholder.Fill(value); err != nil {
			return nil, err
		}
	}
	return telephony.NewTwilioOrders(values[0], values[1], values[2], values[3], values[4])
}
