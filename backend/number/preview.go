package number

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
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Preview is a look at a site's pages as somebody would see them who comes for the first time.
type Preview struct {
	// Site is the one site whose pages are shown so.
	Site int64 `json:"s"`
	// Address is the page to which somebody comes, and Referrer the page before; empty for
	// none.
	Address  string `json:"a"`
	Referrer string `json:"r,omitempty"`
	// Language is that of the words beside the page, such as "en".
	Language string `json:"l,omitempty"`
	// Until is when it ends, in seconds since 1970.
	Until int64 `json:"u"`
}

// PreviewParameter is the parameter of an address that holds a preview's token, for the first page.
const PreviewParameter = "svc_preview"

// Source is from where that somebody comes.
func (p Preview) Source() visit.Source { return visit.SourceOf(p.Address, p.Referrer) }

const (
	// previewTime is how long a preview may be looked at.
	previewTime = time.Hour
	// maxPreviewAddress bounds each of the two addresses, in bytes.
	maxPreviewAddress = 1000
)

// What is wrong with an address of a preview, or with a token.
var (
	ErrPreviewAddress  = fmt.Errorf("expected an address that begins with http:// or https://, of at most %d bytes", maxPreviewAddress)
	ErrPreviewReferrer = fmt.Errorf("expected an address of at most %d bytes, or nothing", maxPreviewAddress)
	// ErrNoPreview is returned for what no [Previews] have signed.
	ErrNoPreview = errors.New("it is no preview")
	// ErrPreviewOver is returned for a preview whose time is over.
	ErrPreviewOver = errors.New("the preview is over")
)

// Previews sign previews, so that nobody else can make them, and any node can read them. Nothing
// is stored.
type Previews struct {
	secret []byte
	now    func() time.Time
}

// OpenPreviews returns the previews of the database, whose nodes share a secret.
func OpenPreviews(ctx context.Context, d *db.DB, now func() time.Time) (*Previews, error) {
	secret, err := d.Secret(ctx, "number.previews")
	if err != nil {
		return nil, err
	}
	return &Previews{secret, now}, nil
}

// Begin returns the token of a preview that can be looked at for an hour from now on. It is
// of the letters A–Z, a–z, 0–9, - _ and one dot.
func (p *Previews) Begin(of Preview) (token string, err error) {
	address, err := url.Parse(of.Address)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" || len(of.Address) > maxPreviewAddress {
		return "", ErrPreviewAddress
	}
	if _, err := url.Parse(of.Referrer); err != nil || len(of.Referrer) > maxPreviewAddress {
		return "", ErrPreviewReferrer
	}
	of.Until = p.now().Add(previewTime).Unix()
	text := new(bytes.Buffer)
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false) // which would make an ampersand six bytes long
	if err := encoder.Encode(of); err != nil {
		return "", fmt.Errorf("making a preview: %w", err)
	}
	said := base64.RawURLEncoding.EncodeToString(text.Bytes())
	if token = said + "." + p.signature(said); len(token) > maxPreviewToken {
		return "", ErrPreviewAddress
	}
	return token, nil
}

// maxPreviewToken bounds a token, in bytes: browsers keep it in a cookie of 4096, with its name
// and attributes.
const maxPreviewToken = 3900

// Read returns the preview of a token of the site: [ErrNoPreview] for what is none, and the preview
// with [ErrPreviewOver] for one of another site or another hour.
func (p *Previews) Read(siteID int64, token string) (Preview, error) {
	said, signature, _ := strings.Cut(token, ".")
	if len(token) > maxPreviewToken || !hmac.Equal([]byte(signature), []byte(p.signature(said))) {
		return Preview{}, ErrNoPreview
	}
	text, err := base64.RawURLEncoding.DecodeString(said)
	if err != nil {
		return Preview{}, ErrNoPreview
	}
	var of Preview
	if err := json.Unmarshal(text, &of); err != nil {
		return Preview{}, ErrNoPreview
	}
	if of.Site != siteID || p.now().Unix() > of.Until {
		return of, ErrPreviewOver
	}
	return of, nil
}

func (p *Previews) signature(text string) string {
	mac := hmac.New(sha256.New, p.secret)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
