package panel

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

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
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

// asked counts the captchas that networks have asked for at sites.
type asked struct {
	mu    sync.Mutex
	limit *pace.Limit
}

// count notes one more of the network and returns how many there were before. One that is not
// known has none.
func (a *asked) count(siteID int64, network string, now time.Time) (before int) {
	if network == "" {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	tally := a.limit.Of(strconv.FormatInt(siteID, 10) + " " + network)
	before = tally.Counted(now)
	tally.End(now, true)
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
func (p *Panel) captcha(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		view.From
		Language string `json:"language"` // of the sound
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	if err := r.NamesHost(); err != nil {
		return nil, err
	}
	if err := p.issued.Within(r.Request, "too many captchas were asked for from this address"); err != nil {
		return nil, err
	}
	v, err := p.views.FindOnce(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	level := captcha.Level(p.asked.count(r.Site.ID, gate.NetworkOf(r.Request), time.Now()))
	key, err := p.captchas.Issue(ctx, r.Site.ID, int64(v.Visitor), level)
	if err != nil {
		return nil, err
	}
	base := r.Base(r.Referer()) + "v1/captcha/" + key
	sound := base + ".wav"
	if slices.Contains(captcha.Languages, sent.Language) {
		sound += "?" + url.Values{"l": {sent.Language}}.Encode()
	}
	return captchaAnswer{Success: true, Key: key, URL: base + ".png", Sound: sound, Puzzle: p.captchas.PuzzleOf(r.Site.ID, key)}, nil
}

// captchaFile serves v1/captcha/KEY.png and v1/captcha/KEY.wav.
func (p *Panel) captchaFile(ctx context.Context, r *gate.Request) (any, error) {
	if err := p.drawn.Within(r.Request, "too many captchas were looked at from this address"); err != nil {
		return nil, err
	}
	name := r.PathValue("file")
	kind := path.Ext(name)
	key := strings.TrimSuffix(name, kind)
	var f gate.File
	var err error
	switch kind {
	case ".png":
		f.Type = "image/png"
		f.Content, err = p.captchas.Picture(ctx, r.Site.ID, key)
	case ".wav":
		f.Type = "audio/wav"
		f.Content, err = p.captchas.Sound(ctx, r.Site.ID, key, soundLanguage(r))
	default:
		err = captcha.ErrUnknown
	}
	if errors.Is(err, captcha.ErrUnknown) {
		return nil, gate.NewFailure(http.StatusNotFound, "unknown_captcha", "%s", captcha.ErrUnknown)
	}
	return f, err
}

// soundLanguage is the language in which the client wants to hear digits: the one it
// names, else the first of its browser's that there is.
func soundLanguage(r *gate.Request) string {
	if named := r.URL.Query().Get("l"); slices.Contains(captcha.Languages, named) {
		return named
	}
	wanted, _, err := language.ParseAcceptLanguage(r.Field("Accept-Language", view.MaxLanguage))
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
