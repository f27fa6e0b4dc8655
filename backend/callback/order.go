package callback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Result is the answer to sitePhoneCall (browser interface, sections 2.7 and 7).
type Result struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
}

// The statuses.
const (
	Sent         = 0 // the call was sent to the platform, or will be at its time
	CaptchaWrong = 1
	NoScenario   = 2 // nobody can be called, or not this visitor
	Unreachable  = 3 // platform error
	TooMany      = 4
)

// The codes of results, in addition to those of unreadable requests and of failed callbacks.
const (
	CodeSent    = "sent"    // it is being called
	CodeLater   = "later"   // it is called at its time, or when somebody is there
	CodeCaptcha = "captcha" // the digits are wrong, or too old, or were tried before

	LimitMinute  = "limit_minute"  // the site's, of all visitors together
	LimitDay     = "limit_day"     // the site's
	LimitVisitor = "limit_visitor" // the visitor's
	LimitPhone   = "limit_phone"   // the number's
	LimitNetwork = "limit_network" // the network's
	LimitAddress = "limit_address" // the address's
)

const (
	// PerMinute limits the callbacks that the visitors of a site may request within a minute (browser interface,
	// section 8). Refused requests do not count.
	PerMinute = 10
	// perVisitor and perPhone limit the callbacks of a visitor, and to a number, within 24 hours. Those to a number
	// count on all sites, because the number may be a stranger's.
	perVisitor, perPhone = 10, 5
)

// Asked is a request with what is known about its sender.
type Asked struct {
	request.Request
	SiteID int64
	visit.Ref
	URL string
	// ID is chosen by the page for its request, which may arrive twice.
	ID string
	// Region is the country of numbers without a country code.
	Region string
	// Proof is that of the captcha's puzzle; see [captcha.Captchas.Proven].
	Proof string
	// Network is the client's network; empty if it is not known. See [pace.Truncated].
	Network string
}

// Order accepts a request for a callback and makes the call. It returns within the time of ctx, some seconds. An error
// means that the request could not be stored. A request that could not be called is kept all the same if it has a
// number.
func (c *Callbacks) Order(ctx context.Context, a Asked, s Settings) (Result, error) {
	made := Callback{
		SiteID: a.SiteID, State: Waiting, Origin: Page, Ref: a.Ref, URL: clip.Text(a.URL, maxURL), GroupID: a.GroupID, WantedAt: a.Time,
		Talk: telephony.Untold, delivery: fmt.Sprintf("%d:%s", a.Visitor, a.ID),
	}
	var err error
	if made.Phone, err = request.ReadPhone(a.Phone, a.Region); err != nil {
		code := request.WrongPhone
		if errors.Is(err, request.ErrType) {
			code = TypeNotAllowed
		}
		return Result{NoScenario, code}, nil
	}
	if s.AsksCaptcha() && !c.Captchas.Proven(a.SiteID, int64(a.Visitor), a.CaptchaKey, a.Proof) {
		return Result{CaptchaWrong, CodeCaptcha}, nil
	}
	refused, err := c.plan(ctx, &made, s, a.Region)
	if err != nil {
		return Result{}, err
	}
	result, earlier, err := c.take(ctx, &made, a, s, refused)
	if err != nil || earlier || made.State != CallingOperator {
		return result, err
	}
	return c.placeNow(ctx, made)
}

// maxURL is the size in bytes of a page's address.
const maxURL = 2000

// plan returns who is called, by which platform and when. refused is the reason why it is impossible, or empty.
func (c *Callbacks) plan(ctx context.Context, made *Callback, s Settings, region string) (refused string, err error) {
	made.Most, made.Pause, made.CallerID, made.Platform = s.most(), s.pause(), s.CallerID, s.Platform
	groups, err := c.Groups.Of(ctx, made.SiteID)
	if err != nil {
		return "", err
	}
	made.DueAt = made.WantedAt
	if made.DueAt.IsZero() {
		made.DueAt = c.now()
	}
	if group, is := answering(groups, made.GroupID, s.Phone, made.DueAt); is {
		if group.Phone != "" {
			made.Operator = group.Phone
		}
		opens, known := group.Opens(made.DueAt)
		if known {
			made.DueAt = opens
		}
	}
	made.Operator = cmp.Or(made.Operator, s.Phone)
	switch caller := c.dialler(s.Platform); {
	case s.IsOff():
		return Off, nil
	case made.Operator == "":
		return NobodyToCall, nil
	case caller == nil:
		return NoPlatform, nil
	default:
		made.Platform = caller.Name()
	}
	if made.Origin == Page && !slices.Contains(s.countries(region, made.Operator), contact.RegionOf(made.Phone)) {
		return CountryNotAllowed, nil
	}
	return "", nil
}

// answering returns the group to call: the requested one, or if the site has no number of its own, a group with a
// number. Groups that work at that time come first.
func answering(groups []group.Group, asked int64, phone string, at time.Time) (group.Group, bool) {
	if at := slices.IndexFunc(groups, func(g group.Group) bool { return g.ID == asked }); at >= 0 {
		return groups[at], true
	}
	if phone != "" {
		return group.Group{}, false
	}
	found := -1
	for i, g := range groups {
		if g.Phone == "" {
			continue
		}
		if g.Open(at) {
			return g, true
		}
		if found < 0 {
			found = i
		}
	}
	if found < 0 {
		return group.Group{}, false
	}
	return groups[found], true
}

// countries returns the countries whose numbers may be called.
func (s Settings) countries(region, operator string) []string {
	if len(s.Countries) > 0 {
		return s.Countries
	}
	var list []string
	for _, country := range []string{region, contact.RegionOf(operator)} {
		if country != "" {
			list = append(list, country)
		}
	}
	return list
}

// take checks the captcha and the limits and stores the callback, begun if it is due. earlier is true if the same
// request was accepted before.
func (c *Callbacks) take(ctx context.Context, made *Callback, a Asked, s Settings, refused string) (result Result, earlier bool, err error) {
	if made.ID, err = c.ids.Next(ctx); err != nil {
		return Result{}, false, fmt.Errorf("taking a callback: %w", err)
	}
	info, err := visit.Info{Phone: "+" + made.Phone, Region: a.Region}.Read()
	if err != nil {
		return Result{}, false, fmt.Errorf("taking a callback: %w", err)
	}
	begun, network, digits := *made, c.network(a), captcha.Read(a.CaptchaValue)
	err = c.DB.Attempt(ctx, int64(a.Visitor), func(ctx context.Context, tx db.Tx) error {
		*made, earlier = begun, false
		now := c.now()
		if err := tx.Lock(ctx, lockOf(a.SiteID)); err != nil { // so that nobody else counts meanwhile
			return err
		}
		before, found, err := db.One(ctx, tx, func(r *Result) []any { return []any{&r.Status, &r.Code} },
			`SELECT status, code FROM callbacks WHERE site_id = $1 AND delivery = $2 AND delivery <> ''`, made.SiteID, made.delivery)
		if err != nil {
			return err
		}
		if found {
			result, earlier = before, true
			return nil
		}
		if s.AsksCaptcha() {
			right, err := c.Captchas.SolveTx(ctx, tx, a.SiteID, a.CaptchaKey, digits)
			if err != nil {
				return err
			}
			if !right {
				result = Result{CaptchaWrong, CodeCaptcha}
				return nil
			}
		}
		limit, err := limited(ctx, tx, made, network, s, now)
		if err != nil {
			return err
		}
		if limit != "" {
			result = Result{TooMany, limit}
			return nil
		}
		result = Result{Sent, CodeSent}
		if made.DueAt.After(now) {
			result.Code = CodeLater
		}
		made.CreatedAt, made.ChangedAt = now, now
		if refused != "" {
			result = Result{NoScenario, refused}
			made.State, made.Reason, made.EndedAt, made.DueAt = Failed, refused, now, time.Time{}
		}
		made.result = result
		if err := made.insert(ctx, tx); err != nil {
			return err
		}
		if err := count(ctx, tx, made.SiteID, network, now); err != nil {
			return err
		}
		if err := made.note(ctx, tx, Step{At: now, Kind: StepAsked, Detail: made.Reason}); err != nil {
			return err
		}
		if err := made.beginIfDue(ctx, tx, now); err != nil {
			return err
		}
		if err := c.Visits.AddInfoTx(ctx, tx, a.SiteID, a.Ref, info); err != nil && !errors.Is(err, visit.ErrTooMany) {
			return err
		}
		return nil
	})
	if err != nil {
		return Result{}, false, fmt.Errorf("taking a callback: %w", err)
	}
	return result, earlier, nil
}

// lockOf returns the lock under which a site's callbacks are counted.
func lockOf(siteID int64) int64 {
	return db.Hash(fmt.Sprint("callbacks ", siteID))
}

// limited returns the limit that is used up; empty for none.
func limited(ctx context.Context, tx db.Tx, made *Callback, network string, s Settings, now time.Time) (limit string, err error) {
	day, minute := dayBefore(now), now.Add(-time.Minute).UnixMilli()
	for _, l := range []struct {
		name  string
		most  int
		where string
		args  []any
	}{
		{LimitMinute, PerMinute, `site_id = $1 AND created_at > $2`, []any{made.SiteID, minute}},
		{LimitVisitor, perVisitor, `site_id = $1 AND visitor_id = $2 AND created_at > $3`, []any{made.SiteID, int64(made.Visitor), day}},
		{LimitPhone, perPhone, `phone = $1 AND created_at > $2`, []any{made.Phone, day}},
		{LimitDay, s.perDay(), `site_id = $1 AND created_at > $2`, []any{made.SiteID, day}},
	} {
		counted, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM callbacks WHERE `+l.where+` AND origin = '`+Page+`'`, l.args...)
		if err != nil {
			return "", err
		}
		if counted >= l.most {
			return l.name, nil
		}
	}
	if full, err := usedUp(ctx, tx, made.SiteID, network, s, now); full || err != nil {
		return LimitNetwork, err
	}
	return "", nil
}
