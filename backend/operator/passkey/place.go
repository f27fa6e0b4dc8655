package passkey

import (
	"net"
	"net/netip"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Place is where a browser has the console open: its passkeys open accounts there, and nowhere else.
type Place struct {
	// Host is the name without the port, by which browsers keep passkeys apart.
	Host   string
	origin string
}

// maxHost is how long a name is at most, in bytes (RFC 1035, section 2.3.4).
const maxHost = 253

// At is the place of a request for the host, which may have a port. secure tells whether the browser's connection is
// encrypted; browsers take localhost for secure. The error is [ErrPlace] where browsers have no passkeys.
func At(secure bool, host string) (Place, error) {
	host = strings.ToLower(host)
	scheme, port := "http", ":80"
	if secure {
		scheme, port = "https", ":443"
	}
	host = strings.TrimSuffix(host, port) // browsers leave it away
	name := host
	if alone, _, err := net.SplitHostPort(host); err == nil {
		name = alone
	}
	local := name == "localhost" || strings.HasSuffix(name, ".localhost")
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || !secure && !local || len(name) > maxHost || protocol.ValidateRPID(name) != nil {
		return Place{}, ErrPlace
	}
	return Place{Host: name, origin: scheme + "://" + host}, nil
}

// party is the console there as the other side of a ceremony. All ceremonies take a passkey that the device finds by itself,
// and that asks for the user's finger, face or PIN.
func (p Place) party() (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{
		RPID: p.Host, RPDisplayName: "Frontdesk", RPOrigins: []string{p.origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: webauthn.TimeoutConfig{Timeout: Life}, Registration: webauthn.TimeoutConfig{Timeout: Life}},
	})
}
