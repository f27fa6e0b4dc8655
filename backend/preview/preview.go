// Package preview signs looks at a site's pages as a new visitor would see them. The console makes them, and the edge
// shows them. Nothing of a look is stored or counted.
package preview

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Preview is a look at a site's pages as a new visitor would see them.
type Preview struct {
	// Site is the id of the site whose pages are shown.
	Site int64 `json:"s"`
	// Address is the page to which the visitor comes, and Referrer is the page before. Referrer may be empty.
	Address  string `json:"a"`
	Referrer string `json:"r,omitempty"`
	// Language is the language of the words beside the page, such as "en".
	Language string `json:"l,omitempty"`
	// Until is when the preview ends, in seconds since 1970.
	Until int64 `json:"u"`
}

// Parameter is the parameter of an address that holds a preview's token.
const Parameter = "svc_preview"

// Source returns the source of the visitor.
func (p Preview) Source() source.Source { return source.Of(p.Address, p.Referrer, source.Own{}) }

const (
	// lasting is how long a preview lasts.
	lasting = time.Hour
	// maxAddress bounds each of the two addresses, in bytes.
	maxAddress = 1000
)

// Errors about a preview's addresses, or about a token.
var (
	ErrAddress  = fmt.Errorf("expected an address that begins with http:// or https://, of at most %d bytes", maxAddress)
	ErrReferrer = fmt.Errorf("expected an address of at most %d bytes, or nothing", maxAddress)
	// ErrNone is returned for a token without a valid signature.
	ErrNone = errors.New("it is no preview")
	// ErrOver is returned for a preview whose time is over, or that is of another site.
	ErrOver = errors.New("the preview is over")
)

// Previews signs previews, so that nobody else can make them and any node can read them. It stores nothing.
type Previews struct {
	secret []byte
	now    func() time.Time
}

// Open returns the previews of the database. Its nodes share a secret.
func Open(ctx context.Context, d *db.DB, now func() time.Time) (*Previews, error) {
	secret, err := d.Secret(ctx, "number.previews")
	if err != nil {
		return nil, err
	}
	return &Previews{secret, now}, nil
}

// Begin returns the token of a preview that lasts for an hour. The token has only the characters A–Z, a–z, 0–9, "-" and
// "_", and one dot. The error is [ErrAddress] or [ErrReferrer] for an address that is not valid or too
// long.
func (p *Previews) Begin(of Preview) (token string, err error) {
	address, err := url.Parse(of.Address)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" || len(of.Address) > maxAddress {
		return "", ErrAddress
	}
	if _, err := url.Parse(of.Referrer); err != nil || len(of.Referrer) > maxAddress {
		return "", ErrReferrer
	}
	of.Until = p.now().Add(lasting).Unix()
	text := new(bytes.Buffer)
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false) // otherwise an ampersand would have six bytes
	if err := encoder.Encode(of); err != nil {
		return "", fmt.Errorf("making a preview: %w", err)
	}
	said := base64.RawURLEncoding.EncodeToString(text.Bytes())
	if token = said + "." + p.signature(said); len(token) > maxToken {
		return "", ErrAddress
	}
	return token, nil
}

// maxToken bounds a token, in bytes. Browsers keep it in a cookie of at most 4096 bytes, with its name and
// attributes.
const maxToken = 3900

// Read returns the preview of a token of the site. The error is [ErrNone] for anything else. If the preview is
// over or of another site, Read returns it with [ErrOver].
func (p *Previews) Read(siteID int64, token string) (Preview, error) {
	said, signature, _ := strings.Cut(token, ".")
	if len(token) > maxToken || !hmac.Equal([]byte(signature), []byte(p.signature(said))) {
		return Preview{}, ErrNone
	}
	text, err := base64.RawURLEncoding.DecodeString(said)
	if err != nil {
		return Preview{}, ErrNone
	}
	var of Preview
	if err := json.Unmarshal(text, &of); err != nil {
		return Preview{}, ErrNone
	}
	if of.Site != siteID || p.now().Unix() > of.Until {
		return of, ErrOver
	}
	return of, nil
}

func (p *Previews) signature(text string) string {
	mac := hmac.New(sha256.New, p.secret)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
