package caddymodule

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A request chooses its host. By that it must not become one for a site that
// another block serves, past that block's consent and variant.
func TestHostIsNoKeyThatAnotherBlockWritesOut(t *testing.T) {
	s := run(t, option+`
		http://shop.example:$PORT {
			frontdesk shop {
				consent agreed yes
			}
			reverse_proxy $ORIGIN
		}
		http://:$PORT2 {
			frontdesk {host}
			reverse_proxy $ORIGIN
		}
		http://hosted.example:$PORT {
			frontdesk
			reverse_proxy $ORIGIN
		}`).Ready()
	const everybody = "http://localhost:$PORT2"
	for _, host := range []string{"shop", "SHOP", "shop.", "shop:80", "Shop.:8080"} {
		require.Equal(t, page, s.Get(everybody+"/", "Host", host).Content, host)
		for _, route := range []string{"svc.js", "v1/status?k=shop", "phone/none.svg"} {
			require.Equal(t, page, s.Get(everybody+"/frontdesk/"+route, "Host", host).Content, "%s: what is under the prefix is the origin's", host)
		}
		for _, route := range []string{"v1/hit", "v1/lead", "api/add_offline_message/", "vc/s/"} {
			got, err := s.Do(http.MethodPost, everybody+"/frontdesk/"+route, `{}`, "Host", host, "Content-Type", "application/json")
			require.NoError(t, err)
			require.Equal(t, page, got.Content)
			require.Empty(t, got.Header.Values("Set-Cookie"))
		}
	}
	require.Contains(t, s.Get("http://localhost:$PORT/", "Host", "shop.example").Content, insertion)
	require.Contains(t, s.Get("http://localhost:$PORT/frontdesk/v1/status?k=shop", "Host", "shop.example").Content, `"success":true`)
	require.Contains(t, s.Get(everybody+"/", "Host", "hosted.example").Content, `["setCsAccount","hosted.example"]`)
}

// The sites of two hosts may be one, under the key that one of them has anyway.
func TestHostIsTheKeyOfItsOwnBlock(t *testing.T) {
	s := run(t, option+`
		http://shop.example:$PORT {
			frontdesk
			reverse_proxy $ORIGIN
			handle_errors {
				frontdesk
				header Content-Type "text/html; charset=utf-8"
				respond "<!doctype html><html><head><title>Nothing here</title></head><body></body></html>"
			}
			error /none 404
		}
		http://m.shop.example:$PORT {
			frontdesk shop.example
			reverse_proxy $ORIGIN
		}
		http://:$PORT2 {
			frontdesk {host}
			reverse_proxy $ORIGIN
		}`).Ready()
	const key = `["setCsAccount","shop.example"]`
	for _, host := range []string{"shop.example", "Shop.Example", "m.shop.example"} {
		require.Contains(t, s.Get("http://localhost:$PORT/", "Host", host).Content, key)
	}
	require.Contains(t, s.Get("http://localhost:$PORT/none", "Host", "shop.example").Content, key)
	require.Equal(t, page, s.Get("http://localhost:$PORT2/", "Host", "shop.example").Content, "this block has not the host in front")
}
