package backend

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/console/bulletins"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/operator/invitation"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// letters are how letters to visitors are sent.
func (d *Desk) letters() letter.Letters {
	return letter.Letters{
		Check: mail.CheckMailbox,
		Can:   func() bool { return d.Deliveries.HasMail() },
		Send: func(ctx context.Context, l letter.Letter) (never bool, err error) {
			if wait := d.mails(ctx, l.SiteID); wait > 0 {
				return false, queue.After(wait, errMails)
			}
			return d.Deliveries.Send(ctx, mail.Letter{To: l.To, Subject: l.Subject, Text: l.Text, ID: l.ID, At: l.At, Language: l.Language, Link: l.Link, Stop: l.Stop})
		},
		Site: d.Sites.Key,
		Name: d.operatorName,
	}
}

// errMails has a letter wait until its site may send some again.
var errMails = errors.New("the site has sent as many mails as it may on a day")

// mails counts a mail of the site, or says for how long none may be sent; see [limit.Mails].
func (d *Desk) mails(ctx context.Context, siteID int64) (wait time.Duration) {
	if d.Limits.Reached(ctx, siteID, limit.Mails) {
		return d.Limits.Tomorrow()
	}
	d.Limits.Add(siteID, limit.Mails, 1)
	return 0
}

// forAnswers are what letters with answers need.
func (d *Desk) forAnswers() letter.Subjects {
	return letter.Subjects{
		DB: d.DB, Chats: d.Chats, Cards: d.Cards, Keys: d.Keys, Letters: d.letters(), Here: d.Onsite.Here, After: d.answersAfter, Service: d.serviceFor,
	}
}

// forInvitations are what mails with links for a password need.
func forInvitations(d *Desk) invitation.Subjects {
	return invitation.Subjects{
		DB: d.DB, Operators: d.Operators, HasMail: func() bool { return d.Deliveries.HasMail() }, Console: func() string { return d.configured.Load().Console },
		Send: func(ctx context.Context, l invitation.Letter) (never bool, err error) {
			return d.Deliveries.Send(ctx, mail.Letter{To: l.To, Subject: l.Subject, Text: l.Text, ID: l.ID, At: l.At, Language: l.Language, Link: l.Link})
		},
	}
}

// forBulletins are what mails with figures need.
func (d *Desk) forBulletins() bulletin.Subjects {
	writer := bulletins.NewWriter(bulletins.Sources{
		Reports: d.Reports, Incidents: d.Incidents, Key: d.Sites.Key, Console: func() string { return d.configured.Load().Console },
	}, d.DB.Now)
	return bulletin.Subjects{DB: d.DB, Keys: d.Keys, Queue: d.Queue, Deliveries: d.Deliveries, Site: d.servedHere, Write: writer.Write}
}

// servedHere tells how this node serves a site; see [bulletin.Subjects].
func (d *Desk) servedHere(ctx context.Context, siteID int64) (bulletin.Served, error) {
	key, err := d.Sites.Key(ctx, siteID)
	if err != nil {
		return bulletin.Served{}, err
	}
	stored, err := d.Sites.ByKey(ctx, key)
	if err != nil {
		return bulletin.Served{}, err
	}
	service, err := d.serviceFor(ctx, siteID, "")
	if err == nil && service == "" {
		err = bulletin.ErrNotServed
	}
	set, _ := d.configuredFor(key)
	own := stored.Settings.Over(set)
	return bulletin.Served{Zone: own.Zone(), PersonWindow: own.PersonWindow(), Service: service}, err
}

// answersAfter is for how long the site has answers gathered before they are mailed; 0 for no letters.
func (d *Desk) answersAfter(ctx context.Context, siteID int64) (time.Duration, error) {
	key, err := d.Sites.Key(ctx, siteID)
	if err != nil {
		return 0, err
	}
	stored, err := d.Sites.ByKey(ctx, key)
	if err != nil {
		return 0, err
	}
	set, _ := d.configuredFor(key)
	widget := stored.Settings.Widget.Over(set.Widget)
	if widget == nil || widget.MailAnswers == nil {
		return letter.Gather, nil
	}
	return time.Duration(*widget.MailAnswers) * time.Second, nil
}

// serviceFor is the URL of the site's prefix at the host of the page, if that is a host of the site; else at the host
// that the configuration names first. It is empty if the configuration does not have the site.
//
// A visitor has named the page. So its port is taken only if it is the usual one or the server's own.
func (d *Desk) serviceFor(ctx context.Context, siteID int64, page string) (string, error) {
	key, err := d.Sites.Key(ctx, siteID)
	if err != nil {
		return "", err
	}
	c := d.configured.Load()
	service, err := url.Parse(c.Services[key])
	if err != nil || service.Host == "" {
		if service, err = url.Parse(c.Services[AnyHost]); err != nil || service.Host == "" {
			return "", nil
		}
		service.Host = key
		if port := service.Port(); port != "" {
			service.Host = net.JoinHostPort(key, port)
		}
	}
	at, err := url.Parse(page)
	if err != nil || !source.OwnOf(nil, append([]string{key, service.Hostname()}, c.Hosts[key]...)).Has(strings.ToLower(at.Hostname())) {
		return service.String(), nil
	}
	if port := at.Port(); port != "" && port != service.Port() {
		return service.String(), nil
	}
	if at.Scheme == "https" {
		service.Scheme = at.Scheme // a proxy in front ends TLS
	}
	service.Host = cmp.Or(at.Host, service.Host)
	return service.String(), nil
}

// forLimits are what counts of limits need.
func (d *Desk) forLimits(logger *zap.Logger, told told) limit.Subjects {
	return limit.Subjects{DB: d.DB, Chats: overview.New(d.DB, d.Chats).CountOpen, Logger: logger.Named("sites"), Told: told.limit}
}
