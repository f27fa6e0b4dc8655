package trunk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
	"go.uber.org/zap"
)

const (
	// resolveEvery is how often the addresses of the trunk's host are looked up.
	resolveEvery = time.Minute
	// resolveTimeout bounds one lookup.
	resolveTimeout = 5 * time.Second
	// maxAttempts bounds how often a request is repeated with credentials: once, and once more if the trunk's nonce is
	// stale.
	maxAttempts = 2
)

// Trunk is a trunk with its settings. They do not change: a new trunk replaces it.
type Trunk struct {
	Settings Settings

	host    *Host
	client  *sipgo.Client
	contact sip.Uri
	name    string // of the trunk's host
	port    int

	addresses  atomic.Pointer[[]netip.AddrPort] // of the host; calls go to the first
	registered atomic.Bool
	registerID string // the Call-ID of all registrations, because their numbers continue
	registerNo uint32

	ending context.Context
	end    context.CancelFunc
}

// New returns the trunk, which does nothing before [Trunk.Run]. The settings are complete.
func New(host *Host, s Settings) (*Trunk, error) {
	own := s.Listen[slices.IndexFunc(s.Listen, func(a Address) bool { return a.Transport == s.Transport })]
	name, port := own.At.Addr().String(), int(own.At.Port())
	if s.Public != "" {
		name, port = splitHost(s.Public)
		if !strings.HasSuffix(s.Public, ":"+strconv.Itoa(port)) {
			port = int(own.At.Port())
		}
	}
	options := []sipgo.ClientOption{sipgo.WithClientHostname(name), sipgo.WithClientPort(port), sipgo.WithClientNAT()}
	if s.Transport == UDP { // so that messages leave from the address that receives
		options = append(options, sipgo.WithClientConnectionAddr(own.At.String()))
	}
	client, err := sipgo.NewClient(host.UA, options...)
	if err != nil {
		return nil, fmt.Errorf("making a client of SIP: %w", err)
	}
	t := &Trunk{host: host, Settings: s, client: client, registerID: random()}
	t.name, t.port = splitHost(s.Trunk)
	t.contact = sip.Uri{Scheme: "sip", User: s.User, Host: name, Port: port, UriParams: sip.NewParams()}
	if s.Transport != UDP {
		t.contact.UriParams.Add("transport", s.Transport)
	}
	t.ending, t.end = context.WithCancel(context.Background())
	if ip, err := netip.ParseAddr(t.name); err == nil {
		t.addresses.Store(&[]netip.AddrPort{netip.AddrPortFrom(ip.Unmap(), uint16(t.port))})
	}
	return t, nil
}

// Run keeps the addresses and the registration up to date until the trunk is retired.
func (t *Trunk) Run() {
	if t.addresses.Load() == nil {
		t.resolve()
		t.host.Beside("looking the trunk up", func() {
			tick := time.NewTicker(resolveEvery)
			defer tick.Stop()
			for {
				select {
				case <-t.ending.Done():
					return
				case <-tick.C:
					t.resolve()
				}
			}
		})
	}
	if t.Settings.Register {
		t.keepRegistered()
	}
}

// Retire ends Run. Calls over the trunk continue.
func (t *Trunk) Retire() { t.end() }

// resolve looks up the trunk's host: its service records (RFC 3263) if no port is given, and otherwise its addresses.
// If nothing is found, the previous addresses stay.
func (t *Trunk) resolve() {
	ctx, cancel := context.WithTimeout(t.ending, resolveTimeout)
	defer cancel()
	var found []netip.AddrPort
	add := func(host string, port uint16) {
		ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", strings.TrimSuffix(host, "."))
		if err != nil {
			return
		}
		for _, ip := range ips {
			found = append(found, netip.AddrPortFrom(ip.Unmap(), port))
		}
	}
	if !strings.Contains(t.Settings.Trunk, ":") {
		if _, records, err := net.DefaultResolver.LookupSRV(ctx, "sip", t.Settings.Transport, t.name); err == nil {
			for _, r := range records {
				add(r.Target, r.Port)
			}
		}
	}
	if len(found) == 0 {
		add(t.name, uint16(t.port))
	}
	if len(found) == 0 {
		t.host.Logger.Warn("the SIP trunk's host has no address", zap.String("trunk", t.Settings.Trunk))
		return
	}
	own := t.Settings.Listen[0].At.Addr()
	slices.SortStableFunc(found, func(a, b netip.AddrPort) int { // the own address family comes first
		rank := func(p netip.AddrPort) int {
			if p.Addr().Is4() == own.Unmap().Is4() {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	t.addresses.Store(&found)
}

// Trusts says whether the address belongs to the trunk.
func (t *Trunk) Trusts(from netip.Addr) bool {
	if addresses := t.addresses.Load(); addresses != nil {
		if slices.ContainsFunc(*addresses, func(a netip.AddrPort) bool { return a.Addr() == from }) {
			return true
		}
	}
	return slices.ContainsFunc(t.Settings.Trusted, func(p netip.Prefix) bool { return p.Contains(from) })
}

// Ready returns an error if the trunk cannot place calls now.
func (t *Trunk) Ready() error {
	switch {
	case t.addresses.Load() == nil:
		return errors.New("sip: the trunk's host has no address")
	case t.Settings.Register && !t.registered.Load():
		return errors.New("sip: the trunk has not agreed to the registration")
	}
	return nil
}

// Address returns the address of a user at the trunk.
func (t *Trunk) Address(user string) sip.Uri {
	host, port := splitHost(t.Settings.Domain)
	if !strings.HasSuffix(t.Settings.Domain, ":"+strconv.Itoa(port)) {
		port = 0
	}
	return sip.Uri{Scheme: "sip", User: user, Host: host, Port: port}
}

// toTrunk makes the request go to the trunk itself, whatever its own address is.
func (t *Trunk) toTrunk(r *sip.Request) {
	r.SetTransport(strings.ToUpper(t.Settings.Transport))
	if addresses := t.addresses.Load(); addresses != nil {
		r.SetDestination((*addresses)[0].String())
	}
}

// send begins a transaction with the request, whose headers are complete except for Via.
func (t *Trunk) send(ctx context.Context, r *sip.Request) (sip.ClientTransaction, error) {
	return t.client.TransactionRequest(ctx, r, sipgo.ClientRequestBuild)
}

// do sends a request other than INVITE, with credentials if the trunk asks for them, and returns its final response.
// next returns the number of the repeated request.
func (t *Trunk) do(ctx context.Context, r *sip.Request, next func() uint32) (*sip.Response, error) {
	for attempt := 0; ; attempt++ {
		res, err := t.client.Do(ctx, r, sipgo.ClientRequestBuild)
		if err != nil {
			return nil, err
		}
		again := t.authorized(r, res, attempt, next)
		if again == nil {
			return res, nil
		}
		r = again
	}
}

// authorized returns the request with the credentials that the response asks for. It returns nil if the response asks
// for none, or if the known ones would not help.
func (t *Trunk) authorized(r *sip.Request, res *sip.Response, attempt int, next func() uint32) *sip.Request {
	asked, given := "WWW-Authenticate", "Authorization"
	switch res.StatusCode {
	case sip.StatusUnauthorized:
	case sip.StatusProxyAuthRequired:
		asked, given = "Proxy-Authenticate", "Proxy-Authorization"
	default:
		return nil
	}
	if t.Settings.Password == "" || attempt >= maxAttempts {
		return nil
	}
	for _, h := range res.GetHeaders(asked) {
		challenge, err := digest.ParseChallenge(h.Value())
		if err != nil {
			continue
		}
		challenge.Algorithm = strings.ToUpper(challenge.Algorithm)
		if t.Settings.Realm != "" && challenge.Realm != t.Settings.Realm || !digest.CanDigest(challenge) {
			continue
		}
		again := r.Clone()
		again.RemoveHeader("Via")
		again.RemoveHeader(given)
		again.CSeq().SeqNo = next()
		credentials, err := digest.Digest(challenge, digest.Options{
			Method: r.Method.String(), URI: r.Recipient.String(), Count: 1,
			Username: t.Settings.User, Password: t.Settings.Password,
		})
		if err != nil {
			continue
		}
		again.AppendHeader(sip.NewHeader(given, credentials.String()))
		return again
	}
	return nil
}
