package caddymodule

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/site"
)

// A reload under load: no request fails, and the service is the same.
func TestReloadUnderLoad(t *testing.T) {
	configuration := option + `
		http://localhost:$PORT {
			encode
			frontdesk shop {
				phone_mask "+7 (###) ###-##-##"
			}
			reverse_proxy $ORIGIN
		}`
	s := run(t, configuration).ready()
	service := activeService(t)
	var done atomic.Bool
	var asked atomic.Int64
	var clients sync.WaitGroup
	failures := make(chan string, 1000)
	ask := func(address, expected string) {
		got, err := s.do(http.MethodGet, address, "")
		for again := 0; err != nil && again < 3; again++ {
			// Linux resets connections that wait to be accepted when one of the
			// sockets on a port is closed, and so they are under any Caddy.
			got, err = s.do(http.MethodGet, address, "")
		}
		if err != nil {
			failures <- err.Error()
		} else if got.StatusCode != http.StatusOK || !strings.Contains(got.body, expected) {
			failures <- got.Status + ": " + got.body
		}
		asked.Add(1)
	}
	for range 4 {
		clients.Go(func() {
			for !done.Load() && len(failures) < 100 {
				ask("http://localhost:$PORT/", insertion)
				ask("http://localhost:$PORT/frontdesk/v1/status?k=shop", `"success":true`)
			}
		})
	}
	for range 10 {
		passed := asked.Load()
		require.NoError(t, s.load(configuration))
		require.Eventually(t, func() bool { return asked.Load() > passed+8 }, wait, tick)
	}
	done.Store(true)
	clients.Wait()
	close(failures)
	for failure := range failures {
		assert.Fail(t, "a request failed", failure)
	}
	require.NotContains(t, s.log(), "panic")
	require.Same(t, service, activeService(t))
	users, _ := services.References(service.settings)
	require.Equal(t, 1, users)
}

func TestAnotherDatabaseIsAnotherService(t *testing.T) {
	configuration := option + `
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`
	s := run(t, configuration).ready()
	first := activeService(t)
	require.NoError(t, s.load(strings.ReplaceAll(configuration, "frontdesk.db", "other.db")))
	s.ready()
	require.NotSame(t, first, activeService(t))
	_, used := services.References(first.settings)
	require.False(t, used)
	require.Eventually(t, func() bool { return !first.Ready() }, wait, tick, "the first is closed")
	require.Contains(t, s.get("http://localhost:$PORT/").body, insertion)
}

// A configuration that cannot run leaves the running one as it is, health too.
func TestReloadThatFails(t *testing.T) {
	configuration := option + `
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`
	s := run(t, configuration).ready()
	service := activeService(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	t.Setenv("TEST_HASH", hash)
	declaring := func(login string) string {
		return strings.Replace(configuration, "frontdesk {", "frontdesk {\noperator "+login+" {env.TEST_HASH}", 1)
	}
	numbered := `frontdesk shop {
			number 74951234567 {
				picture .phone-img
				static 74957654321
			}
			prerender static
		}`
	require.ErrorContains(t, s.load(strings.Replace(declaring("boris"), "frontdesk shop", numbered, 1)+`
		http://`+busy.Addr().String()+` {
			bind 127.0.0.1
			frontdesk other
		}`), "address already in use")
	body := s.get("http://localhost:$PORT/").body
	require.Contains(t, body, insertion)
	require.Contains(t, body, "8 (495) 123-45-67", "settings of what did not run are not in effect")
	require.Zero(t, service.pictures.Kept())
	require.Same(t, service, activeService(t))
	users, _ := services.References(service.settings)
	require.Equal(t, 1, users)
	status, _ := s.health()
	require.Equal(t, http.StatusOK, status)

	require.NoError(t, s.load(declaring("anna")))
	require.Eventually(t, func() bool { return len(operators(t)) > 0 }, wait, tick)
	require.Len(t, operators(t), 1, "what did not run has declared nothing")
	require.Equal(t, "anna", operators(t)[0].Login)
	desk, done, err := service.Use()
	require.NoError(t, err)
	defer done()
	_, err = desk.Sites.ByKey(t.Context(), "other")
	require.ErrorIs(t, err, site.ErrUnknown)
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	declared, err := desk.Numbers.Declared(t.Context(), shop.ID)
	require.NoError(t, err)
	require.Empty(t, declared)
}
