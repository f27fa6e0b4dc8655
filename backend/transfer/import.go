package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer/rows"
)

// File is a file that has been read, but for the data in it.
type File struct {
	Header
	settings site.Settings
	rest     []line
	data     *rows.Reader // of a file with data
}

// Read reads a file, or what comes before the data in it; the data are read as they are imported. Both end with ctx, even
// if r gives nothing. The error says in which line something is wrong and what was expected.
func Read(ctx context.Context, r io.Reader) (*File, error) {
	given, taken := io.Pipe()
	context.AfterFunc(ctx, func() { taken.CloseWithError(ctx.Err()) })
	aside.Go(zap.NewNop(), "reading a file", func() {
		_, err := io.Copy(taken, r)
		taken.CloseWithError(err)
	})
	return readFrom(given)
}

func readFrom(r io.Reader) (*File, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var f File
	n := 0
	next := func(to any) error {
		n++
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(to); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if d.More() {
			return fmt.Errorf("line %d: expected one object", n)
		}
		return nil
	}
	const expected = `expected what "caddy frontdesk site export" writes`
	if !lines.Scan() {
		return nil, errors.Join(errors.New("the file is empty: "+expected), lines.Err())
	}
	if len(lines.Bytes()) > maxHeader {
		return nil, errors.New("the first line is too long: " + expected)
	}
	var version struct {
		Frontdesk string
		Version   int
	}
	if err := json.Unmarshal(lines.Bytes(), &version); err != nil || version.Frontdesk != ofSite {
		return nil, errors.New("this is no site: " + expected)
	}
	if version.Version != Version {
		return nil, fmt.Errorf("the file has version %d of the format: this release reads version %d; export the site with the same release", version.Version, Version)
	}
	if err := next(&f.Header); err != nil {
		return nil, err
	}
	settings, size, ended := 0, 0, false
	for !ended && lines.Scan() {
		if size += len(lines.Bytes()); size > maxSet {
			return nil, fmt.Errorf("line %d: expected at most %d bytes of what is set for a site", n+1, maxSet)
		}
		if f.Data != nil && bytes.HasPrefix(lines.Bytes(), []byte(`{"table"`)) {
			n++
			f.data, ended = rows.NewReader(lines, int64(n), lines.Bytes()), true
			break
		}
		var one line
		if err := next(&one); err != nil {
			return nil, err
		}
		switch {
		case n > maxLines:
			return nil, fmt.Errorf("line %d: expected the end", n)
		case one.Lines != 0 && f.Data == nil:
			if ended = true; one.Lines != n {
				return nil, fmt.Errorf("the file has %d lines: expected %d", n, one.Lines)
			}
		case one.Settings != nil:
			settings++
			f.settings = *one.Settings
		default:
			f.rest = append(f.rest, one)
		}
	}
	switch {
	case ended && f.data == nil && lines.Scan():
		return nil, fmt.Errorf("line %d: expected the end", n+1)
	case lines.Err() != nil:
		return nil, fmt.Errorf("line %d: %w", n+1, lines.Err())
	case !ended:
		return nil, errors.New("the end of the file is missing")
	case settings != 1:
		return nil, errors.New("expected the settings once")
	}
	return &f, nil
}

// Imported says what has become of a file.
type Imported struct {
	Groups, Replies, Receivers int
	// Numbers are the numbers of groups that are others than in the file, by the names of the groups.
	Numbers map[string][2]int64
	// Missing are members of groups who have no account here that sees the site, by the names of the groups.
	Missing map[string][]string
	// There are the receivers that the site had already.
	There int
	// Data is what has become of the data; nil for a file without.
	Data *rows.Done

	siteID int64
	groups map[int64]int64 // their numbers here by those in the file
}

// content is what a file is to make, checked.
type content struct {
	groups    []groupLine
	replies   []reply.Reply
	receivers []notify.Endpoint
	secrets   []string // of the receivers
}

// anywhere are the addresses of webhooks that are accepted. Whether one may be called is told when it is.
var anywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// checked checks the file before it is written. The error names what is wrong.
func (s Subjects) checked(f *File, key string) (c content, err error) {
	if err := site.ValidKey(key); err != nil {
		return c, err
	}
	if err := f.settings.Check(); err != nil {
		return c, err
	}
	for _, one := range f.rest {
		switch {
		case one.Group != nil:
			if err := one.Group.group().Check(); err != nil {
				return c, fmt.Errorf("group %.80q: %w", one.Group.Name, err)
			}
			c.groups = append(c.groups, *one.Group)
		case one.Reply != nil:
			r := reply.Reply{Word: strings.ToLower(one.Reply.Word), Place: one.Reply.Place, Text: one.Reply.Text}
			if err := r.Check(); err != nil {
				return c, fmt.Errorf("reply %.80q: %w", r.Word, err)
			}
			c.replies = append(c.replies, r)
		case one.Receiver != nil:
			r := one.Receiver
			e := notify.Endpoint{Kind: r.Kind, Address: r.Address, Events: r.Events, Language: r.Language, Subject: r.Subject, Template: r.Template, ContentType: r.ContentType, Settings: r.Settings}
			if e.IsOut() {
				e.Credential = r.Secret
				err = s.Endpoints.Check(e)
			} else {
				err = e.Check(anywhere)
			}
			if err != nil {
				return c, fmt.Errorf("receiver %.80q: %w", r.Kind, err)
			}
			c.receivers, c.secrets = append(c.receivers, e), append(c.secrets, r.Secret)
		}
	}
	return c, nil
}

// Import makes the site of the key as a file without data says, all in one transaction. If there is one and over is true,
// its settings become those of the file; its groups, replies and receivers stay, but for those of the same name, word or
// address. The error may be [site.ErrTaken] or [site.ErrArriving].
func (s Subjects) Import(ctx context.Context, f *File, key string, over bool) (done Imported, err error) {
	c, known, err := s.ready(ctx, f, key)
	if err != nil {
		return Imported{}, err
	}
	err = s.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		done, err = s.put(ctx, tx, f, key, over, c, known)
		return err
	})
	if err != nil {
		return Imported{}, fmt.Errorf("importing a site: %w", err)
	}
	return done, nil
}

// ready returns what the file is to make, and the accounts.
func (s Subjects) ready(ctx context.Context, f *File, key string) (c content, known []operator.Operator, err error) {
	if c, err = s.checked(f, key); err == nil {
		known, err = s.Operators.List(ctx, scope.All())
	}
	return c, known, err
}

// put makes what the file sets.
func (s Subjects) put(ctx context.Context, tx db.Tx, f *File, key string, over bool, c content, known []operator.Operator) (done Imported, err error) {
	done = Imported{Numbers: make(map[string][2]int64), Missing: make(map[string][]string), groups: make(map[int64]int64)}
	if done.siteID, err = s.Sites.Put(ctx, tx, key, f.settings, over, ""); err != nil {
		return done, err
	}
	for _, g := range c.groups {
		if err := s.putGroup(ctx, tx, done.siteID, g, known, &done); err != nil {
			return done, fmt.Errorf("group %.80q: %w", g.Name, err)
		}
	}
	for _, r := range c.replies {
		r.SiteID = done.siteID
		if err := s.Replies.Put(ctx, tx, r); err != nil {
			return done, fmt.Errorf("reply %.80q: %w", r.Word, err)
		}
		done.Replies++
	}
	for i, e := range c.receivers {
		e.SiteID = done.siteID
		added, err := s.Endpoints.Put(ctx, tx, e, c.secrets[i], "")
		switch {
		case err != nil:
			return done, fmt.Errorf("receiver %.80q: %w", e.Kind, err)
		case added:
			done.Receivers++
		default:
			done.There++
		}
	}
	return done, nil
}

func (g groupLine) group() group.Group {
	return group.Group{Name: g.Name, Phone: g.Phone, Zone: g.Zone, Hours: g.Hours, Holidays: g.Holidays, Routing: g.Routing}
}

// putGroup adds the group, with those of its members who have an account that sees the site.
func (s Subjects) putGroup(ctx context.Context, tx db.Tx, siteID int64, g groupLine, known []operator.Operator, done *Imported) error {
	made := g.group()
	made.SiteID = siteID
	for _, login := range g.Members {
		found := false
		for _, o := range known {
			if o.Login == login && o.Sites.Has(siteID) && o.SeesPersons() {
				made.Members, found = append(made.Members, o.ID), true
			}
		}
		if !found {
			done.Missing[g.Name] = append(done.Missing[g.Name], login)
		}
	}
	kept, err := s.Groups.Put(ctx, tx, operator.Server(), made)
	if err != nil {
		return err
	}
	done.groups[g.Number] = kept.ID
	if done.Groups++; kept.ID != g.Number {
		done.Numbers[g.Name] = [2]int64{g.Number, kept.ID}
	}
	return nil
}
