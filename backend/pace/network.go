package pace

import (
	"net/netip"
	"time"
)

const (
	// rememberedNetworks bounds how many networks of each width are remembered.
	rememberedNetworks = 1 << 15
	// clients is how many may well be behind one /48.
	clients = 4
)

// ByNetwork limits clients by their address, and for IPv6 by the networks that one
// client may have whole: a /64, and with four times as much a /48.
type ByNetwork struct{ narrow, wide *Limit }

// NewByNetwork returns limits of burst at once and then one in every for each client.
func NewByNetwork(burst int, every time.Duration) ByNetwork {
	return ByNetwork{New(burst, every, rememberedNetworks), New(clients*burst, every/clients, rememberedNetworks)}
}

// Of are the tallies that count a client.
func (l ByNetwork) Of(client netip.Addr) []Tally {
	network := func(bits int) string {
		if prefix, err := client.Prefix(bits); err == nil {
			return prefix.String()
		}
		return "" // what has no address is one client
	}
	if client.Is6() {
		return []Tally{l.narrow.Of(network(64)), l.wide.Of(network(48))}
	}
	return []Tally{l.narrow.Of(network(32))}
}

// Truncated is the network of an address, which tells less of who it is: the /24 of IPv4, the /48 of IPv6. It is
// empty where there is no address.
func Truncated(client netip.Addr) string {
	bits := 24
	if client.Is6() {
		bits = 48
	}
	network, err := client.Prefix(bits)
	if err != nil || !network.IsValid() {
		return ""
	}
	return network.String()
}

// Client is the address of a request's RemoteAddr, with a port or without; the zero
// Addr when it has none. An IPv4 address is one however it is written.
func Client(remote string) netip.Addr {
	both, err := netip.ParseAddrPort(remote) // as net/http writes it
	client := both.Addr()
	if err != nil {
		client, _ = netip.ParseAddr(remote)
	}
	return client.Unmap().WithZone("")
}
