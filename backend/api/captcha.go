package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/pace"
)

const (
	// captchasAtOnce is how many captchas an address is given at once, and captchaPause the
	// pause before each further one. Each can be guessed once, so an address that guesses
	// all day finds less than one.
	captchasAtOnce = 20
	captchaPause   = 10 * time.Second
	// drawnAtOnce and drawnPause bound the pictures and sounds, which cost some milliseconds each.
	drawnAtOnce = 100
	drawnPause  = time.Second
)

// captchaLimits are those of captchas.
type captchaLimits struct{ issued, drawn *limits }

func newCaptchaLimits() captchaLimits {
	return captchaLimits{
		issued: &limits{by: pace.NewByNetwork(captchasAtOnce, captchaPause)},
		drawn:  &limits{by: pace.NewByNetwork(drawnAtOnce, drawnPause)},
	}
}

// TakeCaptchas has the API give out and draw these. It is called before the first request.
func (a *API) TakeCaptchas(c *captcha.Captchas) { a.captchas = c }

// captchaAnswer is the captcha object (browser interface, section 2.6), with the sound for
// those who do not see.
type captchaAnswer struct {
	Success bool   `json:"success"`
	Key     string `json:"key"`
	URL     string `json:"url"`
	Sound   string `json:"sound"`
}

// captcha serves v1/captcha?k=KEY: a new one. l names the language of its sound.
func (a *API) captcha(ctx context.Context, c *call) (any, error) {
	query := c.r.URL.Query()
	if query.Get("k") != c.site.Key {
		return nil, unknownSite()
	}
	if !plainHost(c.r.Host) {
		return nil, malformed("malformed_host", "the Host header names no host")
	}
	if err := within(a.captchaLimits.issued, c.r, "too many captchas were asked for from this address"); err != nil {
		return nil, err
	}
	key, err := a.captchas.Issue(ctx, c.site.ID)
	if err != nil {
		return nil, err
	}
	base := c.base(c.r.Referer()) + "v1/captcha/" + key
	sound := base + ".wav"
	if named := query.Get("l"); slices.Contains(captcha.Languages, named) {
		sound += "?" + url.Values{"l": {named}}.Encode()
	}
	return captchaAnswer{Success: true, Key: key, URL: base + ".png", Sound: sound}, nil
}

// within counts the request, and refuses it when its client has too many.
func within(l *limits, r *http.Request, words string) error {
	client, limited := clientOf(r)
	if !limited {
		return nil
	}
	wait := l.take(client, time.Now())
	if wait == 0 {
		return nil
	}
	return tooMany(words, wait)
}

// file is an answer that is not JSON.
type file struct {
	kind    string // of the content
	content []byte
}

// captchaFile serves v1/captcha/KEY.png and v1/captcha/KEY.wav.
func (a *API) captchaFile(ctx context.Context, c *call) (any, error) {
	if err := within(a.captchaLimits.drawn, c.r, "too many captchas were looked at from this address"); err != nil {
		return nil, err
	}
	name := c.r.PathValue("file")
	kind := path.Ext(name)
	key := strings.TrimSuffix(name, kind)
	var f file
	var err error
	switch kind {
	case ".png":
		f.kind = "image/png"
		f.content, err = a.captchas.Picture(ctx, c.site.ID, key)
	case ".wav":
		f.kind = "audio/wav"
		f.content, err = a.captchas.Sound(ctx, c.site.ID, key, soundLanguage(c.r))
	default:
		err = captcha.ErrUnknown
	}
	if errors.Is(err, captcha.ErrUnknown) {
		return nil, fail(http.StatusNotFound, "unknown_captcha", "%s", captcha.ErrUnknown)
	}
	return f, err
}

// soundLanguage is the language in which the client wants to hear digits: the one it
// names, else the first of its browser's that there is.
func soundLanguage(r *http.Request) string {
	if named := r.URL.Query().Get("l"); slices.Contains(captcha.Languages, named) {
		return named
	}
	wanted, _, err := language.ParseAcceptLanguage(header(r, "Accept-Language", maxLanguage))
	if err != nil {
		return captcha.Languages[0]
	}
	for _, tag := range wanted {
		base, _ := tag.Base()
		if slices.Contains(captcha.Languages, base.String()) {
			return base.String()
		}
	}
	return captcha.Languages[0]
}
