package console_test

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/argon2"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// at is a browser behind the address. The desk's server takes RemoteAddr for it,
// as it does behind a server that knows its proxies.
func (d *desk) at(address string) *browser {
	b := d.browser()
	b.address = net.JoinHostPort(address, "4711")
	return b
}

// retryAfter is the time that the answer asks to wait for.
func (a answer) retryAfter(t *testing.T) time.Duration {
	t.Helper()
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, seconds)
	return time.Duration(seconds) * time.Second
}

func (b *browser) signIn(login, password string) answer {
	b.t.Helper()
	return b.post("/sign-in", "login", login, "password", password)
}

// exhaust guesses until it is refused, and returns how often it was not.
func (b *browser) exhaust(login string) (guesses int, refused answer) {
	b.t.Helper()
	for {
		refused = b.signIn(login, "a wrong guess")
		if refused.status == http.StatusTooManyRequests {
			return guesses, refused
		}
		require.Equal(b.t, http.StatusUnauthorized, refused.status)
		guesses++
		require.LessOrEqual(b.t, guesses, 100, "nobody stops it")
	}
}

func TestGuessingIsSlowedDown(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		guesser := d.at("192.0.2.1")
		guesses, refused := guesser.exhaust("vera")
		require.Equal(t, 10, guesses)
		wait := refused.retryAfter(t)
		require.LessOrEqual(t, wait, time.Minute)
		require.Contains(t, refused.body, "Too many attempts. Try again in")
		require.Equal(t, http.StatusTooManyRequests, guesser.signIn("vera", password).status, "not even with the right one")
		require.Equal(t, http.StatusTooManyRequests, guesser.signIn("nobody", password).status, "nor at another login")
		d.pass(wait)
		guesses, refused = guesser.exhaust("vera")
		require.Equal(t, 1, guesses, "being refused is no failure")
		d.pass(refused.retryAfter(t))
		require.Equal(t, http.StatusSeeOther, guesser.signIn("vera", password).status)
	})
}

// Thousands of guesses at one login, from one address and from a hundred, while
// its owner signs in. The clock stands: whoever is to wait waits in vain.
func TestWhoeverGuessesDoesNotLockTheOwnerOut(t *testing.T) {
	const guesses, guessers = 3000, 16
	for _, addresses := range []int{1, 100} {
		t.Run(strconv.Itoa(addresses), func(t *testing.T) {
			d := newDesk(t, dbtest.Open(t, dbtest.SQLite(t)))
			d.hold()
			d.declare("vera", cheapHash())
			known := d.at("198.51.100.1")
			require.Equal(t, http.StatusSeeOther, known.signIn("vera", password).status)

			var checked sync.Map // by address
			var mu sync.Mutex
			var guessing sync.WaitGroup
			for g := range guessers {
				guessing.Go(func() {
					for i := g; i < guesses; i += guessers {
						n := i % addresses
						address := fmt.Sprintf("10.%d.0.1", n)
						if d.at(address).signIn("vera", "guess "+strconv.Itoa(i)).status == http.StatusUnauthorized {
							mu.Lock()
							before, _ := checked.LoadOrStore(address, 0)
							checked.Store(address, before.(int)+1)
							mu.Unlock()
						}
					}
				})
			}
			over := make(chan struct{})
			go func() { guessing.Wait(); close(over) }()
			newcomers := 0
			for done := false; !done || newcomers < 3; newcomers++ {
				select {
				case <-over:
					done = true
				default:
				}
				require.Equal(t, http.StatusSeeOther, known.signIn("vera", password).status, "a known browser")
				newcomer := d.at(fmt.Sprintf("203.0.%d.%d", newcomers/250, newcomers%250))
				require.Equal(t, http.StatusSeeOther, newcomer.signIn("vera", password).status, "a new browser")
			}
			total := 0
			checked.Range(func(address, n any) bool {
				require.LessOrEqual(t, n, 11, address)
				total += n.(int)
				return true
			})
			require.LessOrEqual(t, total, 3*addresses+30, "guesses that tell whether the password is right")
			require.Equal(t, http.StatusTooManyRequests, d.at("10.0.0.1").signIn("vera", password).status)
		})
	}
}

// cheapHash is the password's, and costs next to nothing: the test is about who
// may try, and tries often.
func cheapHash() string {
	salt := []byte("a salt of a test")
	key := argon2.IDKey([]byte(password), salt, 1, 64, 1, 32)
	return fmt.Sprintf("$argon2id$v=19$m=64,t=1,p=1$%s$%s", base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// At a login that many guess at, each network has few attempts, so that there
// are some for its owner.
func TestManyNetworksAtOneLogin(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		for i := range 20 {
			require.Equal(t, http.StatusUnauthorized, d.at(fmt.Sprintf("192.0.2.%d", i)).signIn("vera", "a wrong guess").status)
		}
		guesses, refused := d.at("198.51.100.1").exhaust("Vera ")
		require.Equal(t, 3, guesses)
		require.Greater(t, refused.retryAfter(t), 10*time.Minute)
		guesses, _ = d.at("198.51.100.2").exhaust("boris")
		require.Equal(t, 10, guesses, "at another login there are more")

		owner := d.at("203.0.113.9")
		require.Equal(t, http.StatusUnauthorized, owner.signIn("vera", "mistyped").status)
		require.Equal(t, http.StatusUnauthorized, owner.signIn("vera", "mistyped again").status)
		require.Equal(t, http.StatusSeeOther, owner.signIn("vera", password).status)
	})
}

func TestKnownBrowserIsCountedByItself(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		known := d.at("192.0.2.1")
		require.Equal(t, http.StatusSeeOther, known.signIn("vera", password).status)
		require.NoError(t, d.Operators.Add(t.Context(), "boris", password, operator.Agent))
		d.at("192.0.2.1").exhaust("vera") // behind the same address

		require.Equal(t, http.StatusSeeOther, known.post("/sign-out").status)
		require.Equal(t, http.StatusSeeOther, known.signIn("vera", password).status, "who has signed out is known all the same")
		require.Equal(t, http.StatusTooManyRequests, known.signIn("boris", password).status, "to that login alone")
		stolen := d.at("198.51.100.7")
		stolen.Jar = known.Jar
		guesses, _ := stolen.exhaust("vera")
		require.Equal(t, 10, guesses, "its own guesses are limited, wherever they come from")
		require.Equal(t, http.StatusTooManyRequests, known.signIn("vera", password).status)

		d.pass(time.Hour)
		before := d.at("192.0.2.2")
		require.Equal(t, http.StatusSeeOther, before.signIn("vera", password).status)
		require.NoError(t, d.Operators.Passwd(t.Context(), operator.Server(), "vera", "another password"))
		d.at("192.0.2.2").exhaust("vera")
		require.Equal(t, http.StatusTooManyRequests, before.signIn("vera", "another password").status, "with the password, all browsers are forgotten")
	})
}

func TestNetworksOfIPv6AreCountedWhole(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		guesses, _ := d.at("2001:db8:1:1::1").exhaust("one")
		require.Equal(t, 10, guesses)
		guesses, _ = d.at("2001:db8:1:1:ffff::2").exhaust("two")
		require.Zero(t, guesses, "of one /64")
		total := 10
		for i := range 10 {
			guesses, _ = d.at(fmt.Sprintf("2001:db8:1:%d::1", i+2)).exhaust(fmt.Sprintf("login%d", i))
			total += guesses
		}
		require.Equal(t, 40, total, "of one /48")
		require.Equal(t, http.StatusSeeOther, d.at("2001:db8:2::1").signIn("vera", password).status)
		require.Equal(t, http.StatusTooManyRequests, d.at("::ffff:192.0.2.1").exhaustThen("vera", d.at("192.0.2.1")).status, "one address in two writings")
	})
}

func (b *browser) exhaustThen(login string, other *browser) answer {
	b.exhaust(login)
	return other.signIn(login, password)
}

// Strangers cannot fill up what is remembered: whoever asks for pages, or signs
// in, is not counted.
func TestOnlyFailuresAreCounted(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for range 30 {
			require.Equal(t, http.StatusNotFound, d.at("192.0.2.1").get("/setup?token=guess").status)
			require.Equal(t, http.StatusOK, d.at("192.0.2.1").get("/sign-in").status)
		}
		for range 15 {
			require.Equal(t, http.StatusSeeOther, d.at("192.0.2.1").signIn("vera", password).status)
		}
	})
}

// An office behind one address comes to work.
func TestWholeOfficeSignsInAtOnce(t *testing.T) {
	d := newDesk(t, dbtest.Open(t, dbtest.SQLite(t)))
	d.declare("vera", cheapHash())
	var coming sync.WaitGroup
	statuses := make([]int, 30) // they wait for each other, though not for ever
	for i := range statuses {
		coming.Go(func() { statuses[i] = d.at("192.0.2.1").signIn("vera", password).status })
	}
	coming.Wait()
	for _, status := range statuses {
		require.Equal(t, http.StatusSeeOther, status)
	}
}

func TestManyAtOnceAreCountedBeforeTheyFail(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		var tries sync.WaitGroup
		statuses := make([]int, 60)
		for i := range statuses {
			tries.Go(func() { statuses[i] = d.at("192.0.2.1").signIn("vera", "a wrong guess").status })
		}
		tries.Wait()
		checked := 0
		for _, status := range statuses {
			if status == http.StatusUnauthorized {
				checked++
			} else {
				require.Equal(t, http.StatusTooManyRequests, status)
			}
		}
		require.LessOrEqual(t, checked, 10)
		require.Positive(t, checked)
	})
}

func TestSetupHasALimitOfItsOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		d := newDesk(t, database)
		token, _, err := d.Operators.SetupToken(t.Context())
		require.NoError(t, err)
		picture := d.at("192.0.2.1").request(http.MethodGet, "/setup?token=guess")
		picture.Header.Set("Sec-Fetch-Dest", "image")
		for range 30 {
			require.Equal(t, http.StatusNotFound, d.at("192.0.2.1").do(picture).status)
		}
		for range 10 {
			require.Equal(t, http.StatusOK, d.at("192.0.2.1").get("/setup?token="+token).status)
			require.Equal(t, http.StatusForbidden, d.at("192.0.2.1").get("/setup?token=guess").status)
		}
		refused := d.at("192.0.2.1").get("/setup?token=" + token)
		require.Equal(t, http.StatusTooManyRequests, refused.status)
		require.LessOrEqual(t, refused.retryAfter(t), time.Minute)
		// Thousands of addresses of one network push nobody else out.
		for i := range 1500 {
			d.at(fmt.Sprintf("2001:db8:1:%x::1", i)).get("/setup?token=guess")
		}
		newcomer := d.at("203.0.113.9")
		require.Equal(t, http.StatusOK, newcomer.get("/setup?token="+token).status)
		require.Equal(t, http.StatusSeeOther, newcomer.post("/setup", "token", token, "login", "vera", "password", password).status)
		require.Equal(t, http.StatusSeeOther, d.at("192.0.2.1").signIn("vera", password).status, "signing in is another matter")
	})
}

func TestSetupLinkEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		d := newDesk(t, database)
		token, _, err := d.Operators.SetupToken(t.Context())
		require.NoError(t, err)
		b := d.browser()
		require.Equal(t, http.StatusOK, b.get("/setup?token="+token).status)
		d.pass(operator.SetupTime)
		require.Equal(t, http.StatusForbidden, b.get("/setup?token="+token).status)
		require.Equal(t, http.StatusForbidden, b.post("/setup", "token", token, "login", "eve", "password", password).status)
	})
}

func TestGuessingAtTheOwnPasswordIsCountedByTheSession(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		here, elsewhere := d.signedIn("vera"), d.signedIn("vera")
		last := answer{}
		for range 11 {
			last = here.post("/account/password", "current", "wrong", "password", "a new password")
		}
		require.Equal(t, http.StatusTooManyRequests, last.status)
		require.Equal(t, http.StatusSeeOther, elsewhere.post("/account/password", "current", password, "password", "a new password").status)
	})
}
