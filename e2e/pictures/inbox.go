package main

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// working has two operators work on the leads of the day, by their names; at is the clock.
func working(ctx context.Context, leads *lead.Leads, operators *operator.Operators, siteID int64, made map[string]lead.Lead, began time.Time, at *time.Time) error {
	created, err := operators.Create(ctx, operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Name: "Boris Klein", Password: password, Role: operator.Agent})
	if err != nil {
		return err
	}
	boris, vera := lead.By{ID: created.ID, Login: "boris"}, lead.By{ID: 1, Login: login}
	anna := made["Anna Petrova"].Key()
	var calls, asks lead.Lead
	for _, earlier := range []struct {
		lead *lead.Lead
		ago  time.Duration
		sent submission.Submission
	}{
		{&calls, 22 * time.Hour, submission.Submission{Name: "Anna P.", Phone: "+7 (495) 555-0167", Message: "Do you have the Arc lamp in brass?", FormName: "Callback", Origin: lead.Form}},
		{&asks, 28 * time.Hour, submission.Submission{Name: "Anna", Email: "anna@mail.example", Message: "Please send me your catalogue", FormName: "Ask us", Origin: lead.Server}},
	} {
		*at = began.Add(-earlier.ago)
		earlier.sent.SiteID, earlier.sent.Region = siteID, "RU"
		if *earlier.lead, _, err = leads.Add(ctx, earlier.sent); err != nil {
			return err
		}
	}
	for _, deed := range []struct {
		ago time.Duration
		do  func() error
	}{
		{18 * time.Hour, func() error { return leads.SetState(ctx, vera, made["Pavel Orlov"].Key(), lead.Done) }},
		{2 * time.Hour, func() error {
			return leads.Give(ctx, boris, made["Bureau Nord"].Key(), lead.By{}, boris)
		}},
		{13 * time.Minute, func() error { return leads.Merge(ctx, boris, anna, calls.ID) }},
		{12 * time.Minute, func() error { return leads.Give(ctx, boris, anna, lead.By{}, boris) }},
		{11 * time.Minute, func() error {
			return leads.AddNote(ctx, boris, anna, "Arc is in stock in brass and black.\nShe wants both delivered to Tver on Saturday before noon: ask the warehouse.")
		}},
		{10 * time.Minute, func() error { return leads.SetTags(ctx, boris, anna, []string{"Saturday", "delivery"}) }},
		{9 * time.Minute, func() error { return leads.SetSale(ctx, boris, anna, true, "48,500") }},
		{5 * time.Minute, func() error { return leads.Give(ctx, boris, anna, boris, vera) }},
	} {
		*at = began.Add(-deed.ago)
		if err := deed.do(); err != nil {
			return err
		}
	}
	return nil
}
