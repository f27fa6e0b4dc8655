package conversion

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// subject is what a delivery is about, as it is now.
type subject struct {
	kind string
	id   int64
	gone bool // erased
	// goals are those that it meets; none where it is spam, or has been erased.
	goals   []platform.Goal
	value   string // of a sale
	visitor visit.ID
	page    string

	email, phone string
	talk, wait   int64
	first        bool
}

// subjectOf reads what the delivery is about. One that has been erased meets no goal.
func (c *Conversions) subjectOf(ctx context.Context, r notify.Delivery) (s subject, err error) {
	s = subject{kind: ofLead, id: r.Subject, talk: telephony.Untold, wait: telephony.Untold}
	switch r.Event {
	case notify.CallEnded:
		s.kind = ofCall
		called, err := c.Calls.Get(ctx, r.SiteID, r.Subject)
		switch {
		case errors.Is(err, call.ErrUnknown):
			s.gone = true
			return s, nil
		case err != nil:
			return s, err
		}
		s.ofCall(called)
	case notify.ChatBegun:
		s.kind = ofConversation
		conversation, err := c.Chats.Get(ctx, r.SiteID, r.Subject)
		switch {
		case errors.Is(err, chat.ErrUnknown):
			s.gone = true
			return s, nil
		case err != nil:
			return s, err
		}
		if s.visitor, s.page = conversation.Visitor, conversation.URL; conversation.Unasked == 0 {
			s.goals = []platform.Goal{platform.Chat}
		}
	default:
		l, err := c.Leads.Get(ctx, r.SiteID, r.Subject)
		switch {
		case errors.Is(err, lead.ErrUnknown):
			s.gone = true
			return s, nil
		case err != nil:
			return s, err
		}
		s.ofLead(l)
	}
	return s, nil
}

func (s *subject) ofCall(c call.Call) {
	s.visitor, s.phone, s.first, s.goals = c.Visitor, c.Caller, c.First, []platform.Goal{platform.Call}
	if c.Status == telephony.Answered || c.Status == "" && !c.AnsweredAt.IsZero() {
		s.goals = append(s.goals, platform.Answered)
	}
	if talked, known := c.Talked(); known {
		s.talk = int64(talked / time.Second)
	}
	if waited, known := c.Waited(); known {
		s.wait = int64(waited / time.Second)
	}
}

func (s *subject) ofLead(l lead.Lead) {
	s.visitor, s.page, s.email, s.phone = l.Visitor, l.URL, l.Email, l.PhoneDigits
	if l.State == lead.Spam {
		return
	}
	if isLead(l.Origin) {
		s.goals = append(s.goals, platform.Lead)
	}
	if l.IsSale {
		s.goals, s.value = append(s.goals, platform.Sale), l.SaleCost
	}
}

// looks reports whether the event is about the goal.
func looks(event notify.Event, goal platform.Goal) bool {
	return event == notify.GivenBack || slices.Contains(eventsOf[goal], event)
}

// Send sends the delivery to the endpoint.
func (c *Conversions) Send(ctx context.Context, e notify.Endpoint, r notify.Delivery) (int, error) {
	p, to := c.platforms[e.Kind], Of(e)
	if r.Event == notify.Test {
		return p.Send(ctx, to, []platform.Conversion{c.sample(to, r)})
	}
	s, err := c.subjectOf(ctx, r)
	if err != nil {
		return 0, err
	}
	has, err := c.counting(ctx, e, s)
	if err != nil {
		return 0, err
	}
	if r.Event == notify.TakenBack {
		return c.takeBack(ctx, e, s, has)
	}
	if s.gone {
		return 0, attempt.Skip{}
	}
	var what []platform.Conversion
	var other error = attempt.Skip{Reason: attempt.Unmet}
	for _, goal := range s.goals {
		if !looks(r.Event, goal) || to.Names[goal] == "" {
			continue
		}
		one := platform.Conversion{Goal: goal, Name: to.Names[goal], ID: platform.IDOf(r.Entry, goal), At: r.At, Talk: s.talk, Wait: s.wait, First: s.first}
		if goal == platform.Sale && to.Currency != "" && s.value != "" {
			one.Value, one.Currency = s.value, to.Currency
		}
		i := slices.IndexFunc(has, func(had receipt) bool { return had.Goal == goal && had.Entry != r.Entry })
		switch {
		case i < 0:
		case has[i].Value == one.Value && has[i].Currency == one.Currency:
			other = attempt.Skip{Reason: attempt.Twice}
			continue
		default:
			if done, err := c.revise(ctx, e, s, has[i], one); done || err != nil {
				return 0, err
			}
		}
		what = append(what, one)
	}
	switch {
	case len(what) == 0:
		return 0, other
	case s.visitor == 0:
		return 0, attempt.Skip{Reason: attempt.NoVisitor}
	}
	if err := c.fill(ctx, e, to, s, what); err != nil {
		return 0, err
	}
	status, err := p.Send(ctx, to, what)
	if err == nil {
		err = c.keep(ctx, e, r, s, what)
	}
	return status, err
}

// revise has the platform know that a conversion has another value. done is false where the old one is taken back, and the
// new one is to be sent.
func (c *Conversions) revise(ctx context.Context, e notify.Endpoint, s subject, old receipt, now platform.Conversion) (done bool, err error) {
	if IsFetched(e.Kind) {
		return true, c.mark(ctx, e, old, `value = $5, currency = $6, revised_at = $7`, now.Value, now.Currency, c.now().UnixMilli())
	}
	if _, err := c.take(ctx, e, s, old); err != nil {
		return false, err
	}
	return false, c.mark(ctx, e, old, `taken_at = $5`, c.now().UnixMilli())
}

// takeBack has the platform know which conversions of the subject count no more.
func (c *Conversions) takeBack(ctx context.Context, e notify.Endpoint, s subject, has []receipt) (status int, err error) {
	var stays error = attempt.Skip{Reason: attempt.NothingTo}
	some := false
	for _, had := range has {
		if slices.Contains(s.goals, had.Goal) {
			continue
		}
		taken, err := c.take(ctx, e, s, had)
		if skip, is := errors.AsType[attempt.Skip](err); is {
			stays = skip
		} else if err != nil {
			return taken, err
		} else {
			status, some = taken, true
		}
		if err := c.mark(ctx, e, had, `taken_at = $5`, c.now().UnixMilli()); err != nil {
			return status, err
		}
	}
	if !some {
		return 0, stays
	}
	return status, nil
}

// take has the platform take a conversion back.
func (c *Conversions) take(ctx context.Context, e notify.Endpoint, s subject, had receipt) (int, error) {
	to := Of(e)
	one := platform.Conversion{Goal: had.Goal, Name: to.Names[had.Goal], ID: had.ID(), At: c.now(), Value: had.Value, Currency: had.Currency}
	if s.visitor != 0 {
		ids, err := c.Clients.Get(ctx, e.SiteID, s.visitor)
		if err != nil {
			return 0, err
		}
		one.IDs = ids
	}
	return c.platforms[e.Kind].TakeBack(ctx, to, one)
}

// visits are how many of a visitor's last visits are looked at for a click, and clicked is how old one may be.
const (
	visits  = 50
	clicked = FeedDays * 24 * time.Hour // an id that fills its column may have been cut
)

// fill completes the conversions by what is known of the visitor.
func (c *Conversions) fill(ctx context.Context, e notify.Endpoint, to platform.Destination, s subject, what []platform.Conversion) error {
	ids, err := c.Clients.Get(ctx, e.SiteID, s.visitor)
	if err != nil {
		return err
	}
	begun, err := c.Visits.Lately(ctx, e.SiteID, s.visitor, what[0].At, visits)
	if err != nil {
		return err
	}
	page := s.page
	if page == "" {
		key, err := c.Sites.Key(ctx, e.SiteID)
		if err != nil {
			return err
		}
		page = "https://" + key + "/"
	}
	click, clicks := clicksOf[e.Kind]
	for i := range what {
		one := &what[i]
		one.IDs, one.Page = ids, page
		if len(begun) > 0 {
			one.UserAgent = begun[0].UserAgent
		}
		for _, b := range begun {
			if !clicks {
				break
			}
			if b.ClickIDName == click.name && len(b.ClickID) < source.MaxText && one.At.Sub(b.At) < clicked && click.form.MatchString(b.ClickID) {
				one.Click, one.ClickedAt = b.Source, b.At
				break
			}
		}
		if to.Hashed {
			one.Email, one.Phone = strings.TrimSpace(s.email), s.phone
		}
	}
	return nil
}

// sample is a conversion that is made up.
func (c *Conversions) sample(to platform.Destination, r notify.Delivery) platform.Conversion {
	one := platform.Conversion{
		ID: platform.IDOf(r.Entry, "test"), At: r.At, Test: true, Page: "https://example.com/", UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		IDs:  client.IDs{GA: "1000000000.1700000000", YM: "1700000000100000000", FBP: "fb.1.1700000000000.1000000000", PK: "0123456789abcdef"},
		Talk: telephony.Untold, Wait: telephony.Untold,
	}
	for _, goal := range platform.Goals {
		if name := to.Names[goal]; name != "" {
			one.Goal, one.Name = goal, name
			break
		}
	}
	if one.Goal == platform.Sale && to.Currency != "" {
		one.Value, one.Currency = "1.00", to.Currency
	}
	return one
}
