// Package transfer moves what is set for a site to another installation: it writes the site's settings, groups, canned
// replies and receivers as lines of JSON, and reads these again. The command line asks it.
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
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Version is that of the format. A file of another version is refused.
const Version = 1

const (
	// maxLine bounds a line of a file, in bytes. The settings are the longest.
	maxLine = 16 << 20
	// maxLines bounds the lines of a file.
	maxLines = 10_000
)

// Subjects are what belongs to a site.
type Subjects struct {
	DB        *db.DB
	Sites     *site.Sites
	Groups    *group.Groups
	Replies   *reply.Replies
	Endpoints *notify.Endpoints
	Operators *operator.Operators
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
}

// ofSite is what [Header.Frontdesk] says.
const ofSite = "site"

// line is one of the other lines. It has one field.
type line struct {
	Settings *site.Settings `json:"settings,omitempty"`
	Group    *groupLine     `json:"group,omitempty"`
	Reply    *replyLine     `json:"reply,omitempty"`
	Receiver *receiverLine  `json:"receiver,omitempty"`
	// Lines is how many lines the file has, with the header and this one, which is the last.
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

// Export writes the site of the key, which may be retired. Without secrets, only receivers of mail are written: the
// addresses of others may contain tokens. It returns how many receivers were left out. The error may be
// [site.ErrUnknown].
func (s Subjects) Export(ctx context.Context, w io.Writer, key, release string, secrets bool, now time.Time) (left int, err error) {
	of, err := s.Sites.OfKey(ctx, key)
	if err != nil {
		return 0, err
	}
	lines := []line{{Settings: &of.Settings}}
	groups, err := s.Groups.Of(ctx, of.ID)
	if err != nil {
		return 0, err
	}
	for _, g := range groups {
		one := groupLine{Number: g.ID, Name: g.Name, Phone: g.Phone, Zone: g.Zone, Hours: g.Hours, Holidays: g.Holidays, Routing: g.Routing}
		for _, id := range g.Members {
			member, err := s.Operators.Get(ctx, id)
			if errors.Is(err, operator.ErrUnknown) {
				continue
			}
			if err != nil {
				return 0, err
			}
			one.Members = append(one.Members, member.Login)
		}
		lines = append(lines, line{Group: &one})
	}
	replies, err := s.Replies.Of(ctx, of.ID)
	if err != nil {
		return 0, err
	}
	for _, r := range replies {
		lines = append(lines, line{Reply: &replyLine{r.Word, r.Place, r.Text}})
	}
	receivers, err := s.Endpoints.List(ctx, of.ID)
	if err != nil {
		return 0, err
	}
	for _, e := range receivers {
		if !secrets && e.Kind != notify.Mail {
			left++
			continue
		}
		lines = append(lines, line{Receiver: &receiverLine{e.Kind, e.Address, e.Events, e.Language, e.Subject, e.Template, e.ContentType, e.Settings, e.Secret()}})
	}
	lines = append(lines, line{Lines: len(lines) + 2})
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(Header{ofSite, Version, release, key, now.UTC(), secrets}); err != nil {
		return 0, fmt.Errorf("writing a site: %w", err)
	}
	for _, one := range lines {
		if err := encoder.Encode(one); err != nil {
			return 0, fmt.Errorf("writing a site: %w", err)
		}
	}
	return left, out.Flush()
}
