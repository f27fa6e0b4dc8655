// Package session is what a browser's session holds between requests: who has signed in, the site that lists are
// narrowed to, and what the next page says once. The frame reads it, and the door begins and ends it.
package session

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// sessionLifetime is how long a sign-in lasts: a working week.
const sessionLifetime = 7 * 24 * time.Hour

// What a session holds.
const (
	sessionOperator = "operator" // int64, the account
	sessionEpoch    = "epoch"    // int64, the account's epoch at sign-in
	sessionProven   = "proven"   // bool, more than a password was given
	sessionSite     = "site"     // int64, the site that lists are narrowed to; 0 for all
	sessionNotice   = "notice"   // string, what the next page says once
	sessionSeen     = "seen"     // int64, when a request came last, in seconds since 1970; right to seenEvery

	// Of a sign-in that waits for its second step: as above, when it has begun in seconds since 1970, and where it leads.
	halfOperator = "halfOperator"
	halfEpoch    = "halfEpoch"
	halfAt       = "halfAt"
	halfTo       = "halfTo"
)

// The cookies of sessions.
const (
	secureCookie = "__Host-frontdesk"
	plainCookie  = "frontdesk"
)

// Sessions are kept by two managers over one store, because a cookie with the
// __Host- prefix, which no other host can set, exists on HTTPS alone.
type Sessions struct {
	secure, plain *scs.SessionManager
}

// New returns the sessions of the store. failed answers a request whose session cannot be read.
func New(store scs.CtxStore, failed func(http.ResponseWriter, *http.Request, error)) Sessions {
	manager := func(cookie string) *scs.SessionManager {
		// scs.New would begin a goroutine for a store in memory, which nothing ends.
		return &scs.SessionManager{
			Store: store, Codec: scs.GobCodec{}, HashTokenInStore: true, Lifetime: sessionLifetime, ErrorFunc: failed,
			Cookie: scs.SessionCookie{Name: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Persist: true},
		}
	}
	s := Sessions{secure: manager(secureCookie), plain: manager(plainCookie)}
	s.secure.Cookie.Secure = true
	return s
}

// Secure tells whether the client's connection is encrypted, here or by a proxy
// in front.
func Secure(r *http.Request) bool { return r.TLS != nil || r.URL.Scheme == "https" }

func (s Sessions) of(r *http.Request) *scs.SessionManager {
	if Secure(r) {
		return s.secure
	}
	return s.plain
}

// HasCookie tells whether the request brings a session, good or not.
func HasCookie(r *http.Request) bool {
	name := plainCookie
	if Secure(r) {
		name = secureCookie
	}
	_, err := r.Cookie(name)
	return err == nil
}

// Loaded gives the request its session.
func (s Sessions) Loaded(next http.Handler) http.Handler {
	overTLS, plain := s.secure.LoadAndSave(next), s.plain.LoadAndSave(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Secure(r) {
			overTLS.ServeHTTP(w, r)
		} else {
			plain.ServeHTTP(w, r)
		}
	})
}

// seenEvery is how often it is noted that a session is in use.
const seenEvery = 5 * time.Minute

// See notes, once in a while, that the session is in use: the store sees that it is stored.
func (s Sessions) See(r *http.Request, now time.Time) {
	m := s.of(r)
	if now.Sub(time.Unix(m.GetInt64(r.Context(), sessionSeen), 0)) >= seenEvery {
		m.Put(r.Context(), sessionSeen, now.Unix())
	}
}

// Begin makes the session the operator's, under a new token, and stores it. proven tells that more than a password was given.
func (s Sessions) Begin(r *http.Request, o operator.Operator, proven bool, now time.Time) error {
	m := s.of(r)
	if err := m.RenewToken(r.Context()); err != nil {
		return err
	}
	for _, key := range []string{halfOperator, halfEpoch, halfAt, halfTo} {
		m.Remove(r.Context(), key)
	}
	m.Put(r.Context(), sessionOperator, o.ID)
	m.Put(r.Context(), sessionEpoch, o.Epoch)
	m.Put(r.Context(), sessionProven, proven)
	m.Put(r.Context(), sessionSeen, now.Unix())
	_, _, err := m.Commit(r.Context())
	return err
}

// BeginHalf makes the session, under a new token, one in which the operator has given a password and waits for the second
// step, which leads to a page. Nobody is signed in.
func (s Sessions) BeginHalf(r *http.Request, o operator.Operator, at time.Time, to string) error {
	m := s.of(r)
	if err := m.RenewToken(r.Context()); err != nil {
		return err
	}
	m.Remove(r.Context(), sessionOperator)
	m.Remove(r.Context(), sessionEpoch)
	m.Remove(r.Context(), sessionProven)
	m.Put(r.Context(), halfOperator, o.ID)
	m.Put(r.Context(), halfEpoch, o.Epoch)
	m.Put(r.Context(), halfAt, at.Unix())
	m.Put(r.Context(), halfTo, to)
	return nil
}

// Half is who waits for the second step, the account's epoch then, since when, and where it leads; 0 for nobody.
func (s Sessions) Half(r *http.Request) (account, epoch int64, at time.Time, to string) {
	m := s.of(r)
	return m.GetInt64(r.Context(), halfOperator), m.GetInt64(r.Context(), halfEpoch), time.Unix(m.GetInt64(r.Context(), halfAt), 0), m.GetString(r.Context(), halfTo)
}

// End ends the session.
func (s Sessions) End(r *http.Request) error { return s.of(r).Destroy(r.Context()) }

// SignedIn is the account whose session it is, and its epoch at sign-in; 0 for none.
func (s Sessions) SignedIn(r *http.Request) (account, epoch int64) {
	m := s.of(r)
	return m.GetInt64(r.Context(), sessionOperator), m.GetInt64(r.Context(), sessionEpoch)
}

// Proven tells whether more than a password was given when the session began.
func (s Sessions) Proven(r *http.Request) bool { return s.of(r).GetBool(r.Context(), sessionProven) }

// Token is the session's own, by which it can be told from others.
func (s Sessions) Token(r *http.Request) string { return s.of(r).Token(r.Context()) }

// Sign is by which the operators tell whether the session goes on, for somebody who sees the sites.
func (s Sessions) Sign(r *http.Request, sites scope.Sites) signin.Session {
	// The store knows a session by the hash of its token, as scs makes it.
	hash := sha256.Sum256([]byte(s.Token(r)))
	account, epoch := s.SignedIn(r)
	return signin.Session{Token: base64.RawURLEncoding.EncodeToString(hash[:]), Account: account, Epoch: epoch, Sites: sites}
}

// Site is the one that lists are narrowed to; 0 for all of them.
func (s Sessions) Site(r *http.Request) int64 { return s.of(r).GetInt64(r.Context(), sessionSite) }

// Narrow narrows lists to the site.
func (s Sessions) Narrow(r *http.Request, site int64) { s.of(r).Put(r.Context(), sessionSite, site) }

// KeepNotice keeps what the next page says once, and takeNotice is what was kept.
func (s Sessions) KeepNotice(r *http.Request, text string) {
	s.of(r).Put(r.Context(), sessionNotice, text)
}

func (s Sessions) TakeNotice(r *http.Request) string {
	return s.of(r).PopString(r.Context(), sessionNotice)
}
