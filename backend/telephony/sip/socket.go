package sip

import (
	"bytes"
	"net"
	"net/netip"

	"github.com/emiago/sipgo/sip"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

const (
	// maxMessage bounds a message, in bytes.
	maxMessage = 16 << 10
	// maxCallID bounds a call's id, in bytes.
	maxCallID = 200
)

// packets reads from a socket only what the trunk has sent and what can be read. It drops and counts everything else.
// An answer would tell strangers that somebody is here, and it could go to somebody else whose address was forged.
type packets struct {
	net.PacketConn
	guard *guard
}

// guard decides what comes in.
type guard struct {
	trusted func(netip.Addr) bool
	dropped func(outcome string, from netip.Addr)
	parser  *sip.Parser
	logger  *zap.Logger
}

// ReadFrom implements [net.PacketConn].
func (p packets) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := p.PacketConn.ReadFrom(b)
		if err != nil {
			return n, from, err
		}
		address := addressOf(from)
		switch {
		case !p.guard.trusted(address):
			p.guard.dropped(Stranger, address)
		case len(bytes.Trim(b[:n], "\r\n\x00")) == 0: // it keeps a router's mapping open
		case n > maxMessage || !p.guard.readable(b[:n]):
			p.guard.dropped(Torn, address)
		default:
			return n, from, nil
		}
	}
}

// readable says whether the datagram is a message with all required headers. The library reads it again, and assumes
// that these headers exist.
func (g *guard) readable(datagram []byte) (readable bool) {
	steps.Walk(len(datagram))
	aside.Do(g.logger, "reading a SIP message", func() { // the library's reader may panic
		m, err := g.parser.ParseSIP(bytes.Clone(datagram))
		readable = err == nil && complete(m)
	})
	return readable
}

// complete says whether the headers are there that each message has (RFC 3261, section 8.1.1).
func complete(m sip.Message) bool {
	var headers interface {
		Via() *sip.ViaHeader
		From() *sip.FromHeader
		To() *sip.ToHeader
		CallID() *sip.CallIDHeader
		CSeq() *sip.CSeqHeader
	}
	var method sip.RequestMethod
	switch m := m.(type) {
	case *sip.Request:
		headers, method = m, m.Method
	case *sip.Response:
		headers = m
	default:
		return false
	}
	via, from, to, id, cseq := headers.Via(), headers.From(), headers.To(), headers.CallID(), headers.CSeq()
	if via == nil || from == nil || to == nil || id == nil || cseq == nil {
		return false
	}
	branch, _ := via.Params.Get("branch")
	return branch != "" && len(*id) <= maxCallID && (method == "" || cseq.MethodName == method)
}

// connections accepts connections of the trunk. It closes others before they can send anything.
type connections struct {
	net.Listener
	guard *guard
}

// Accept implements [net.Listener].
func (l connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if address := addressOf(c.RemoteAddr()); !l.guard.trusted(address) {
			l.guard.dropped(Stranger, address)
			c.Close()
			continue
		}
		return c, nil
	}
}

// addressOf returns the IP address without port and zone.
func addressOf(from net.Addr) netip.Addr {
	if from == nil {
		return netip.Addr{}
	}
	both, err := netip.ParseAddrPort(from.String())
	if err != nil {
		return netip.Addr{}
	}
	return both.Addr().Unmap().WithZone("")
}
