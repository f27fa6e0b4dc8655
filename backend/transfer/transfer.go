// Package transfer moves a site to another installation: it writes the site's settings, groups, canned replies and
// receivers as lines of JSON, with all that is stored of the site if that is wanted, and reads these again. The command
// line asks it.
package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer/rows"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Version is that of the format. A file of another version is refused.
const Version = 1

const (
	// maxLine bounds a line of a file, in bytes.
	maxLine = rows.MaxRow
	// maxLines bounds the lines of a file.
	maxLines = 10_000
	// maxHeader bounds the first line, and maxSet the lines behind it that are no data, together, in bytes.
	maxHeader, maxSet = 64 << 10, 32 << 20
)

// Subjects are what belongs to a site.
type Subjects struct {
	DB        *db.DB
	Sites     *site.Sites
	Groups    *group.Groups
	Replies   *reply.Replies
	Endpoints *notify.Endpoints
	Operators *operator.Operators
	Keys      *key.Keys
	Leads     *lead.Leads
}

// Header is the first line of a file.
type Header struct {
	// Frontdesk is [ofSite].
	Frontdesk string `json:"frontdesk"`
	Version   int    `json:"version"`
	// Release is the release that has written the file.
	Release string `json:"release"`
	// Site is the site's key.
	Site string    `json:"site"`
	At   time.Time `json:"at"`
	// Secrets says that the receivers are there, with what they prove themselves by.
	Secrets bool `json:"secrets"`
	// Data says that what is stored of the site follows, behind what is set; nil where it does not.
	Data *rows.Heads `json:"data,omitempty"`
}

// ofSite is what [Header.Frontdesk] says.
const ofSite = "site"

// line is one of the other lines. It has one field.
type line struct {
	Settings *site.Settings `json:"settings,omitempty"`
	Group    *groupLine     `json:"group,omitempty"`
	Reply    *replyLine     `json:"reply,omitempty"`
	Receiver *receiverLine  `json:"receiver,omitempty"`
	// Lines is how many lines the file has, with the header and this one, which is the last of a file without data.
	Lines int `json:"lines,omitempty"`
}

// groupLine is a group. Members are logins. Number is the group_id that pages may name.
type groupLine struct {
	Number   int64           `json:"number"`
	Name     string          `json:"name"`
	Phone    string          `json:"phone,omitempty"`
	Zone     string          `json:"zone,omitempty"`
	Hours    group.Hours     `json:"hours"`
	Holidays []group.Holiday `json:"holidays,omitempty"`
	Routing  group.Routing   `json:"routing"`
	Members  []string        `json:"members,omitempty"`
}

type replyLine struct {
	Word  string `json:"word"`
	Place int64  `json:"place,omitempty"`
	Text  string `json:"text"`
}

type receiverLine struct {
	Kind        notify.Kind    `json:"kind"`
	Address     string         `json:"address"`
	Events      []notify.Event `json:"events"`
	Language    string         `json:"language,omitempty"`
	Subject     string         `json:"subject,omitempty"`
	Template    string         `json:"template,omitempty"`
	ContentType string         `json:"content_type,omitempty"`
	Settings    string         `json:"settings,omitempty"`
	Secret      string         `json:"secret,omitempty"`
}

// ErrErasing is returned for a site with a person who is being erased. Its text may be shown.
var ErrErasing = errors.New("a person is being erased at this site: export its data when that has ended")

// Wanted is what to export.
type Wanted struct {
	// Key is that of the site, which may be retired.
	Key string
	// Release is that of this program.
	Release string
	// Secrets writes all receivers. Without, only those of mail are written: the addresses of others may contain tokens.
	Secrets bool
	// Data writes what is stored of the site, too: what was there at one moment.
	Data bool
	At   time.Time
	// Tell is called now and then with how many rows of data have been written.
	Tell func(rows int64)
}

// Exported says what has been written.
type Exported struct {
	// Left is how many receivers have been left out.
	Left int
	// Rows are those of the data.
	Rows int64
}

// Export writes a site. The error may be [site.ErrUnknown], [site.ErrArriving] or [ErrErasing].
func (s Subjects) Export(ctx context.Context, w io.Writer, wanted Wanted) (done Exported, err error) {
	of, err := s.Sites.OfKey(ctx, wanted.Key)
	if err != nil {
		return done, err
	}
	if !of.ArrivingAt.IsZero() {
		return done, site.ErrArriving
	}
	out := bufio.NewWriter(w)
	var lines []line
	write := func(h Header) (err error) {
		if lines, done.Left, err = s.set(ctx, of, wanted.Secrets); err != nil {
			return err
		}
		if h.Data == nil {
			lines = append(lines, line{Lines: len(lines) + 2})
		}
		encoder := json.NewEncoder(out)
		if err := encoder.Encode(h); err != nil {
			return fmt.Errorf("writing a site: %w", err)
		}
		for _, one := range lines {
			if err := encoder.Encode(one); err != nil {
				return fmt.Errorf("writing a site: %w", err)
			}
		}
		return nil
	}
	header := Header{ofSite, Version, wanted.Release, wanted.Key, wanted.At.UTC(), wanted.Secrets, nil}
	if !wanted.Data {
		if err := write(header); err != nil {
			return done, err
		}
		return done, out.Flush()
	}
	err = db.Snapshot(ctx, s.DB, func(from db.Queries) error {
		if erasing, err := person.UnderWay(ctx, from, of.ID); err != nil || erasing {
			return errors.Join(err, ErrErasing)
		}
		heads, err := rows.HeadsOf(ctx, from)
		if err != nil {
			return err
		}
		header.Data = &heads
		// What is read from here on is not older than the rows: it has the groups and accounts that they name.
		if of, err = s.Sites.OfKey(ctx, wanted.Key); err != nil {
			return err
		}
		if err := write(header); err != nil {
			return err
		}
		logins, err := s.logins(ctx)
		if err != nil {
			return err
		}
		end, err := rows.Writer{DB: s.DB, Keys: s.Keys, SiteID: of.ID, Logins: logins, Out: out, Tell: wanted.Tell}.Write(ctx, from, heads, int64(len(lines))+1)
		if err != nil {
			return fmt.Errorf("writing the data of a site: %w", err)
		}
		done.Rows = end.Rows
		return out.Flush()
	})
	return done, err
}

// logins are those of all accounts.
func (s Subjects) logins(ctx context.Context) (map[int64]string, error) {
	known, err := s.Operators.List(ctx, scope.All())
	if err != nil {
		return nil, err
	}
	logins := make(map[int64]string, len(known))
	for _, o := range known {
		logins[o.ID] = o.Login
	}
	return logins, nil
}

// set are the lines with what is set for the site. left is how many receivers are not in them.
func (s Subjects) set(ctx context.Context, of site.Site, secrets bool) (lines []line, left int, err error) {
	lines = []line{{Settings: &of.Settings}}
	groups, err := s.Groups.Of(ctx, of.ID)
	if err != nil {
		return nil, 0, err
	}
	for _, g := range groups {
		one := groupLine{Number: g.ID, Name: g.Name, Phone: g.Phone, Zone: g.Zone, Hours: g.Hours, Holidays: g.Holidays, Routing: g.Routing}
		for _, id := range g.Members {
			member, err := s.Operators.Get(ctx, id)
			if errors.Is(err, operator.ErrUnknown) {
				continue
			}
			if err != nil {
				return nil, 0, err
			}
			one.Members = append(one.Members, member.Login)
		}
		lines = append(lines, line{Group: &one})
	}
	replies, err := s.Replies.Of(ctx, of.ID)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range replies {
		lines = append(lines, line{Reply: &replyLine{r.Word, r.Place, r.Text}})
	}
	receivers, err := s.Endpoints.List(ctx, of.ID)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range receivers {
		if !secrets && e.Kind != notify.Mail {
			left++
			continue
		}
		lines = append(lines, line{Receiver: &receiverLine{e.Kind, e.Address, e.Events, e.Language, e.Subject, e.Template, e.ContentType, e.Settings, e.Secret()}})
	}
	return lines, left, nil
}
