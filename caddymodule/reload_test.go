package caddymodule

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/caddymodule/spot"
	"github.com/seed-3405227d/frontdesk/edge"
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
	s := run(t, configuration).Ready()
	service := activeService(t)
	var done atomic.Bool
	var asked atomic.Int64
	var clients sync.WaitGroup
	failures := make(chan string, 1000)
	ask := func(address, expected string) {
		got, err := s.Do(http.MethodGet, address, "")
		for again := 0; err != nil && again < 3; again++ {
			// Linux resets connections that wait to be accepted when one of the
			// sockets on a port is closed, and so they are under any Caddy.
			got, err = s.Do(http.MethodGet, address, "")
		}
		if err != nil {
			failures <- err.Error()
		} else if got.StatusCode != http.StatusOK || !strings.Contains(got.Content, expected) {
			failures <- got.Status + ": " + got.Content
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
		require.NoError(t, s.Load(configuration))
		require.Eventually(t, func() bool { return asked.Load() > passed+8 }, wait, tick)
	}
	done.Store(true)
	clients.Wait()
	close(failures)
	for failure := range failures {
		assert.Fail(t, "a request failed", failure)
	}
	require.NotContains(t, s.Log(), "panic")
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
	s := run(t, configuration).Ready()
	first := activeService(t)
	require.NoError(t, s.Load(strings.ReplaceAll(configuration, "frontdesk.db", "other.db")))
	s.Ready()
	require.NotSame(t, first, activeService(t))
	_, used := services.References(first.settings)
	require.False(t, used)
	require.Eventually(t, func() bool { return !first.Ready() }, wait, tick, "the first is closed")
	require.Contains(t, s.Get("http://localhost:$PORT/").Content, insertion)
}

// A configuration that cannot run leaves the running one as it is, health too.
func TestReloadThatFails(t *testing.T) {
	configuration := option + `
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`
	s := run(t, configuration).Ready()
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
	require.ErrorContains(t, s.Load(strings.Replace(declaring("boris"), "frontdesk shop", numbered, 1)+`
		http://`+busy.Addr().String()+` {
			bind 127.0.0.1
			frontdesk other
		}`), "address already in use")
	body := s.Get("http://localhost:$PORT/").Content
	require.Contains(t, body, insertion)
	require.Contains(t, body, "8 (495) 123-45-67", "settings of what did not run are not in effect")
	require.Zero(t, service.pictures.Kept())
	require.Same(t, service, activeService(t))
	users, _ := services.References(service.settings)
	require.Equal(t, 1, users)
	status, _ := s.Health()
	require.Equal(t, http.StatusOK, status)

	require.NoError(t, s.Load(declaring("anna")))
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

// What a configuration has compiled lasts as long as its last request, though its connections to the origin stay open.
func TestReplacedConfigurationIsForgotten(t *testing.T) {
	asked, goOn := make(chan struct{}, 1), make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			asked <- struct{}{}
			<-goOn
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	}))
	defer origin.Close()
	defer sync.OnceFunc(func() { close(goOn) })()
	configuration := option + `
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy ` + strings.TrimPrefix(origin.URL, "http://") + `
		}`
	s := run(t, configuration).Ready()
	require.Contains(t, s.Get("http://localhost:$PORT/").Content, insertion)
	block := blockOf(t)
	answered := make(chan answer, 1)
	go func() {
		got, err := s.Do(http.MethodGet, "http://localhost:$PORT/slow", "")
		assert.NoError(t, err)
		answered <- got
	}()
	<-asked
	require.NoError(t, s.Load(configuration))
	runtime.GC()
	require.NotNil(t, block.Value(), "its request is under way")
	goOn <- struct{}{}
	require.Contains(t, (<-answered).Content, insertion)
	require.Eventually(t, func() bool {
		runtime.GC()
		return block.Value() == nil
	}, wait, tick)
	require.Contains(t, s.Get("http://localhost:$PORT/").Content, insertion)
}

// blockOf is what the one handler of the running configuration has compiled.
func blockOf(t *testing.T) (block weak.Pointer[edge.Block]) {
	t.Helper()
	activeApp(t).eachHandler(func(_ spot.Spot, handler any) {
		if h, ok := handler.(*Handler); ok {
			block = h.left
		}
	})
	require.NotNil(t, block.Value())
	return block
}

func TestReloadsLeaveNoGoroutines(t *testing.T) {
	configuration := option + `
		http://localhost:$PORT {
			frontdesk shop
			reverse_proxy $ORIGIN
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}`
	s := run(t, configuration).Ready()
	before := goroutines(t)
	const reloads = 8
	for range reloads {
		require.NoError(t, s.Load(configuration))
	}
	require.Eventually(t, func() bool {
		for stack, count := range goroutines(t) {
			if count >= before[stack]+reloads {
				return false // one for each
			}
		}
		return true
	}, wait, tick)
}

// goroutines are how many goroutines there are of each stack.
func goroutines(t *testing.T) map[[32]uintptr]int {
	t.Helper()
	records := make([]runtime.StackRecord, 10_000)
	n, complete := runtime.GoroutineProfile(records)
	require.True(t, complete)
	counted := make(map[[32]uintptr]int)
	for _, record := range records[:n] {
		counted[record.Stack0]++
	}
	return counted
}
