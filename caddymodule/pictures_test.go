package caddymodule

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A page that is open while the configuration changes keeps its picture.
func TestPicturesOutliveTheirConfiguration(t *testing.T) {
	config := func(color string) string {
		return option + `
			http://localhost:$PORT {
				frontdesk shop {
					number 74951234567 {
						picture .phone-img {
							color ` + color + `
						}
						static 74957654321
					}
					prerender static
				}
				respond "<!doctype html><html><head><title>a</title></head><body><img class=phone-img src=a alt=b></body></html>" {
					close
				}
				header Content-Type text/html
			}`
	}
	s := run(t, config("navy"))
	s.Ready()
	address := regexp.MustCompile(`/frontdesk/phone/[^"> ]+`)
	first := address.FindString(s.Get("http://localhost:$PORT/").Content)
	require.NotEmpty(t, first)
	require.NoError(t, s.Load(config("maroon")))
	second := address.FindString(s.Get("http://localhost:$PORT/").Content)
	require.NotEqual(t, first, second)
	for _, picture := range []string{first, second} {
		require.Equal(t, http.StatusOK, s.Get("http://localhost:$PORT"+picture).StatusCode)
	}
}
