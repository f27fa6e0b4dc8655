package caddymodule

import (
	"context"
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
	"github.com/seed-3405227d/frontdesk/caddymodule/metrics"
)

// sharedExchanges has the one that speaks SIP, while a configuration has a trunk. It keeps its sockets and its
// calls while one configuration hands over to the next.
var sharedExchanges = caddy.NewUsagePool()

const exchangeKey = "sip"

// sharedExchange is an exchange that several configurations may use, one after another or for a moment
// together.
type sharedExchange struct {
	*sip.Exchange
	log *followingCore
}

// useExchange takes hold of the exchange, which listens nowhere before it is told to.
func useExchange() (*sharedExchange, error) {
	shared, _, err := sharedExchanges.LoadOrNew(exchangeKey, func() (caddy.Destructor, error) {
		log := newFollowingCore()
		x, err := sip.New(zap.New(log).Named("frontdesk.sip"), metrics.Service{})
		return &sharedExchange{x, log}, err
	})
	if err != nil {
		return nil, err
	}
	return shared.(*sharedExchange), nil
}

// exchangeState is what the exchange is doing; nothing when there is none.
func exchangeState() (s sip.State) {
	sharedExchanges.Range(func(_, shared any) bool {
		s = shared.(*sharedExchange).State()
		return true
	})
	return s
}

// Destruct ends the calls that go on, and closes the sockets.
func (x *sharedExchange) Destruct() error { return x.Close() }

// provisionSIP checks the trunk's settings and takes hold of the exchange, if there is a trunk.
func (a *App) provisionSIP() (err error) {
	if a.Telephony == nil || a.Telephony.SIP == nil {
		return nil
	}
	if a.trunk, err = a.Telephony.SIP.settings(a.WrittenAt); err != nil {
		return err
	}
	a.exchange, err = useExchange()
	return err
}

// listenSIP opens the trunk's sockets beside those that are open. Others keep theirs.
func (a *App) listenSIP() error {
	if a.exchange == nil {
		return nil
	}
	for i, address := range a.trunk.Listen {
		if err := a.exchange.Listen([]trunk.Address{address}); err != nil {
			return a.WrittenAt.At(a.Telephony.SIP.Listen[i], fmt.Errorf("telephony sip: %w", err))
		}
	}
	return nil
}

// startSIP puts the trunk into effect.
func (a *App) startSIP() {
	if a.exchange == nil {
		return
	}
	a.exchange.log.follow(a.logger.Core())
	err := a.exchange.Use(a.trunk, sip.Handlers{Progress: a.service.Progress, Incoming: a.switchboard.Connect, Ended: a.told})
	if err != nil {
		a.logger.Error("the SIP trunk cannot be used", zap.Error(err))
	}
}

// releaseSIP lets go of the exchange, and of the sockets that are not used after all.
func (a *App) releaseSIP() error {
	if a.exchange == nil {
		return nil
	}
	a.exchange.Trim()
	_, err := sharedExchanges.Delete(exchangeKey)
	return err
}

// sipDialler is the exchange as one of the platforms that call people; none without a trunk.
func (a *App) sipDialler() []telephony.Dialler {
	if a.exchange == nil {
		return nil
	}
	return []telephony.Dialler{a.exchange}
}

// told keeps more of a call that has come in by SIP.
func (a *App) told(ctx context.Context, e telephony.Event) { a.switchboard.Keep(ctx, e) }

// Interface guards
var (
	_ caddy.Destructor  = (*sharedExchange)(nil)
	_ telephony.Dialler = (*sip.Exchange)(nil)
)
