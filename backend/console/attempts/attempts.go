// Package attempts slows down those who guess at the console's door: passwords, codes and links. It counts failures alone,
// where they belong, and checks few passwords at a time. The door makes its attempts by it.
package attempts

import (
	"context"
	"errors"
	"math"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/pace"
)

const (
	// rememberedNames bounds how many logins, or browsers, have their failures
	// remembered.
	rememberedNames = 1 << 14
	// manyTries is how many attempts of a network are told apart.
	manyTries = 1000
	// maxChecking is how long an attempt may wait for its password to be checked.
	maxChecking = 20 * time.Second
	// maxPatient is how many attempts may wait because too many are under way, and
	// askAgain how often each looks whether its turn has come.
	maxPatient = 64
	askAgain   = 200 * time.Millisecond
)

// Attempts slows down those who guess passwords, and nobody else: it counts
// failures alone, each where it belongs.
//
// A browser in which the operator has signed in before has a count of its own,
// which no stranger can reach. All other browsers are counted by network and by
// login. Too many failures at a login do not close it, since its owner may be
// the next to come: they leave fewer attempts to each network.
type Attempts struct {
	now func() time.Time

	mu        sync.Mutex
	browsers  *pace.Limit
	logins    *pace.Limit
	networks  pace.ByNetwork
	besieging pace.ByNetwork // networks, at logins with too many failures
	tries     pace.ByNetwork // refuse nobody
	setups    pace.ByNetwork
	letters   pace.ByNetwork
	mailed    *pace.Limit // by login
	codes     *pace.Limit // of second steps, by account, or by browser and account
	passkeys  pace.ByNetwork

	known, unknown *line
	patient        chan struct{} // held by those who wait for others of their network
}

// New returns attempts of which none has been made.
func New(now func() time.Time) *Attempts {
	half := max(1, runtime.GOMAXPROCS(0)/2)
	return &Attempts{
		now:       now,
		browsers:  pace.New(10, time.Minute, rememberedNames),
		logins:    pace.New(20, 20*time.Second, rememberedNames),
		networks:  pace.NewByNetwork(10, time.Minute),
		besieging: pace.NewByNetwork(3, 20*time.Minute),
		tries:     pace.NewByNetwork(manyTries, time.Minute),
		setups:    pace.NewByNetwork(10, time.Minute),
		letters:   pace.NewByNetwork(5, 5*time.Minute),
		mailed:    pace.New(3, time.Hour, rememberedNames),
		codes:     pace.New(5, 5*time.Minute, rememberedNames),
		passkeys:  pace.NewByNetwork(20, 10*time.Second),
		known:     newLine(half),
		unknown:   newLine(half),
		patient:   make(chan struct{}, maxPatient),
	}
}

// TooMany is the error of an attempt that was not made: it may be made after
// that time.
type TooMany time.Duration

func (TooMany) Error() string { return "too many attempts" }

// Seconds is the time to wait as the Retry-After header has it.
func (t TooMany) Seconds() string { return strconv.Itoa(int(t.wait() / time.Second)) }

// Text says how long to wait.
func (t TooMany) Text(w *words.Tongue) string {
	return w.Text("signin.tooMany", "wait", w.Span(t.wait()))
}

// wait is the time to wait in whole seconds.
func (t TooMany) wait() time.Duration {
	return time.Duration(math.Ceil(time.Duration(t).Seconds())) * time.Second
}

// Password makes an attempt to know the login's password, from a browser that is
// known by that name, or unknown where it is empty. The error is the attempt's,
// or TooMany. Only [operator.ErrCredentials] counts as a failure.
func (a *Attempts) Password(r *http.Request, login, browser string, attempt func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(r.Context(), maxChecking)
	defer cancel()
	line, tries := a.known, 0
	own := func() []counted { return []counted{{Tally: a.browsers.Of(browser)}} }
	if browser == "" {
		line = a.unknown
		own = func() (own []counted) {
			own, tries = a.strangers(r, login)
			return own
		}
	}
	return a.count(func() ([]counted, error) { return a.patiently(ctx, own) }, operator.ErrCredentials, func() error {
		switch err := line.enter(ctx, tries); {
		case err != nil && r.Context().Err() == nil:
			return TooMany(pace.UnderWay)
		case err != nil:
			return err
		}
		defer line.leave()
		err := attempt(ctx)
		if err != nil && ctx.Err() != nil && r.Context().Err() == nil { // it took too long
			return TooMany(pace.UnderWay)
		}
		return err
	})
}

// patiently is begin for those who would be refused because others of their network
// are under way, none of which may fail: a whole office may sign in at once.
func (a *Attempts) patiently(ctx context.Context, by func() []counted) ([]counted, error) {
	own, err := a.begin(by)
	if !errors.Is(err, TooMany(pace.UnderWay)) {
		return own, err
	}
	select {
	case a.patient <- struct{}{}:
		defer func() { <-a.patient }()
	default:
		return nil, err
	}
	for errors.Is(err, TooMany(pace.UnderWay)) {
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(askAgain):
			own, err = a.begin(by)
		}
	}
	return own, err
}

// strangers are the tallies that count attempts of unknown browsers, and how often
// their networks have tried in vain lately. Those that have not are checked
// first: guessers have been there before, and the owner has just come.
func (a *Attempts) strangers(r *http.Request, login string) (own []counted, tries int) {
	from, now := pace.Client(r.RemoteAddr), a.now()
	own = countedIn(a.networks.Of(from))
	for _, tally := range a.tries.Of(from) {
		tries = max(tries, tally.Counted(now))
		own = append(own, counted{Tally: tally, open: true, tries: true})
	}
	besieged := false
	if login, err := operator.FoldLogin(login); err == nil {
		besieged = a.logins.Of(login).Wait(now) > 0
		own = append(own, counted{Tally: a.logins.Of(login), open: true})
	}
	for _, tally := range a.besieging.Of(from) {
		own = append(own, counted{Tally: tally, open: !besieged})
	}
	return own, tries
}

// Setup makes an attempt to use the setup link.
func (a *Attempts) Setup(r *http.Request, attempt func() error) error {
	own := func() []counted { return countedIn(a.setups.Of(pace.Client(r.RemoteAddr))) }
	return a.count(func() ([]counted, error) { return a.begin(own) }, operator.ErrSetupToken, attempt)
}

// Code makes an attempt at the second step of the account, from a browser that is known by that name, or unknown where it is
// empty. The error is the attempt's, or TooMany. Only [twostep.ErrCode] counts as a failure.
func (a *Attempts) Code(account int64, browser string, attempt func() error) error {
	own := func() []counted {
		return []counted{{Tally: a.codes.Of(strconv.FormatInt(account, 10) + " " + browser)}}
	}
	return a.count(func() ([]counted, error) { return a.begin(own) }, twostep.ErrCode, attempt)
}

// Passkey makes an attempt with a passkey. The error is the attempt's, or TooMany. Only [passkey.ErrRefused] counts as a failure.
// Nobody guesses a signature: this bounds the work, and what the history tells.
func (a *Attempts) Passkey(r *http.Request, attempt func() error) error {
	own := func() []counted { return countedIn(a.passkeys.Of(pace.Client(r.RemoteAddr))) }
	return a.count(func() ([]counted, error) { return a.begin(own) }, passkey.ErrRefused, attempt)
}

// Letter counts a request to mail a link to the login, and reports whether to do it. The error is TooMany for a network that
// has asked too often. A login that has been asked for too often is passed over in silence: the answer tells nothing of it.
func (a *Attempts) Letter(r *http.Request, login string) (mail bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if wait := pace.Take(a.now(), a.letters.Of(pace.Client(r.RemoteAddr))...); wait > 0 {
		return false, TooMany(wait)
	}
	login, err = operator.FoldLogin(login)
	if err != nil {
		return false, nil
	}
	return pace.Take(a.now(), a.mailed.Of(login)) == 0, nil
}

// counted is a tally that counts an attempt.
type counted struct {
	pace.Tally
	open  bool // does not refuse
	tries bool // counts whatever does not succeed
}

func countedIn(tallies []pace.Tally) []counted {
	own := make([]counted, len(tallies))
	for i, tally := range tallies {
		own[i].Tally = tally
	}
	return own
}

// count makes the attempt, unless one of the limits that it is counted by
// refuses it.
func (a *Attempts) count(begin func() ([]counted, error), failure error, attempt func() error) (err error) {
	own, err := begin()
	if err != nil {
		return err
	}
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, c := range own {
			c.End(a.now(), errors.Is(err, failure) || c.tries && err != nil)
		}
	}()
	return attempt()
}

func (a *Attempts) begin(by func() []counted) ([]counted, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	own := by()
	var wait time.Duration
	for _, c := range own {
		if !c.open {
			wait = max(wait, c.Wait(a.now()))
		}
	}
	if wait > 0 {
		return nil, TooMany(wait)
	}
	for _, c := range own {
		c.Begin()
	}
	return own, nil
}
