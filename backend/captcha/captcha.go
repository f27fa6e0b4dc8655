// Package captcha asks visitors to read four digits from a picture, or to hear them.
//
// A key belongs to the visitor who has asked for it, and has one answer. The first answer uses the key up, right or
// wrong, whichever node gets it. Programs can read such pictures too, so the browsers of a network that asks for many
// have to solve a [Puzzle] for each.
package captcha

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"strings"
	"time"

	"github.com/dchest/captcha"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// Length is the number of digits (browser interface, section 8).
	Length = 4
	// Life is how long a key can be answered.
	Life = 5 * time.Minute
	// width and height are the size of the picture, in pixels.
	width, height = 180, 80
	// forgotten bounds how many old keys one write deletes.
	forgotten = 100
)

// ErrUnknown is returned for a key that was never issued, is used up, or is too old.
var ErrUnknown = errors.New("there is no such captcha, or not any more")

// Captchas issues and checks the captchas of all sites. It is safe for concurrent use.
type Captchas struct {
	db     *db.DB
	now    func() time.Time
	secret []byte
}

// Open returns the captchas of the database.
func Open(ctx context.Context, d *db.DB, now func() time.Time) (*Captchas, error) {
	secret, err := d.Secret(ctx, "captchas")
	if err != nil {
		return nil, err
	}
	return &Captchas{d, now, secret}, nil
}

// Issue makes a captcha for the visitor and returns its key: letters, digits, "-" and "_" that nobody can guess. level
// is that of its puzzle, see [Level]. Issue also deletes old captchas of the site, so a flood leaves nothing behind.
func (c *Captchas) Issue(ctx context.Context, siteID, visitor int64, level int) (key string, err error) {
	salt := rand.Text() + string(rune('0'+level))
	key = salt + c.owner(siteID, visitor, salt)
	digits := captcha.RandomDigits(Length)
	for i := range digits {
		digits[i] += '0'
	}
	err = c.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := c.forget(ctx, tx, siteID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO captchas (site_id, key, digits, until) VALUES ($1, $2, $3, $4)`,
			siteID, key, string(digits), c.now().Add(Life).UnixMilli())
		return err
	})
	if err != nil {
		return "", fmt.Errorf("making a captcha: %w", err)
	}
	return key, nil
}

func (c *Captchas) forget(ctx context.Context, tx db.Tx, siteID int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM captchas WHERE site_id = $1 AND key IN (SELECT key FROM captchas WHERE site_id = $1 AND until < $2 ORDER BY until LIMIT $3)`,
		siteID, c.now().UnixMilli(), forgotten)
	return err
}

// Solve says whether the value answers the key, and uses the key up. A key that is unknown, old or used up has no right
// answer.
func (c *Captchas) Solve(ctx context.Context, siteID int64, key, value string) (right bool, err error) {
	if !plausible(key) {
		return false, nil
	}
	value = Read(value)
	err = c.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) (err error) {
		right, err = c.SolveTx(ctx, tx, siteID, key, value)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("solving a captcha: %w", err)
	}
	return right, nil
}

// Read removes the blanks between the digits that somebody has written.
func Read(value string) string { return strings.Join(strings.Fields(value), "") }

// SolveTx does what Solve does in the transaction of the caller. The key has been checked with [Captchas.Proven], and
// the value comes from [Read].
func (c *Captchas) SolveTx(ctx context.Context, tx db.Tx, siteID int64, key, value string) (right bool, err error) {
	digits, found, err := db.One(ctx, tx, db.Only[string], `DELETE FROM captchas WHERE site_id = $1 AND key = $2 AND until >= $3 RETURNING digits`,
		siteID, key, c.now().UnixMilli())
	return found && value == digits, err
}

// digits returns the digits of the key as numbers. The error may be [ErrUnknown].
func (c *Captchas) digits(ctx context.Context, siteID int64, key string) ([]byte, error) {
	if !plausible(key) {
		return nil, ErrUnknown
	}
	text, found, err := db.One(ctx, c.db.Read(), db.Only[string], `SELECT digits FROM captchas WHERE site_id = $1 AND key = $2 AND until >= $3`,
		siteID, key, c.now().UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("reading a captcha: %w", err)
	}
	if !found {
		return nil, ErrUnknown
	}
	digits := []byte(text)
	for i := range digits {
		digits[i] -= '0'
	}
	return digits, nil
}

// Picture returns a PNG with the digits of the key. On one node it is the same each time: a machine could read many
// pictures of the same digits more easily. The error may be [ErrUnknown].
func (c *Captchas) Picture(ctx context.Context, siteID int64, key string) ([]byte, error) {
	digits, err := c.digits(ctx, siteID, key)
	if err != nil {
		return nil, err
	}
	drawn := captcha.NewImage(key, digits, width, height)
	drawn.Palette[0] = color.White // dark digits on a dark page would be unreadable
	var picture bytes.Buffer
	if err := png.Encode(&picture, drawn.Paletted); err != nil {
		return nil, fmt.Errorf("drawing a captcha: %w", err)
	}
	return picture.Bytes(), nil
}

// Languages are those in which visitors can hear the digits.
var Languages = []string{"en", "ru"}

// Sound returns a WAV file that says the digits of the key in one of the [Languages]. Any other language becomes
// English. The error may be [ErrUnknown].
func (c *Captchas) Sound(ctx context.Context, siteID int64, key, language string) ([]byte, error) {
	digits, err := c.digits(ctx, siteID, key)
	if err != nil {
		return nil, err
	}
	var sound bytes.Buffer
	if _, err := captcha.NewAudio(key, digits, language).WriteTo(&sound); err != nil {
		return nil, fmt.Errorf("saying a captcha: %w", err)
	}
	return sound.Bytes(), nil
}

// Prune deletes the old captchas of all sites.
func (c *Captchas) Prune(ctx context.Context) error {
	return c.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM captchas WHERE until < $1`, c.now().UnixMilli())
		return err
	})
}
