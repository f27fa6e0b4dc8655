package sip

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
)

// socket is an address at which the exchange listens.
type socket struct {
	close func() error
	done  chan struct{}
}

// Listen opens the addresses at which the exchange does not listen yet. If an address is in use, the error names it,
// and nothing has changed.
func (x *Exchange) Listen(addresses []trunk.Address) (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return errClosed
	}
	var opened []trunk.Address
	defer func() {
		if err != nil {
			for _, a := range opened {
				_ = x.sockets[a].close()
				delete(x.sockets, a)
			}
		}
	}()
	for _, a := range addresses {
		if x.sockets[a] != nil {
			continue
		}
		if x.sockets[a], err = x.open(a); err != nil {
			delete(x.sockets, a)
			return fmt.Errorf("listening for SIP at %s: %w", a, err)
		}
		opened = append(opened, a)
	}
	return nil
}

func (x *Exchange) open(a trunk.Address) (*socket, error) {
	family := "4"
	if a.At.Addr().Is6() && !a.At.Addr().Is4In6() {
		family = "6"
	}
	s := &socket{done: make(chan struct{})}
	if a.Transport == trunk.UDP {
		c, err := net.ListenPacket("udp"+family, a.At.String())
		if err != nil {
			return nil, err
		}
		s.close = c.Close
		x.serve(s, func() { _ = x.server.ServeUDP(packets{c, x.guard}) })
		for x.host.UA.TransportLayer().Pool(trunk.UDP).Get(c.LocalAddr().String()) == nil { // otherwise messages that are sent now would open the port themselves
			time.Sleep(time.Millisecond)
		}
		return s, nil
	}
	l, err := net.Listen("tcp"+family, a.At.String())
	if err != nil {
		return nil, err
	}
	s.close = l.Close
	x.serve(s, func() { _ = x.server.ServeTCP(connections{l, x.guard}) })
	return s, nil
}

// serve reads messages from the socket until it is closed.
func (x *Exchange) serve(s *socket, read func()) {
	aside.Go(x.logger, "reading SIP", func() {
		defer close(s.done)
		aside.Keep(context.Background(), x.logger, "reading SIP", func(context.Context) { read() })
	})
}

// Trim closes addresses that are not in the current settings, such as those of settings that were refused in the end.
func (x *Exchange) Trim() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.trim()
}

func (x *Exchange) trim() {
	t := x.trunk.Load()
	for a, s := range x.sockets {
		if t == nil || !slices.Contains(t.Settings.Listen, a) {
			_ = s.close()
			delete(x.sockets, a)
		}
	}
}
