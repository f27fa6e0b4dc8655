package snippet

import (
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// Another release ends what was cached; another node of the same one does not.
func TestUpgradeEndsOldValidators(t *testing.T) {
	node := func(version string) *Code {
		c, err := newCode(Settings{SiteKey: "shop.example", Prefix: "/frontdesk/"}, version)
		require.NoError(t, err)
		return c
	}
	for name, shown := range map[string]Shown{"code": {}, "numbers": selecting(t)} {
		for _, validator := range [][2]string{{"Etag", `"a"`}, {"Last-Modified", "Sun, 17 May 2026 10:11:12 GMT"}} {
			ask := func(c *Code, tag string) *httptest.ResponseRecorder {
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Sec-Fetch-Dest", "document")
				if tag != "" {
					r.Header.Set("If-None-Match", tag)
				}
				recorder := httptest.NewRecorder()
				_, err := c.Serve(recorder, r, Visit{Shown: shown}, func(w http.ResponseWriter, r *http.Request) error {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set(validator[0], validator[1])
					if r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "" {
						w.WriteHeader(http.StatusNotModified)
						return nil
					}
					_, err := w.Write([]byte(printedPage))
					return err
				})
				require.NoError(t, err)
				return recorder
			}
			old := ask(node("v1.0.0"), "").Header().Get("Etag")
			require.NotEmpty(t, old)
			again := ask(node("v1.0.0"), old)
			require.Equal(t, http.StatusNotModified, again.Code, name)
			require.Equal(t, old, again.Header().Get("Etag"))

			upgraded := ask(node("v1.0.1"), old)
			require.Equal(t, http.StatusOK, upgraded.Code, name)
			require.Contains(t, upgraded.Body.String(), "svc.js")
			require.NotEqual(t, old, upgraded.Header().Get("Etag"))
		}
	}
}

func TestVersionOfBuilds(t *testing.T) {
	const path = "github.com/seed-3405227d/frontdesk"
	require.Equal(t, path, modulePath)
	module := func(path, version string) debug.Module {
		return debug.Module{Path: path, Version: version, Sum: "h1:a"}
	}
	released, changed, folder := module(path, "v1.2.3"), module(path, "v1.2.3+dirty"), module(path, "v1.2.3")
	folder.Replace = &debug.Module{Path: "../frontdesk"}
	for want, builds := range map[string][]*debug.BuildInfo{
		"v1.2.3 h1:a": {
			{Main: released},
			{Main: module("caddy", "(devel)"), Deps: []*debug.Module{{Path: "other", Version: "v1.0.0"}, &released}},
		},
		"": {
			{Main: changed}, {Main: module(path, "(devel)")}, {Main: module(path, "")}, {Main: module("caddy", "v2.0.0")},
			{Main: module("caddy", "(devel)"), Deps: []*debug.Module{&folder}},
		},
	} {
		for _, build := range builds {
			require.Equal(t, want, versionOf(build, path))
		}
	}
	sum, err := hashExecutable()
	require.NoError(t, err)
	require.Len(t, sum, 32)
	require.Equal(t, version(), version())
}
