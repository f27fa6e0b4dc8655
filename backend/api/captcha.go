package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/pace"
)

const (
	// captchasAtOnce is how many captchas an address is given at once, and captchaPause the
	// pause before each further one.
	captchasAtOnce = 20
	captchaPause   = 10 * time.Second
	// drawnAtOnce and drawnPause bound the pictures and sounds, which cost some milliseconds each.
	drawnAtOnce = 100
	drawnPause  = time.Second
	// askedMost is how many captchas of a network are counted, and askedFor how long each is.
	askedMost = 40
	askedFor  = 10 * time.Minute
	// askedNetworks bounds the networks that are remembered.
	askedNetworks = 1 << 15
)

// captchaLimits are those of captchas.
type captchaLimits struct {
	issued, drawn *limits
	asked         *asked
}

func newCaptchaLimits() captchaLimits {
	return captchaLimits{
		issued: &limits{by: pace.NewByNetwork(captchasAtOnce, captchaPause)},
		drawn:  &limits{by: pace.NewByNetwork(drawnAtOnce, drawnPause)},
		asked:  &asked{of: pace.New(askedMost, askedFor, askedNetworks)},
	}
}

// asked counts the captchas that networks have asked for at sites.
type asked struct {
	mu sync.Mutex
	of *pace.Limit
}

// count notes one more of the network and returns how many there were before. One that is not
// known has none.
func (a *asked) count(siteID int64, network string, now time.Time) (before int) {
	if network == "" {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	place := a.of.At(strconv.FormatInt(siteID, 10) + " " + network)
	before = place.Counted(now)
	place.End(now, true)
	return before
}

// captchaAnswer is the captcha object (browser interface, section 2.6), with the sound for
// those who do not see, and the puzzle of which the script has to find the proof.
type captchaAnswer struct {
	Success bool            `json:"success"`
	Key     string          `json:"key"`
	URL     string          `json:"url"`
	Sound   string          `json:"sound"`
	Puzzle  *captcha.Puzzle `json:"proof,omitempty"`
}

// captcha serves v1/captcha: a new one, which is the visitor's.
func (a *API) captcha(ctx context.Context, c *call) (any, error) {
	var sent struct {
		caller
		Language string `json:"language"` // of the sound
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	if !plainHost(c.r.Host) {
		return nil, malformed("malformed_host", "the Host header names no host")
	}
	if err := within(a.captchaLimits.issued, c.r, "too many captchas were asked for from this address"); err != nil {
		return nil, err
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	level := captcha.Level(a.captchaLimits.asked.count(c.site.ID, networkOf(c.r), time.Now()))
	key, err := a.Captchas.Issue(ctx, c.site.ID, int64(p.Visitor), level)
	if err != nil {
		return nil, err
	}
	base := c.base(c.r.Referer()) + "v1/captcha/" + key
	sound := base + ".wav"
	if slices.Contains(captcha.Languages, sent.Language) {
		sound += "?" + url.Values{"l": {sent.Language}}.Encode()
	}
	return captchaAnswer{Success: true, Key: key, URL: base + ".png", Sound: sound, Puzzle: a.Captchas.PuzzleOf(c.site.ID, key)}, nil
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
		f.content, err = a.Captchas.Picture(ctx, c.site.ID, key)
	case ".wav":
		f.kind = "audio/wav"
		f.content, err = a.Captchas.Sound(ctx, c.site.ID, key, soundLanguage(c.r))
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
